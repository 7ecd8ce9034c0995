/* SPDX-License-Identifier: MIT */
#include "tests/support/value_log.h"

#include "record/record.h"

#define TAP_WITHOUT_MAIN
#include "tests/support/tap.h"

#include <string.h>

static void begin_block(struct raw_run *run, uint32_t thread, uint64_t number)
{
	struct log_block head = {.magic = LOG_MAGIC, .thread = thread, .number = number, .time = 1};
	struct raw_file *f = &run->files[thread];

	vec_extend(&f->words, (number + 1) * RAW_BLOCK_WORDS);
	memcpy(f->words.at + number * RAW_BLOCK_WORDS, &head, sizeof(head));
	f->words.n = number * RAW_BLOCK_WORDS + RAW_HEAD_WORDS;
}

void value_log_room(struct raw_run *run, uint32_t thread, unsigned n)
{
	struct raw_file *f = &run->files[thread];
	uint64_t number = f->words.n / RAW_BLOCK_WORDS;

	if (f->words.n + n >= (number + 1) * RAW_BLOCK_WORDS)
		begin_block(run, thread, number + 1);
}

void value_log_words(struct value_log *l, uint32_t thread, const uint64_t *words, unsigned n)
{
	struct raw_file *f = &l->run->files[thread];

	value_log_room(l->run, thread, n);
	memcpy(f->words.at + f->words.n, words, n * sizeof(*words));
	f->words.n += n;
}

uint32_t value_log_text(struct value_log *l, const char *text)
{
	uint32_t at = (uint32_t)l->text.n;

	do
		vec_push(&l->text, *text);
	while (*text++);
	return at;
}

void value_log_depend(struct value_log *l, unsigned which, uint64_t position)
{
	uint64_t word = LOG_WORD(LOG_DEPEND, which, l->run->files[1].words.n - position);

	value_log_words(l, 1, &word, 1);
}

/* At these positions, 0: none; each has a word, or all have one. */
static void put_depends(struct value_log *l, const uint64_t *positions, bool together)
{
	uint64_t here = l->run->files[1].words.n, d[3];

	for (unsigned i = 0; i < 3; i++)
		d[i] = positions[i] ? here - positions[i] : 0;
	uint64_t word = LOG_NEAR_WORD(d[0], d[1], d[2]);

	for (unsigned i = 0; i < 3 && !together; i++)
		if (positions[i])
			value_log_depend(l, i, positions[i]);
	if (together && (d[0] | d[1] | d[2]))
		value_log_words(l, 1, &word, 1);
}

void value_log_access(struct value_log *l, uint32_t thread, uint8_t kind, uint32_t site,
		      uint64_t address, unsigned size, const void *bytes)
{
	uint32_t *version = &l->versions[log_shard(address)];
	uint64_t words[2 + LOG_LINE / 8] = {LOG_WORD(kind, site, *version),
					    LOG_ACCESS(address, size, 0)};
	unsigned count = kind == LOG_RMW ? 2 : (size + 7) / 8;

	memcpy(words + 2, bytes, kind == LOG_RMW ? 16 : size);
	value_log_words(l, thread, words, 2 + count);
	*version += kind == LOG_READ ? 0 : 2;
}

