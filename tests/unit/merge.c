/* SPDX-License-Identifier: MIT */
/* From raw logs to traces: logs of simulated runs, whole, cut and damaged. */
#include "record/record.h"
#include "record/merge/runs.h"
#include "runtime/pack.h"
#include "tests/support/raw_maker.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"
#include "trace/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The merged order: every read sees what is there. */

struct memory {
	uint8_t *bytes; /* of the addresses from 0x500000 on, below 0x500000 + size */
	size_t size;
};

static void replay_part(struct memory *memory, const uint64_t *w)
{
	uint64_t offset = raw_address(w) - 0x500000;
	uint32_t n = raw_size(w);
	uint8_t kind = LOG_KIND_OF(*w);

	if (offset > memory->size)
		return; /* heap and stack: the trace tells */
	if (kind != LOG_WRITE)
		ASSERT(!memcmp(memory->bytes + offset, w + 2, n));
	if (kind == LOG_WRITE)
		memcpy(memory->bytes + offset, w + 2, n);
	if (kind == LOG_RMW)
		memcpy(memory->bytes + offset, w + 3, n);
}

/* Returns how many records there were. */
static uint64_t replay(struct raw_log *log, size_t words, uint64_t *left, size_t *pending)
{
	struct memory memory = {mem_alloc_zero(words + 8, 8), words * 8};
	struct merge *m = merge_new(log);
	struct merged r;
	uint64_t n = 0;
	bool part = false;

	while (merge_next(m, &r)) {
		uint8_t kind = LOG_KIND_OF(*r.w);

		if (kind >= LOG_READ && kind <= LOG_RMW) {
			replay_part(&memory, r.w);
			if (r.second)
				replay_part(&memory, r.second);
		}
		n += kind != LOG_TIME && kind != LOG_DEPEND && kind != LOG_DEPENDS &&
		     kind != LOG_VALUE && kind != LOG_FIXED && kind != LOG_REJOIN &&
		     kind != LOG_EITHER && kind != LOG_SPIN && kind != LOG_ENTER &&
		     kind != LOG_LEAVE && !part;
		part = kind >= LOG_READ && kind <= LOG_WRITE && raw_goes_on(r.w) && !r.second;
	}
	*left = merge_left(m);
	*pending = merge_most_pending(m);
	merge_free(m);
	mem_free(memory.bytes);
	return n;
}

static struct raw_knobs knobs_of(uint64_t seed)
{
	struct random r = random_seeded(seed);

	return (struct raw_knobs){.seed = seed,
				  .threads = 1 + random_below(&r, RAW_THREADS),
				  .steps = 20 + random_below(&r, seed % 10 ? 3000 : 60000),
				  .words = 1 + random_below(&r, seed % 3 ? 8 : 300),
				  .slow = seed % 4 == 0};
}

TAP_CASE(the_order_is_the_real_one)
{
	for (uint64_t seed = 1; seed <= TAP_PART(300); seed++) {
		struct raw_knobs knobs = knobs_of(seed);
		struct raw_run *run = raw_run_make(&knobs);
		struct raw_log log;
		uint64_t left;
		size_t pending;

		tap_at("seed %llu", (unsigned long long)seed);
		raw_run_lend(run, &log);
		ASSERT_EQ(replay(&log, knobs.words, &left, &pending), run->records);
		ASSERT_EQ(left, 0);
		raw_release(&log);
		raw_run_free(run);
	}
}

/* The order once more */

struct order {
	VEC(struct merged) at; /* pointers stay: the logs are lent */
	uint64_t left;
	uint32_t damaged;
};

static void take_order(struct merge *m, struct order *order)
{
	struct merged r;

	memset(order, 0, sizeof(*order));
	while (merge_next(m, &r))
		vec_push(&order->at, r);
}

