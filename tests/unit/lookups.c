/* SPDX-License-Identifier: MIT */
/*
 * Look-ups: the merge of a thread that reads an index, and then a table of this very program by it,
 * as told, or in other memory. For every other index, the branches of the trace have to let the
 * thread pass exactly if it would have read the same.
 */
#include "record/record.h"
#include "tests/support/random.h"
#include "tests/support/raw_maker.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"
#include "trace/check.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHARED 0x500000u
#define ENTRIES 24
#define BEYOND 40 /* indices that are tried */

static const uint32_t words[ENTRIES] = {1, 1, 2, 3, 5, 1, 3, 21, 3, 5, 1, 1, 2, 9, 9, 9, 1};
static const uint8_t bytes[ENTRIES] = {7, 7, 0, 7, 1, 0, 0, 3};
static const char *const names[ENTRIES] = {"one",   "two",   "three", "four", "five",  "six",
					   "seven", "eight", "nine",  "ten",  "other", "oh",
					   "other", "o",     "n",     "f",    "f",     "five",
					   "",	    "t",     "e",     "e",    "n",     "s"};
static uint32_t variable[ENTRIES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

enum kind {
	GIVEN,	    /* by a pointer that depends on nothing, and is not told */
	GIVEN_TOLD, /* that is */
	NAMED,	    /* the program says which table; no record of the read */
	POINTERS,   /* what a table points to */
	WRITABLE,   /* nobody writes there, but somebody could */
	KINDS
};

struct look {
	enum kind kind;
	uint64_t index;
	const void *table;
	unsigned scale, size;
	uint64_t value;
};

struct logged {
	struct raw_run *run;
	uint32_t versions[LOG_SHARDS];
	struct site sites[8];
	uint32_t site_count;
	VEC(char) text;
};

static uint64_t read_at(const void *p, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, p, size);
	return value;
}

static const void *place_of(const struct look *l, uint64_t index)
{
	return l->kind == POINTERS ? names[index] : (const char *)l->table + index * l->scale;
}

static struct look random_look(struct random *r)
{
	struct look l = {.kind = random_below(r, KINDS), .index = random_below(r, ENTRIES)};
	bool small = random_percent(r, 50);

	l.table = l.kind == WRITABLE ? variable : small ? (const void *)bytes : words;
	l.scale = l.size = l.kind != WRITABLE && small ? 1 : 4;
	if (l.kind == POINTERS)
		l.size = 1;
	l.value = read_at(place_of(&l, l.index), l.size);
	return l;
}

/* Logs */

static void put_words(struct logged *g, uint32_t thread, const uint64_t *w, unsigned n)
{
	struct raw_file *f = &g->run->files[thread];

	memcpy(f->words.at + f->words.n, w, n * sizeof(*w));
	f->words.n += n;
}

static void begin(struct logged *g, uint32_t thread)
{
	struct log_block head = {.magic = LOG_MAGIC, .thread = thread, .time = 1};
	struct raw_file *f = &g->run->files[thread];

	vec_extend(&f->words, RAW_BLOCK_WORDS);
	memcpy(f->words.at, &head, sizeof(head));
	f->words.n = RAW_HEAD_WORDS;
}

static uint64_t put_access(struct logged *g, uint32_t thread, uint8_t kind, uint32_t site,
			   uint64_t address, unsigned size, uint64_t value)
{
	uint32_t *version = &g->versions[log_shard(address)];
	uint64_t position = g->run->files[thread].words.n;

	put_words(g, thread,
		  (uint64_t[]){LOG_WORD(kind, site, *version), LOG_ACCESS(address, size, 0), value},
		  3);
	*version += kind == LOG_READ ? 0 : 2;
	return position;
}

static void put_depend(struct logged *g, unsigned which, uint64_t position)
{
	uint64_t distance = g->run->files[1].words.n - position;

	put_words(g, 1, (uint64_t[]){LOG_WORD(LOG_DEPEND, which, distance)}, 1);
}

static uint32_t put_text(struct logged *g, const char *text)
{
	uint32_t at = (uint32_t)g->text.n;

	do
		vec_push(&g->text, *text);
	while (*text++);
	return at;
}

static uint32_t add_site(struct logged *g, struct site site, const char *expression)
{
	site.expression = expression ? put_text(g, expression) : 0;
	g->sites[g->site_count++] = site;
	return g->site_count; /* the first one is 1 */
}