/* Its site, which tells its number as a line. */
static uint32_t add_site(struct value_log *l, const struct value_program *p, uint32_t i,
			 const struct value_outcome *o)
{
	static const uint8_t kinds[] = {SITE_READ, SITE_WRITE, SITE_READ,  SITE_WRITE,	SITE_RMW,
					SITE_READ, SITE_VALUE, SITE_VALUE, SITE_BRANCH, SITE_SWITCH,
					SITE_READ, SITE_VALUE, SITE_VALUE};
	const struct value_op *op = &p->at[i];
	struct site site = {.kind = kinds[op->kind],
			    .size = op->size,
			    .line = i + 1,
			    .file = value_log_text(l, "t.c"),
			    .addresses = op->address_from != NO_OP};

	if (value_computes(op) && op->how != HOW_OPAQUE) {
		site.flags = SITE_EXACT;
		site.values = (uint8_t)value_how_inputs[op->how];
	}
	if (value_computes(op) && value_how_text[op->how]) {
		char text[100], cut_text[130];

		snprintf(text, sizeof(text), op->kind == OP_IS_OWN_RMW ? "(+ %%s %s)" : "%s",
			 value_how_text[op->how]);
		snprintf(cut_text, sizeof(cut_text), "(& %s %llu)", text,
			 (unsigned long long)value_cut(UINT64_MAX, op->size));
		site.expression = value_log_text(l, op->size < 8 ? cut_text : text);
	}
	if (op->kind == OP_IS_SWITCH)
		site.ways = value_log_text(l, SWITCH_WAYS);
	if (op->kind == OP_IS_UNSEEN)
		site.flags = SITE_LOOSE;
	if (op->kind == OP_IS_BRANCH)
		site.flags |= o->value[i] ? SITE_ARM : SITE_ARM_ELSE;
	vec_push(&l->sites, site);
	return (uint32_t)l->sites.n;
}

/* Another thread writes what is read next; else the trace has to say that it comes from outside. */
static void write_before(struct value_log *l, const struct value_op *op, uint64_t value)
{
	value_log_access(l, 0, LOG_WRITE, 0, op->address, op->size, &value);
}

static void log_op(struct value_log *l, const struct value_program *p, uint32_t i,
		   const struct value_outcome *o)
{
	const struct value_op *op = &p->at[i];
	uint32_t site = add_site(l, p, i, o);
	unsigned values = value_computes(op) ? value_how_inputs[op->how] : 0;
	bool single = op->kind >= OP_IS_VALUE, is_close = true;
	uint64_t both[2] = {o->value[i], o->wrote[i]}, word[2], on[4] = {0}, near[3] = {0};

	/* with words for dependences before it */
	for (unsigned k = 0; k < values; k++)
		is_close &= l->run->files[1].words.n + 4 - l->position[op->input[k]] <= LOG_CLOSEST;
	for (unsigned k = 0; k < values; k++)
		*(single && k < 1 + i % (is_close ? 3 : 2) ? &near[k] : &on[k]) =
			l->position[op->input[k]];
	if (op->address_from != NO_OP)
		on[values] = l->position[op->address_from];
	if (op->kind == OP_IS_EITHER) {
		on[0] = l->position[op->input[1]];
		on[1] = op->input[2] != NO_OP ? l->position[op->input[2]] : 0;
	}
	put_depends(l, on, i % 3);
	l->position[i] = l->run->files[1].words.n;
	for (unsigned k = 0; k < 3; k++)
		near[k] = near[k] ? l->position[i] - near[k] : 0;
	uint64_t high = near[2]	  ? LOG_TRIPLE_OF(near[0], near[1], near[2])
			: near[1] ? LOG_PAIR | near[0] | near[1] << 16
				  : near[0];

	switch (op->kind) {
	case OP_IS_READ:
		if (i % 5)
			write_before(l, op, o->value[i]);
		/* fall through */
	case OP_IS_OWN_READ:
		value_log_access(l, 1, LOG_READ, site, op->address, op->size, &o->value[i]);
		break;
	case OP_IS_WRITE:
	case OP_IS_OWN_WRITE:
		value_log_access(l, 1, LOG_WRITE, site, op->address, op->size, &o->value[i]);
		break;
	case OP_IS_OWN_RMW:
		value_log_access(l, 1, LOG_RMW, site, op->address, op->size, both);
		break;
	case OP_IS_COPY:
		value_log_access(l, 1, LOG_READ, site, op->from, op->size, o->copied[i]);
		value_log_depend(l, 0, l->position[i]);
		value_log_access(l, 1, LOG_WRITE, 0, op->address, op->size, o->copied[i]);
		break;
	case OP_IS_UNSEEN: /* an access of the runtime's own tells of it */
		value_log_access(l, 1, LOG_READ, site, OWN + 2 * OWN_BYTES, 8, both);
		break;
	case OP_IS_REJOIN:
	case OP_IS_EITHER:
		word[0] = LOG_WORD(op->kind == OP_IS_REJOIN ? LOG_REJOIN : LOG_EITHER, 0,
				   l->position[i] - l->position[op->input[0]]);
		value_log_words(l, 1, word, 1);
		break;
	case OP_IS_FIXED:
		word[0] = LOG_WORD(LOG_FIXED, 0, 0);
		word[1] = op->value;
		value_log_words(l, 1, word, 2);
		break;
	default:
		word[0] = LOG_WORD(op->kind == OP_IS_VALUE ? LOG_VALUE : LOG_BRANCH, site, high);
		value_log_words(l, 1, word, 1);
	}
}

