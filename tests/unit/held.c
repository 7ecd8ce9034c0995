/* SPDX-License-Identifier: MIT */
/*
 * What is held back by dependences that a trace does not tell of: on random traces, exactly what
 * the exhaustive engine finds in the text without them and not in the text itself; and of each
 * somebody is to blame.
 */
#include "model/optimistic.h"
#include "model/sites.h"
#include "predict/predict.h"
#include "search/run.h"
#include "tests/support/explored.h"
#include "tests/support/random_trace.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACES TAP_PART(600)

static struct reader *open_text(void *context, struct err *err)
{
	return reader_open_memory(context, strlen(context), "test", "text", err);
}

/* Races of a result, by signature. */
struct signatures {
	const struct index *index;
	struct sites sites;
	VEC(uint64_t) all;
};

static uint64_t signature_of(struct signatures *s, const struct witness *w)
{
	uint64_t a = sites_add(&s->sites, &s->index->events[w->bug_events.at[0]]);
	uint64_t b = sites_add(&s->sites, &s->index->events[w->bug_events.at[1]]);

	return a < b ? a << 32 | b : b << 32 | a;
}

static bool has(struct signatures *s, const struct witness *w)
{
	uint64_t wanted = signature_of(s, w);

	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.at[i] == wanted)
			return true;
	return false;
}

static struct signatures signatures_of(const struct index *index, const struct explore_result *r)
{
	struct signatures s = {.index = index};

	for (size_t i = 0; i < r->bugs[BUG_RACE].n; i++)
		if (!has(&s, &r->bugs[BUG_RACE].at[i].witness))
			vec_push(&s.all, signature_of(&s, &r->bugs[BUG_RACE].at[i].witness));
	return s;
}

static void signatures_release(struct signatures *s)
{
	sites_release(&s->sites);
	vec_release(&s->all);
}

/* The text without what is not known */

/* The end of the word, or of the expression in parentheses, that begins there. */
static const char *end_of_word(const char *c)
{
	int depth = 0;

	for (; *c && (depth || *c != ' '); c++)
		depth += (*c == '(') - (*c == ')');
	return c;
}

static bool is_word(const char *c, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(c, word, n) && (word[n - 1] == '=' || !c[n] || c[n] == ' ');
}

static bool has_word(const char *line, const char *word)
{
	for (const char *c = line; *c; c = end_of_word(c), c += *c == ' ')
		if (is_word(c, word) && (word[0] != '=' || c[1] == ' '))
			return true;
	return false;
}

/* Nothing is said of how its value or its way comes about, or not all. */
static bool is_unknown(const char *line)
{
	const char *op = end_of_word(line) + 1;

	if (is_word(op, "write") || is_word(op, "rmw"))
		return !has_word(op, "=");
	return is_word(op, "branch") && (has_word(op, "opaque") || !has_word(op, "if"));
}

static void put_known(const char *line, FILE *out)
{
	const char *c = line;

	while (*c) {
		const char *end = end_of_word(c);

		if (is_word(c, "if"))
			end = end_of_word(end + 1);
		else if (!is_word(c, "reads=") && !is_word(c, "opaque"))
			fprintf(out, "%.*s ", (int)(end - c), c);
		c = end + (*end == ' ');
	}
	fputs("reads=", out);
}

static char *without_unknown(const char *text)
{
	char *copy = strdup(text), *known = NULL, *rest;
	size_t size;
	FILE *out = open_memstream(&known, &size);

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (is_unknown(line))
			put_known(line, out);
		else
			fputs(line, out);
		fputc('\n', out);
	}
	fclose(out);
	free(copy);
	return known;
}

/* Judging */

struct truth {
	struct index *index, *known; /* of the text, and of that without what is not known */
	struct explore_result strict, loose;
};

static bool names(const struct explore_finding *f, uint64_t event)
{
	for (size_t i = 0; i < f->witness.bug_events.n; i++)
		if (f->witness.bug_events.at[i] == event)
			return true;
	return false;
}