static void assert_same_order(const struct order *x, const struct order *y)
{
	ASSERT_EQ(x->at.n, y->at.n);
	for (size_t i = 0; i < x->at.n; i++) {
		const struct merged *a = &x->at.at[i], *b = &y->at.at[i];

		ASSERT_EQ(a->thread, b->thread);
		ASSERT_EQ(a->position, b->position);
		ASSERT_EQ(a->words, b->words);
		ASSERT(a->w == b->w && a->second == b->second);
	}
	ASSERT_EQ(x->left, y->left);
	ASSERT_EQ(x->damaged, y->damaged);
}

static void damage(struct raw_run *run, uint64_t seed)
{
	struct random r = random_seeded(seed);

	if (seed % 4 == 1)
		raw_run_cut(run, random_below(&r, run->threads), &r);
	for (uint32_t i = 0; i < seed % 4; i++) {
		struct raw_file *f = &run->files[random_below(&r, run->threads)];

		if (f->words.n)
			f->words.at[random_next(&r) % f->words.n] ^= (uint64_t)1
								     << random_below(&r, 64);
	}
}

/* What merge_again shows is what another merge finds, whatever the log is. */
TAP_CASE(the_order_comes_again)
{
	for (uint64_t seed = 1; seed <= TAP_PART(300); seed++) {
		struct raw_knobs knobs = knobs_of(seed);

		knobs.unseen = seed % 5 < 2;
		struct raw_run *run = raw_run_make(&knobs);
		struct order found, again, anew;
		struct raw_log log;

		tap_at("seed %llu", (unsigned long long)seed);
		damage(run, seed);
		raw_run_lend(run, &log);
		struct merge *m = merge_new(&log), *other = merge_new(&log);

		take_order(m, &found);
		take_order(other, &anew);
		anew.left = merge_left(other);
		anew.damaged = merge_damaged(other);
		for (int i = 0; i < 2; i++) {
			m = merge_again(m);
			take_order(m, &again);
			if (i) {
				again.left = merge_left(m);
				again.damaged = merge_damaged(m);
				assert_same_order(&again, &anew);
			} else {
				assert_same_order(&again, &found);
			}
			vec_release(&again.at);
		}
		vec_release(&found.at);
		vec_release(&anew.at);
		merge_free(m);
		merge_free(other);
		raw_release(&log);
		raw_run_free(run);
	}
}

/* Of an order, the records that merge_skip_depends never leaves out. */
static void keep_others(struct order *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->at.n; i++) {
		uint8_t kind = LOG_KIND_OF(*o->at.at[i].w);

		if (kind != LOG_DEPEND && kind != LOG_DEPENDS && kind != LOG_BRANCH &&
		    kind != LOG_VALUE && kind != LOG_FIXED && kind != LOG_REJOIN &&
		    kind != LOG_EITHER && kind != LOG_ENTER && kind != LOG_LEAVE)
			o->at.at[n++] = o->at.at[i];
	}
	o->at.n = n;
}

/* Without what others depend on: the same order, and all of it comes again. */
TAP_CASE(what_is_skipped_changes_nothing)
{
	size_t skipped = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(300); seed++) {
		struct raw_knobs knobs = knobs_of(seed);

		knobs.unseen = seed % 5 < 2;
		struct raw_run *run = raw_run_make(&knobs);
		struct order all, others, again;
		struct raw_log log;

		tap_at("seed %llu", (unsigned long long)seed);
		damage(run, seed);
		raw_run_lend(run, &log);
		struct merge *m = merge_new(&log), *other = merge_new(&log);

		take_order(other, &all);
		for (int i = 0; i < 2; i++) {
			merge_skip_depends(m);
			take_order(m, &others);
			skipped += all.at.n - others.at.n;
			m = merge_again(m);
			if (i) {
				take_order(m, &again);
				assert_same_order(&again, &all);
				keep_others(&again);
				keep_others(&others);
				assert_same_order(&others, &again);
				vec_release(&again.at);
			}
			vec_release(&others.at);
		}
		vec_release(&all.at);
		merge_free(m);
		merge_free(other);
		raw_release(&log);
		raw_run_free(run);
	}
	ASSERT(skipped > 0);
}