static uint64_t log_named(struct logged *g, const struct look *l, uint64_t index)
{
	struct site site = {.kind = SITE_VALUE, .flags = SITE_EXACT, .values = 1};
	char text[80];
	uint64_t position = g->run->files[1].words.n;

	snprintf(text, sizeof(text), "(load%u (+ @0 (* %%0 %u) 0))", l->size, l->scale);
	put_words(g, 1,
		  (uint64_t[]){LOG_WORD(LOG_VALUE, add_site(g, site, text), position - index)}, 1);
	return position;
}

static uint64_t log_read(struct logged *g, const struct look *l, uint64_t index)
{
	struct site site = {.kind = SITE_READ, .size = (uint8_t)l->size, .addresses = 2};
	char text[80];
	uint64_t fixed = g->run->files[1].words.n;

	if (l->kind == GIVEN_TOLD)
		put_words(g, 1,
			  (uint64_t[]){LOG_WORD(LOG_FIXED, 0, 0), (uint64_t)(uintptr_t)l->table},
			  2);
	if (l->kind == POINTERS)
		snprintf(text, sizeof(text), "(load8 (+ @1 (* %%0 8) 0))");
	else
		snprintf(text, sizeof(text), "(+ %%1 (* %%0 %u) 0)", l->scale);
	put_depend(g, 0, index);
	if (l->kind == GIVEN_TOLD)
		put_depend(g, 1, fixed);
	return put_access(g, 1, LOG_READ, add_site(g, site, text),
			  (uint64_t)(uintptr_t)place_of(l, l->index), l->size, l->value);
}

static void log_look(struct logged *g, const struct look *l)
{
	struct site branch = {.kind = SITE_BRANCH, .flags = SITE_EXACT, .values = 1};
	char text[60];

	memset(g, 0, sizeof(*g));
	g->run = mem_alloc_zero(1, sizeof(*g->run));
	g->run->threads = 2;
	put_text(g, "");
	begin(g, 0);
	begin(g, 1);
	put_words(g, 0, (uint64_t[]){LOG_WORD(LOG_FORK, 0, 0), 1, 0}, 3);
	uint64_t index = put_access(g, 1, LOG_READ, 0, SHARED, 8, l->index);
	uint64_t read = l->kind == NAMED ? log_named(g, l, index) : log_read(g, l, index);
	uint64_t distance = g->run->files[1].words.n - read;

	snprintf(text, sizeof(text), "(= %%0 %llu)", (unsigned long long)l->value);
	put_words(g, 1, (uint64_t[]){LOG_WORD(LOG_BRANCH, add_site(g, branch, text), distance)}, 1);
	put_access(g, 0, LOG_WRITE, 0, SHARED, 8, 0);
	for (uint32_t t = 0; t < 2; t++)
		g->run->files[t].words.n = RAW_BLOCK_WORDS;
}

static char *make_sites(const struct logged *g, const struct look *l, size_t *size)
{
	struct site_address addresses[] = {{(uintptr_t)l->table, ENTRIES * l->scale},
					   {(uintptr_t)names, sizeof(names)}};
	struct site_table head = {.magic = SITE_MAGIC,
				  .version = SITE_VERSION,
				  .sites = g->site_count,
				  .text = (uint32_t)g->text.n,
				  .addresses = 2};
	size_t sites = g->site_count * sizeof(struct site);
	size_t at = (sizeof(head) + sites + g->text.n + 7) & ~(size_t)7;
	struct log_table table = {LOG_MAGIC, 1, at + sizeof(addresses)};
	char *data = mem_alloc_zero(1, sizeof(table) + table.length), *to = data + sizeof(table);

	memcpy(data, &table, sizeof(table));
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), g->sites, sites);
	memcpy(to + sizeof(head) + sites, g->text.at, g->text.n);
	memcpy(to + at, addresses, sizeof(addresses));
	*size = sizeof(table) + table.length;
	return data;
}

/* This program, as the runtime tells of it. */
struct self {
	char line[4200];
	VEC(char) image;
};

/*
 * Memory of this program, variable after variable, with what AddressSanitizer puts between them: a
 * loop over volatile bytes, which stays one, because memcpy would be checked.
 */