/* Whether one of them is about all these events. */
static bool is_among(const struct explore_finding *all, size_t n, const struct witness *w)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < w->bug_events.n && names(&all[i], w->bug_events.at[k]))
			k++;
		if (k == w->bug_events.n)
			return true;
	}
	return false;
}

static void judge_races(const struct truth *t, const struct prediction *p)
{
	struct signatures strict = signatures_of(t->index, &t->strict);
	struct signatures loose = signatures_of(t->known, &t->loose);

	ASSERT_EQ(p->findings.n, strict.all.n);
	ASSERT_EQ(p->findings.n + p->held.n, loose.all.n);
	for (size_t i = 0; i < p->held.n; i++)
		ASSERT_TRUE(has(&loose, &p->held.at[i].witness) &&
			    !has(&strict, &p->held.at[i].witness));
	signatures_release(&strict);
	signatures_release(&loose);
}

/* Signatures of these are many events: it has to be there if anything is, and be real. */
static void judge_waits(const struct explore_finding *strict, size_t strict_count,
			const struct explore_finding *loose, size_t loose_count,
			const struct prediction *p)
{
	ASSERT_EQ(p->findings.n > 0, strict_count > 0);
	ASSERT_EQ(p->findings.n + p->held.n > 0, loose_count > 0);
	for (size_t i = 0; i < p->held.n; i++) {
		const struct witness *w = &p->held.at[i].witness;

		ASSERT_TRUE(is_among(loose, loose_count, w) && !is_among(strict, strict_count, w));
	}
}

static void judge_verdicts(const struct truth *t, enum bug_kind bug, const struct prediction *p)
{
	const struct explore_result *s = &t->strict, *l = &t->loose;

	if (bug == BUG_RACE)
		judge_races(t, p);
	else if (bug == BUG_DEADLOCK)
		judge_waits(s->bugs[BUG_DEADLOCK].at, s->bugs[BUG_DEADLOCK].n,
			    l->bugs[BUG_DEADLOCK].at, l->bugs[BUG_DEADLOCK].n, p);
	else
		judge_waits(s->bugs[BUG_STUCK].at, s->bugs[BUG_STUCK].n, l->bugs[BUG_STUCK].at,
			    l->bugs[BUG_STUCK].n, p);
}

static void judge_schedules(const struct truth *t, struct prediction *p, enum model model)
{
	struct run *run = run_new(t->known, model);

	for (size_t i = 0; i < p->held.n; i++) {
		finding_open(&p->held.at[i]);
		ASSERT_TRUE(run_accepts(run, &p->held.at[i].witness));
		finding_close(&p->held.at[i]);
	}
	run_free(run);
}

static uint64_t judge(const char *text, enum model model, enum bug_kind bug)
{
	char *known = without_unknown(text);
	struct truth t = {.index = index_of_text(text), .known = index_of_text(known)};
	struct predict_options options = {.model = model,
					  .bugs = BUG_BIT(bug),
					  .jobs = 1,
					  .solver = "solver",
					  .why = true,
					  .open = open_text,
					  .context = (void *)text};
	struct prediction p;
	struct err err = {0};
	uint64_t blamed = 0;

	t.strict = explored(t.index, model);
	t.loose = explored(t.known, model);
	ASSERT_EQ(predict(t.index, &options, &p, &err), 0);
	ASSERT_EQ(p.not_asked_again, 0);
	judge_verdicts(&t, bug, &p);
	judge_schedules(&t, &p, model);
	for (size_t i = 0; i < p.why.n; i++)
		blamed += p.why.at[i].candidates;
	ASSERT_TRUE(blamed >= p.held.n);
	uint64_t held = p.held.n;

	prediction_release(&p);
	explore_result_release(&t.strict);
	explore_result_release(&t.loose);
	index_free(t.index);
	index_free(t.known);
	free(known);
	return held;
}

/* The trace with this seed, for the caller to free. */
typedef char *make_trace(uint64_t seed);