static void write_file(const char *directory, const char *name, const void *data, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *f = fopen(path, "wb");

	ASSERT(f);
	if (size) /* a thread may have logged nothing */
		ASSERT_EQ(fwrite(data, 1, size, f), size);
	ASSERT_EQ(fclose(f), 0);
}

/* As the runtime writes them: packed, or as they are. */
static void write_blocks(const char *directory, const char *name, const uint64_t *w, size_t blocks)
{
	VEC(char) file = {0};
	struct pack pack;
	struct {
		struct log_packed head;
		uint8_t bytes[LOG_BLOCK + 2 * LOG_PADDING];
	} packed;

	for (size_t i = 0; i < blocks; i++, w += RAW_BLOCK_WORDS) {
		size_t size = LOG_BLOCK, words = RAW_BLOCK_WORDS - RAW_HEAD_WORDS;
		const void *at = w;

		while (words && !w[RAW_HEAD_WORDS + words - 1])
			words--;
		if (i % 3 < 2) {
			packed.head = (struct log_packed){.words = (uint32_t)words};
			memcpy(&packed.head.head, w, sizeof(packed.head.head));
			packed.head.head.magic = LOG_PACKED;
			packed.head.bytes = pack_words(&pack, w + RAW_HEAD_WORDS, (uint32_t)words,
						       packed.bytes, sizeof(packed.bytes));
			if (!packed.head.bytes || packed.head.bytes >= 8 * words) {
				packed.head.bytes = 8 * (uint32_t)words;
				memcpy(packed.bytes, w + RAW_HEAD_WORDS, 8 * words);
			}
			size = log_packed_size(packed.head.bytes);
			at = &packed;
		}
		vec_extend(&file, file.n + size);
		memcpy(file.at + file.n - size, at, size);
	}
	write_file(directory, name, file.at, file.n);
	vec_release(&file);
}

static void write_run(const struct raw_run *run, const struct raw_log *lent, const char *directory)
{
	char name[32];

	write_file(directory, "run", &lent->run, sizeof(lent->run));
	for (uint32_t t = 0; t < run->threads; t++) {
		snprintf(name, sizeof(name), "thread.%u", t);
		write_blocks(directory, name, run->files[t].words.at,
			     run->files[t].words.n / RAW_BLOCK_WORDS);
	}
}

/* Files are given back when their threads are over, and are there again for the next pass. */
TAP_CASE(files_are_gone_through_again)
{
	for (uint64_t seed = 1; seed <= TAP_PART(20); seed++) {
		struct raw_knobs knobs = knobs_of(seed);
		struct raw_run *run = raw_run_make(&knobs);
		char directory[] = "/tmp/norn-test-merge.XXXXXX", command[64];
		struct raw_log lent, log;
		struct err err = {0};
		struct order found;
		struct merged r;

		tap_at("seed %llu", (unsigned long long)seed);
		raw_run_lend(run, &lent);
		ASSERT(mkdtemp(directory));
		write_run(run, &lent, directory);
		ASSERT_EQ(raw_open(&log, directory, &err), 0);
		struct merge *other = merge_new(&lent), *m = merge_new(&log);

		take_order(other, &found);
		for (int pass = 0; pass < 3; pass++) {
			size_t n = 0;

			for (; merge_next(m, &r); n++) {
				const struct merged *want = &found.at.at[n];

				ASSERT(n < found.at.n);
				ASSERT_EQ(r.thread, want->thread);
				ASSERT_EQ(r.position, want->position);
				ASSERT(!memcmp(r.w, want->w, r.words * 8));
			}
			ASSERT_EQ(n, found.at.n);
			for (size_t t = 0; t < log.threads.n; t++)
				ASSERT(!log.threads.at[t].file);
			if (pass < 2)
				m = merge_again(m);
		}
		ASSERT_EQ(merge_left(m), 0);
		ASSERT_EQ(merge_damaged(m), 0);
		vec_release(&found.at);
		merge_free(m);
		merge_free(other);
		raw_release(&log);
		raw_release(&lent);
		raw_run_free(run);
		snprintf(command, sizeof(command), "rm -r %s", directory);
		ASSERT_EQ(system(command), 0);
	}
}