__attribute__((no_sanitize_address)) static void copy_memory(char *to, const volatile char *from,
							     size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

static void put_image(struct self *s, const void *from, size_t n)
{
	size_t at = s->image.n;

	vec_extend(&s->image, at + ((n + 7) & ~(size_t)7));
	copy_memory(s->image.at + at, from, n);
}

static int find_self(struct dl_phdr_info *info, size_t size, void *context)
{
	struct self *s = context;
	int n = snprintf(s->line, sizeof(s->line), "%016llx ", (unsigned long long)info->dlpi_addr);
	ssize_t length = readlink("/proc/self/exe", s->line + n, sizeof(s->line) - (size_t)n - 2);

	(void)size;
	if (length > 0)
		s->line[n + length] = '\n';
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct log_image head = {info->dlpi_addr + p->p_vaddr, p->p_memsz};

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		put_image(s, &head, sizeof(head));
		put_image(s, (const void *)(uintptr_t)head.address, head.size);
	}
	return 1;
}

static struct bytes merge_look(const struct look *l, const struct self *s)
{
	struct logged g;
	struct raw_log log;
	struct record_options options = {0};
	struct record_result result;
	struct err err = {0};
	struct memory_output to;
	struct output *out = memory_output_open(&to);

	log_look(&g, l);
	struct record_input in = {.log = &log,
				  .modules = (char *)s->line,
				  .image = {.at = s->image.at, .size = s->image.n}};

	in.sites = make_sites(&g, l, &in.sites_size);
	raw_run_lend(g.run, &log);
	if (record_merge(&in, &options, NULL, out, &result, &err) < 0)
		FAIL("%s", err.message);
	ASSERT_EQ(result.counts.wrong_expressions, 0);
	ASSERT_EQ(result.bad_templates, 0);
	raw_release(&log);
	vec_release(&g.text);
	raw_run_free(g.run);
	return memory_output_take(&to);
}

/* Traces */

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	(void)read; /* there is only one */
	*value = (int64_t) * (const uint64_t *)context;
	return true;
}

/* Does the thread get to its end with this index? */
static bool passes(const struct batch *batch, const struct look *l, uint64_t index)
{
	for (size_t i = 0; i < batch->n; i++) {
		const struct event *e = &batch->at[i];
		int64_t value;

		if (e->kind != EV_BRANCH || e->thread != 1)
			continue;
		if (e->more && e->more->expr) {
			if (!expr_value(e->more->expr, look_up, &index, &value) || !value)
				return false;
		} else if (!e->more || !e->more->reads_given || e->more->read_count) {
			if (index != l->index)
				return false;
		}
	}
	return true;
}

static void check_declared(const struct constants *c)
{
	for (size_t i = 0; i < c->ranges.n; i++) {
		char *there = mem_alloc(c->ranges.at[i].size);

		copy_memory(there, (const char *)(uintptr_t)c->ranges.at[i].address,
			    c->ranges.at[i].size);
		ASSERT_EQ(memcmp(there, c->ranges.at[i].bytes, c->ranges.at[i].size), 0);
		mem_free(there);
	}
}

static void check_look(const struct look *l, const struct self *s)
{
	struct bytes trace = merge_look(l, s);
	struct err err = {0};
	struct batch batch;
	struct reader *reader = reader_open_memory(trace.at, trace.n, "made", NULL, &err);

	if (!reader)
		FAIL("%s", err.message);
	ASSERT_EQ(reader_next(reader, &batch, &err), 1);
	check_declared(&reader_symbols(reader)->constants);
	for (uint64_t index = 0; index < BEYOND; index++) {
		bool same = index < ENTRIES && read_at(place_of(l, index), l->size) == l->value;

		if (l->kind == WRITABLE)
			same = index == l->index;
		if (passes(&batch, l, index) != same)
			FAIL("kind %d, index %llu for %llu", l->kind, (unsigned long long)index,
			     (unsigned long long)l->index);
	}
	reader_close(reader);
	bytes_release(&trace);
}

TAP_CASE(other_indices_read_what_is_in_the_table)
{
	struct self s = {0};

	dl_iterate_phdr(find_self, &s);
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct random r = random_seeded(seed);
		struct look l = random_look(&r);

		check_look(&l, &s);
	}
	vec_release(&s.image);
}