static char *make_memory(uint64_t seed)
{
	struct random_trace knobs = random_trace_knobs(
		seed, 28, RANDOM_READS | RANDOM_EXPRS | RANDOM_AT | RANDOM_ATOMIC | RANDOM_OPAQUE);

	return random_trace_make(&knobs);
}

/*
 * Threads one after the other in small blocks: two locks or semaphores in each other, in any order,
 * which may block others for ever; and what a thread writes another one sees and goes on by.
 */
struct gated {
	FILE *out;
	struct random r;
	int value;
	uint32_t number;
	bool semaphores;
};

static void put_line(struct gated *g, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put_line(struct gated *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(g->out, format, args);
	va_end(args);
	fputc('\n', g->out);
	g->number++;
}

static void put_nest(struct gated *g, int thread)
{
	const char *take = g->semaphores ? "sem-wait" : "acquire";
	const char *give = g->semaphores ? "sem-post" : "release";
	int outer = (int)random_below(&g->r, 3);
	int inner = (outer + 1 + (int)random_below(&g->r, 2)) % 3;

	put_line(g, "t%d %s l%d", thread, take, outer);
	put_line(g, "t%d %s l%d", thread, take, inner);
	put_line(g, "t%d %s l%d", thread, give, inner);
	put_line(g, "t%d %s l%d", thread, give, outer);
}

static void put_write(struct gated *g, int thread)
{
	put_line(g, "t%d write v %d reads=", thread, ++g->value);
}

static void put_look(struct gated *g, int thread)
{
	uint32_t read = g->number + 1;

	put_line(g, "t%d read v %d", thread, g->value);
	switch (random_below(&g->r, 5)) {
	case 0: put_line(g, "t%d branch", thread); break;
	case 1: put_line(g, "t%d branch reads=%u", thread, read); break;
	case 2: put_line(g, "t%d branch if (= %%%u %d)", thread, read, g->value); break;
	default: put_line(g, "t%d branch if (= %%%u %d) opaque", thread, read, g->value); break;
	}
}

static char *make_gated(uint64_t seed)
{
	static void (*const blocks[])(struct gated *, int) = {put_nest, put_nest, put_write,
							      put_look, put_look};
	char *text = NULL;
	size_t size;
	struct gated g = {.out = open_memstream(&text, &size),
			  .r = random_seeded(seed),
			  .semaphores = seed % 2};
	int threads = 2 + (int)random_below(&g.r, 2);

	for (int l = 0; l < 3 && g.semaphores; l++)
		fprintf(g.out, "sem l%d 1\n", l);
	for (int i = 0; i < 12; i++)
		blocks[random_below(&g.r, 5)](&g, (int)random_below(&g.r, (uint32_t)threads));
	for (int t = 0; t < threads; t++)
		put_line(&g, "t%d end", t);
	fclose(g.out);
	return text;
}

static char *make_locked(uint64_t seed)
{
	return make_gated(2 * seed);
}

static void judge_many(enum model model, enum bug_kind bug, uint64_t first, make_trace *make)
{
	uint64_t held = 0;

	for (uint64_t seed = first; seed < first + TRACES; seed++) {
		char *text = make(seed);

		tap_at("seed %llu", (unsigned long long)seed);
		held += judge(text, model, bug);
		free(text);
	}
	tap_note("%llu held back", (unsigned long long)held);
	ASSERT_TRUE(held >= 10 || TRACES < 600); /* a tenth of them may have none */
}

TAP_CASE(values)
{
	judge_many(MODEL_VALUES, BUG_RACE, 1, make_memory);
}

TAP_CASE(maximal)
{
	judge_many(MODEL_MAXIMAL, BUG_RACE, 10000, make_memory);
}

TAP_CASE(predictable)
{
	judge_many(MODEL_PREDICTABLE, BUG_RACE, 20000, make_memory);
}

TAP_CASE(deadlocks)
{
	judge_many(MODEL_VALUES, BUG_DEADLOCK, 30000, make_locked);
}

TAP_CASE(stuck)
{
	judge_many(MODEL_VALUES, BUG_STUCK, 40000, make_gated);
}