TAP_CASE(a_long_order_is_given_up)
{
	struct runs runs = {0};
	uint32_t lane;

	for (uint32_t i = 0; i < 3 * RUNS_MOST; i++)
		runs_note(&runs, i / 3 % 7, 1);
	ASSERT(!runs.lost);
	for (uint32_t i = 0; i < 3 * RUNS_MOST; i++) {
		ASSERT(runs_next(&runs, &lane));
		ASSERT_EQ(lane, i / 3 % 7);
	}
	ASSERT(!runs_next(&runs, &lane));
	runs_note(&runs, 7, 2);
	ASSERT(runs.lost);
	ASSERT_EQ(runs.at.n, 0);
	runs_release(&runs);
}

/* The trace */

struct made {
	struct bytes bytes;
	struct record_result result;
};

static void check_made(struct made *made)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(made->bytes.at, made->bytes.n, "made", NULL, &err);
	uint64_t events;

	if (!r)
		FAIL("%s", err.message);
	if (check_reader(r, &events, &err) < 0)
		FAIL("%s", err.message);
	ASSERT_EQ(events, made->result.counts.events);
	reader_close(r);
}

static void make_trace(struct raw_run *run, bool keep_all, struct made *made)
{
	struct raw_log log;
	struct record_options options = {.keep_all = keep_all};
	struct record_input in = {.log = &log, .modules = ""};
	struct err err = {0};

	memset(made, 0, sizeof(*made));
	raw_run_lend(run, &log);
	struct memory_output to;
	struct output *out = memory_output_open(&to);

	if (record_merge(&in, &options, NULL, out, &made->result, &err) < 0)
		FAIL("%s", err.message);
	made->bytes = memory_output_take(&to);
	raw_release(&log);
	check_made(made);
}

TAP_CASE(traces_are_consistent)
{
	uint64_t all = 0, kept = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(200); seed++) {
		struct raw_knobs knobs = knobs_of(seed);
		struct raw_run *run = raw_run_make(&knobs);
		struct made made;

		tap_at("seed %llu", (unsigned long long)seed);
		make_trace(run, true, &made);
		ASSERT_EQ(made.result.counts.misfits, 0);
		ASSERT_EQ(made.result.counts.records, run->records);
		all += made.result.counts.events;
		bytes_release(&made.bytes);
		make_trace(run, false, &made);
		ASSERT_EQ(made.result.left, 0);
		ASSERT_EQ(made.result.stops.n, 0);
		kept += made.result.counts.events;
		bytes_release(&made.bytes);
		raw_run_free(run);
	}
	printf("# %llu events, %llu of them shared\n", (unsigned long long)all,
	       (unsigned long long)kept);
}

TAP_CASE(cut_logs)
{
	uint64_t left = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(200); seed++) {
		struct raw_knobs knobs = knobs_of(seed);

		knobs.unseen = seed % 5 < 2;
		struct raw_run *run = raw_run_make(&knobs);
		struct random r = random_seeded(seed);
		struct made made;

		tap_at("seed %llu", (unsigned long long)seed);
		for (uint32_t i = 0; i <= seed % 3; i++)
			raw_run_cut(run, random_below(&r, run->threads), &r);
		make_trace(run, seed % 2, &made);
		left += made.result.left;
		ASSERT_EQ(made.result.stops.n, made.result.left > 0);
		bytes_release(&made.bytes);
		raw_run_free(run);
	}
	printf("# %llu records left out\n", (unsigned long long)left);
}