static char *make_sites(const struct value_log *l, size_t *size)
{
	size_t sites = l->sites.n * sizeof(*l->sites.at);
	struct site_table head = {.magic = SITE_MAGIC,
				  .version = SITE_VERSION,
				  .sites = (uint32_t)l->sites.n,
				  .text = (uint32_t)l->text.n};
	size_t length = sizeof(head) + sites + l->text.n;
	struct log_table table = {.magic = LOG_MAGIC, .base = 1, .length = length};
	char *data = mem_alloc_zero(1, sizeof(table) + length + 8);

	memcpy(data, &table, sizeof(table));
	memcpy(data + sizeof(table), &head, sizeof(head));
	memcpy(data + sizeof(table) + sizeof(head), l->sites.at, sites);
	memcpy(data + sizeof(table) + sizeof(head) + sites, l->text.at, l->text.n);
	*size = sizeof(table) + ((length + 7) & ~(size_t)7);
	return data;
}

/* The first thread forks the one with the program, and writes all that it shares in the end. */
void value_log_start(struct value_log *l)
{
	uint64_t fork[3] = {LOG_WORD(LOG_FORK, 0, 0), 1, 0};

	memset(l, 0, sizeof(*l));
	l->run = mem_alloc_zero(1, sizeof(*l->run));
	l->run->threads = 2;
	value_log_text(l, "");
	begin_block(l->run, 0, 0);
	begin_block(l->run, 1, 0);
	value_log_words(l, 0, fork, 3);
}

void value_log_end(struct value_log *l)
{
	uint64_t zero = 0;

	for (unsigned word = 0; word < SHARED_WORDS; word++)
		value_log_access(l, 0, LOG_WRITE, 0, SHARED + 8 * word, value_shared_size(word),
				 &zero);
	for (uint32_t t = 0; t < 2; t++) {
		struct raw_file *f = &l->run->files[t];

		f->words.n = (f->words.n / RAW_BLOCK_WORDS + 1) * RAW_BLOCK_WORDS;
	}
}

void value_log_run(struct value_log *l, const struct value_program *p,
		   const struct value_outcome *o)
{
	value_log_start(l);
	for (uint32_t i = 0; i < p->n; i++)
		log_op(l, p, i, o);
	value_log_end(l);
}

static struct bytes merge_run(struct value_log *l, bool eager, uint64_t *passed)
{
	struct raw_log log;
	struct record_options options = {.eager = eager};
	struct record_input in = {.log = &log, .modules = ""};
	struct record_result result;
	struct err err = {0};
	struct memory_output to;
	struct output *out = memory_output_open(&to);

	in.sites = make_sites(l, &in.sites_size);
	raw_run_lend(l->run, &log);
	if (record_merge(&in, &options, NULL, out, &result, &err) < 0)
		FAIL("%s", err.message);
	ASSERT_EQ(result.counts.wrong_expressions, 0);
	ASSERT_EQ(result.bad_templates, 0);
	ASSERT_EQ(result.left, 0);
	*passed = result.counts.passed;
	raw_release(&log);
	return memory_output_take(&to);
}

struct bytes value_log_merge(struct value_log *l)
{
	uint64_t none;
	struct bytes bytes = merge_run(l, false, &l->passed), eager = merge_run(l, true, &none);

	/* what is passed by is as if somebody had looked */
	ASSERT_EQ(none, 0);
	ASSERT_EQ(bytes.n, eager.n);
	ASSERT(!memcmp(bytes.at, eager.at, bytes.n));
	bytes_release(&eager);
	vec_release(&l->text);
	vec_release(&l->sites);
	raw_run_free(l->run);
	return bytes;
}