TAP_CASE(damaged_logs)
{
	uint64_t left = 0, damaged = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(300); seed++) {
		struct raw_knobs knobs = knobs_of(seed);

		knobs.unseen = seed % 5 < 2;
		struct raw_run *run = raw_run_make(&knobs);
		struct random r = random_seeded(seed);
		struct made made;

		tap_at("seed %llu", (unsigned long long)seed);
		for (uint32_t i = 0; i <= seed % 7; i++) {
			struct raw_file *f = &run->files[random_below(&r, run->threads)];
			uint64_t at = f->words.n ? random_next(&r) % f->words.n : 0;

			if (f->words.n)
				f->words.at[at] ^= (uint64_t)1 << random_below(&r, 64);
		}
		make_trace(run, seed % 2, &made);
		left += made.result.left;
		damaged += made.result.damaged;
		ASSERT_EQ(made.result.stops.n, made.result.left || made.result.damaged);
		bytes_release(&made.bytes);
		raw_run_free(run);
	}
	printf("# %llu records left out, %llu threads damaged\n", (unsigned long long)left,
	       (unsigned long long)damaged);
}

/* Code without hooks */

struct told {
	uint64_t writes[RAW_THREADS];
	uint64_t seen_later;
};

/* Of a variable: who may have changed it, and when he had done how much; first, since its last
 * access, and last. */
struct changes {
	bool fresh[RAW_THREADS], by[RAW_THREADS];
	uint64_t first[RAW_THREADS], last[RAW_THREADS];
};

static const struct raw_unseen *unseen_of(const struct raw_run *run, int64_t value)
{
	for (size_t i = 0; i < run->unseen.n; i++)
		if (run->unseen.at[i].value == (uint64_t)value)
			return &run->unseen.at[i];
	return NULL;
}

static void note_change(struct changes *c, const struct told *told, uint32_t thread)
{
	if (!c->fresh[thread])
		c->first[thread] = told->writes[thread];
	c->by[thread] = c->fresh[thread] = true;
	c->last[thread] = told->writes[thread];
}

/* Who reads what was written unseen comes after who wrote it, and nobody else can come between. */
static void judge_read(const struct changes *c, const struct raw_unseen *u, bool accessed,
		       bool at_once)
{
	if (!u || u->alone)
		return;
	ASSERT(c->by[u->thread]);
	ASSERT(!accessed || !at_once || (c->fresh[u->thread] && c->first[u->thread] <= u->writes));
	ASSERT(c->last[u->thread] >= u->writes);
}

/* All events, one by one. Values that stay are judged when they are read first. */
static void judge_unseen(const struct raw_run *run, const struct made *made, bool all, bool at_once,
			 struct told *told)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(made->bytes.at, made->bytes.n, "made", NULL, &err);
	VEC(struct changes) changes = {0};
	VEC(int64_t) values = {0};
	VEC(bool) accessed = {0};
	struct batch batch;

	while (reader_next(r, &batch, &err) > 0)
		for (size_t i = 0; i < batch.n; i++) {
			const struct event *e = &batch.at[i];

			for (uint32_t k = 0; event_is(e, EV_ACCESS) && k < event_part_count(e);
			     k++) {
				struct part part = event_part(e, k);
				uint32_t x = part.variable;
				const struct raw_unseen *u = unseen_of(run, part.value);

				vec_extend(&changes, (size_t)x + 1);
				vec_extend(&values, (size_t)x + 1);
				vec_extend(&accessed, (size_t)x + 1);
				if (e->kind == EV_EXTERNAL) {
					note_change(&changes.at[x], told, e->thread);
					continue;
				}
				told->writes[e->thread] += e->kind == EV_WRITE;
				if (e->kind == EV_READ && u) {
					told->seen_later += u->thread != e->thread && !u->alone;
					if (all && (!accessed.at[x] || values.at[x] != part.value))
						judge_read(&changes.at[x], u, accessed.at[x],
							   at_once);
				}
				if (e->kind == EV_READ || e->kind == EV_WRITE) {
					values.at[x] = part.value;
					accessed.at[x] = true;
					memset(changes.at[x].fresh, 0, sizeof(changes.at[x].fresh));
				}
			}
		}
	reader_close(r);
	vec_release(&changes);
	vec_release(&values);
	vec_release(&accessed);
}

TAP_CASE(what_is_written_unseen_is_put_where_it_was_written)
{
	uint64_t seen = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(600); seed++) {
		struct raw_knobs knobs = knobs_of(seed);

		knobs.unseen = true;
		knobs.at_once = seed % 2;
		knobs.steps = knobs.steps < 4000 ? knobs.steps : 4000;
		struct raw_run *run = raw_run_make(&knobs);

		tap_at("seed %llu", (unsigned long long)seed);
		for (int all = 0; all < 2; all++) {
			struct told told = {0};
			struct made made;

			make_trace(run, all, &made);
			ASSERT_EQ(made.result.left, 0);
			judge_unseen(run, &made, all, knobs.at_once, &told);
			ASSERT_EQ(told.seen_later, run->seen_later);
			bytes_release(&made.bytes);
		}
		seen += run->seen_later;
		raw_run_free(run);
	}
	printf("# %llu reads of what another thread wrote unseen\n", (unsigned long long)seen);
	ASSERT(seen);
}

/* Logs by hand */

static void begin_log(struct raw_run *run, uint32_t thread)
{
	struct log_block head = {.magic = LOG_MAGIC, .thread = thread, .time = 1};
	struct raw_file *f = &run->files[thread];

	vec_extend(&f->words, RAW_BLOCK_WORDS);
	memcpy(f->words.at, &head, sizeof(head));
	f->words.n = RAW_HEAD_WORDS;
	run->threads++;
}

static void log_words(struct raw_run *run, uint32_t thread, uint64_t first, uint64_t w1,
		      uint64_t w2)
{
	struct raw_file *f = &run->files[thread];

	f->words.at[f->words.n++] = first;
	f->words.at[f->words.n++] = w1;
	f->words.at[f->words.n++] = w2;
}

/* The first thread writes a variable twice, the second reads it; how many events are about it? */
static uint64_t events_of_variable(bool forked, bool late, bool changed)
{
	struct raw_run *run = mem_alloc_zero(1, sizeof(*run));
	uint64_t x = LOG_ACCESS(0x500000, 8, 0);
	struct made made;

	begin_log(run, 0);
	begin_log(run, 1);
	log_words(run, 0, LOG_WORD(LOG_WRITE, 0, 0), x, 7);
	if (forked && late)
		log_words(run, 0, LOG_WORD(LOG_FORK, 0, 0), 1, 0);
	log_words(run, 0, LOG_WORD(LOG_WRITE, 0, 2), x, 7);
	if (forked && !late)
		log_words(run, 0, LOG_WORD(LOG_FORK, 0, 0), 1, 0);
	log_words(run, 1, LOG_WORD(LOG_READ, 0, 4), x, changed ? 8 : 7);
	for (uint32_t t = 0; t < 2; t++)
		run->files[t].words.n = RAW_BLOCK_WORDS;
	make_trace(run, false, &made);
	ASSERT_EQ(made.result.left, 0);
	uint64_t events = made.result.counts.events - forked;

	bytes_release(&made.bytes);
	raw_run_free(run);
	return events;
}

TAP_CASE(what_is_written_before_there_are_threads_is_constant)
{
	ASSERT_EQ(events_of_variable(true, false, false), 0);
	/* written when there are threads */
	ASSERT_EQ(events_of_variable(true, true, false), 3);
	/* somebody unknown wrote it: one more event, external */
	ASSERT_EQ(events_of_variable(true, false, true), 4);
	/* nobody forked the thread that reads it: it may have been there from the start */
	ASSERT_EQ(events_of_variable(false, false, false), 3);
}

TAP_CASE(memory_is_bounded)
{
	struct raw_knobs small = {.seed = 7, .threads = 4, .steps = 100000, .words = 64};
	struct raw_knobs large = small;
	size_t pending[2];
	uint64_t left;

	large.steps = 1000000;
	for (int i = 0; i < 2; i++) {
		struct raw_run *run = raw_run_make(i ? &large : &small);
		struct raw_log log;

		raw_run_lend(run, &log);
		replay(&log, small.words, &left, &pending[i]);
		ASSERT_EQ(left, 0);
		raw_release(&log);
		raw_run_free(run);
	}
	printf("# at most %zu and %zu reads in mind\n", pending[0], pending[1]);
	ASSERT(pending[1] < 2 * pending[0]);
}
