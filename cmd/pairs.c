/*
 * norn pairs --by ANALYSIS TRACE: every pair of events that races, every set that
 * deadlocks, or every event at which a thread may wait forever. What a search finds is printed only
 * after the certifier has accepted its witness.
 */
#include "cmd/trace_file.h"

#include "base/sorted.h"
#include "cmd/verbs.h"
#include "deadlock/cycles.h"
#include "order/order.h"
#include "deadlock/waits.h"
#include "search/engine.h"
#include "search/explore/explore.h"
#include "search/explore/stuck.h"
#include "witness/certify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct pairs_options {
	int by;	    /* a row of analyses[]; -1: not given */
	int model;  /* -1: not given */
	int engine; /* a row of engine_kinds; -1: not given */
	const char *witness;
	bool json;
	struct explore_limits limits;
};

struct finding {
	size_t first, count; /* its events stand in numbers[first…], ascending */
	const struct witness *witness;
};

struct pairs;

struct analysis {
	const char *name, *help;
	int (*find)(struct pairs *p, struct err *err); /* fills p->found, in order */
	enum model model;
	bool takes_model; /* --model may say another one */
	bool proves;	  /* each finding has a witness */
	char between;	  /* the numbers of a finding */
};

struct pairs {
	const struct pairs_options *options;
	struct analysis analysis;
	struct trace_file file;
	struct index *index;
	struct explore_result explored; /* owns the witnesses, or */
	VEC(struct witness *) proved;
	VEC(struct finding) found;
	VEC(uint64_t) numbers;
};

static void add_finding(struct pairs *p, const struct witness *w)
{
	struct finding f = {p->numbers.n, w->bug_events.n, w};

	for (size_t i = 0; i < f.count; i++)
		vec_push(&p->numbers, w->bug_events.at[i]);
	qsort(p->numbers.at + f.first, f.count, sizeof(*p->numbers.at), sorted_compare_u64);
	vec_push(&p->found, f);
}

static enum model chosen_model(const struct pairs *p)
{
	return p->options->model < 0 ? p->analysis.model : (enum model)p->options->model;
}

static const struct engine_kind *chosen_engine(const struct pairs *p)
{
	return p->options->engine < 0 ? &engine_solver : engine_kinds[p->options->engine];
}

static int run_explorer(struct pairs *p, struct err *err)
{
	enum model model = chosen_model(p);

	say_if_no_branches(p->index->reader, model);
	return explore(p->index, model, &p->options->limits, &p->explored, err);
}

static int explore_races(struct pairs *p, struct err *err)
{
	int code = run_explorer(p, err);

	for (size_t i = 0; i < p->explored.bugs[BUG_RACE].n; i++)
		add_finding(p, &p->explored.bugs[BUG_RACE].at[i].witness);
	return code;
}

/* True: it is decided, and if it is a bug there is a finding. */
static bool ask_engine(struct pairs *p, struct engine *e, const struct query *q)
{
	struct witness w;
	enum answer answer = engine_ask(e, q, &w);

	if (answer == PROVED) {
		struct witness *kept = mem_alloc(sizeof(*kept));

		*kept = w;
		vec_push(&p->proved, kept);
		add_finding(p, kept);
	}
	return answer != UNDECIDED;
}

/* What may be a bug, as its events: those of query i end at ends[i]. */
struct nominated {
	VEC(uint32_t) events;
	VEC(size_t) ends;
	struct intern seen;  /* sets of events */
	uint64_t bytes_most; /* 0: no limit */
	bool too_many;
};

static void nominate(struct nominated *n, const uint32_t *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		vec_push(&n->events, events[i]);
	vec_push(&n->ends, n->events.n);
}

static void nominated_release(struct nominated *n)
{
	vec_release(&n->events);
	vec_release(&n->ends);
	intern_release(&n->seen);
}

static int say_undecided(const struct pairs *p, const struct query *q, const struct err *why,
			 struct err *err)
{
	char second[20] = "";

	if (q->count > 1)
		snprintf(second, sizeof(second), "%c%u", p->analysis.between, q->events[1]);
	return err_set(err, ERR_LIMIT, "%u%s%s is undecided: %.400s", q->events[0], second,
		       q->count > 2 ? ",…" : "", why->message);
}

static int ask_all(struct pairs *p, enum bug_kind bug, const struct nominated *n, struct err *err)
{
	struct engine_options options = {
		.model = chosen_model(p),
		.budget.bytes = p->options->limits.bytes,
	};
	struct engine *e = engine_start(chosen_engine(p), p->index, &options, err);

	if (!e)
		return err->code;
	say_if_no_branches(p->index->reader, options.model);
	int code = 0;

	for (size_t i = 0; !code && i < n->ends.n; i++) {
		size_t first = i ? n->ends.at[i - 1] : 0;
		struct query q = {bug, (uint32_t)(n->ends.at[i] - first), n->events.at + first};

		if (!ask_engine(p, e, &q))
			code = say_undecided(p, &q, &e->why, err);
	}
	engine_finish(e);
	return code;
}

/* Asks about each pair that quick nominates: every race is among them. */
static int ask_races(struct pairs *p, struct err *err)
{
	struct order_pairs candidates = {0};
	struct nominated n = {0};
	int code = order_pairs(order_by_name("quick"), p->index, 0, &candidates, err);

	for (size_t i = 0; i < candidates.pairs.n; i++)
		nominate(&n, (uint32_t[]){candidates.pairs.at[i].a, candidates.pairs.at[i].b}, 2);
	vec_release(&candidates.pairs);
	if (code >= 0)
		code = ask_all(p, BUG_RACE, &n, err);
	nominated_release(&n);
	return code;
}

static int find_races(struct pairs *p, struct err *err)
{
	return chosen_engine(p) == &engine_explore ? explore_races(p, err) : ask_races(p, err);
}

/* A set that waits in two cycles waits in both at once: one is enough. */
static bool nominate_ring(void *context, const uint32_t *events, uint32_t n)
{
	struct nominated *nominated = context;
	size_t before = nominated->seen.strings.n;
	uint32_t *set = mem_alloc(n * sizeof(*set));

	memcpy(set, events, n * sizeof(*set));
	qsort(set, n, sizeof(*set), sorted_compare_u32);
	intern_add(&nominated->seen, (const char *)set, n * sizeof(*set));
	mem_free(set);
	if (nominated->seen.strings.n > before)
		nominate(nominated, events, n);
	/* of each event here and in the set, of each set where it stands and its hash */
	uint64_t bytes = 4 * sizeof(uint32_t) * nominated->events.n +
			 2 *
				 (sizeof(struct interned) + 4 * sizeof(*nominated->seen.slots) +
				  sizeof(size_t)) *
				 nominated->ends.n;

	nominated->too_many = nominated->bytes_most && bytes > nominated->bytes_most;
	return !nominated->too_many;
}

static int compare_findings(const void *a, const void *b, void *context)
{
	const struct finding *x = a, *y = b;
	const uint64_t *numbers = context;

	for (size_t i = 0; i < x->count && i < y->count; i++)
		if (numbers[x->first + i] != numbers[y->first + i])
			return numbers[x->first + i] < numbers[y->first + i] ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

static void sort_findings(struct pairs *p)
{
	if (p->found.n)
		qsort_r(p->found.at, p->found.n, sizeof(*p->found.at), compare_findings,
			p->numbers.at);
}

/* Asks about each ring of acquires: every deadlock is one. */
static int ask_deadlocks(struct pairs *p, struct err *err)
{
	struct cycles *cycles = cycles_new(p->index);
	struct nominated n = {.bytes_most = p->options->limits.bytes};

	cycles_all_rings(cycles, 0, nominate_ring, &n);
	cycles_free(cycles);
	int code = n.too_many ? err_set(err, ERR_LIMIT,
					"more than %zu cycles of acquires; --max-memory would have "
					"to be more",
					n.ends.n)
			      : ask_all(p, BUG_DEADLOCK, &n, err);

	nominated_release(&n);
	sort_findings(p);
	return code;
}

static int explore_deadlocks(struct pairs *p, struct err *err)
{
	int code = run_explorer(p, err);

	for (size_t i = 0; i < p->explored.bugs[BUG_DEADLOCK].n; i++)
		add_finding(p, &p->explored.bugs[BUG_DEADLOCK].at[i].witness);
	return code;
}

static int find_deadlocks(struct pairs *p, struct err *err)
{
	return chosen_engine(p) == &engine_explore ? explore_deadlocks(p, err)
						   : ask_deadlocks(p, err);
}

/* Asks about each wait that may never end: those of every stuck state are among them. */
static int ask_stuck(struct pairs *p, struct err *err)
{
	const struct sections *sections = sections_of(p->index);
	struct waits waits = {0};
	struct nominated n = {0};

	waits_find(p->index, sections, &waits);
	for (size_t i = 0; i < waits.events.n; i++)
		nominate(&n, &waits.events.at[i], 1);
	vec_release(&waits.events);
	int code = ask_all(p, BUG_STUCK, &n, err);

	nominated_release(&n);
	return code;
}

/* The event alone, with a witness of its own. */
static void add_wait(struct pairs *p, const struct witness *w, uint64_t event)
{
	struct witness *kept = mem_alloc_zero(1, sizeof(*kept));

	witness_copy(kept, w);
	kept->bug_events.n = 0;
	vec_push(&kept->bug_events, event);
	vec_push(&p->proved, kept);
	add_finding(p, kept);
}

/* All stuck states at once; of each event that is in some the first. */
static int explore_stuck(struct pairs *p, struct err *err)
{
	struct stuck_options options = {.limits = p->options->limits};
	struct stuck_result stuck;
	bool *seen = mem_alloc_zero((size_t)p->index->count + 1, sizeof(*seen));

	say_if_no_branches(p->index->reader, chosen_model(p));
	int code = stuck_explore(p->index, chosen_model(p), &options, &stuck, err);

	for (size_t i = 0; i < stuck.found.n; i++) {
		const struct witness *w = &stuck.found.at[i].witness;

		for (size_t k = 0; k < w->bug_events.n; k++) {
			if (!seen[w->bug_events.at[k]])
				add_wait(p, w, w->bug_events.at[k]);
			seen[w->bug_events.at[k]] = true;
		}
	}
	stuck_result_release(&stuck);
	mem_free(seen);
	sort_findings(p);
	return code;
}

static int find_stuck(struct pairs *p, struct err *err)
{
	return chosen_engine(p) == &engine_explore ? explore_stuck(p, err) : ask_stuck(p, err);
}

static int find_by_order(struct pairs *p, struct err *err)
{
	/* what a pair takes here and in the order, vectors grown by doubling */
	const uint64_t bytes_a_pair =
		2 * (sizeof(struct finding) + 2 * sizeof(uint64_t) + sizeof(struct order_pair));
	uint64_t bytes = p->options->limits.bytes;
	struct order_pairs by = {0};
	int code = order_pairs(order_by_name(p->analysis.name), p->index,
			       bytes ? bytes / bytes_a_pair + 1 : 0, &by, err);

	for (size_t i = 0; i < by.pairs.n; i++) {
		struct finding f = {p->numbers.n, 2, NULL};

		vec_push(&p->numbers, by.pairs.at[i].a);
		vec_push(&p->numbers, by.pairs.at[i].b);
		vec_push(&p->found, f);
	}
	vec_release(&by.pairs);
	return code;
}

/* A new analysis is a new row here, or an order of its own. */
static const struct analysis analyses[] = {
#define MODEL_ROW(model, text, help) {text, help, find_races, model, false, true, '-'},
	MODELS(MODEL_ROW)
#undef MODEL_ROW
		{"deadlock", "threads that wait for each other in a cycle", find_deadlocks,
		 MODEL_VALUES, true, true, ','},
	{"stuck", "waits that no thread can end, with all others waiting too or over", find_stuck,
	 MODEL_VALUES, true, true, ','},
};

static bool get_analysis(size_t i, struct analysis *analysis)
{
	const size_t rows = sizeof(analyses) / sizeof(*analyses);

	if (i >= rows + order_kind_count)
		return false;
	*analysis = i < rows ? analyses[i]
			     : (struct analysis){order_name(order_kinds[i - rows]),
						 order_title(order_kinds[i - rows]),
						 find_by_order,
						 MODEL_VALUES,
						 false,
						 false,
						 '-'};
	return true;
}

static bool choose_analysis(size_t i, struct option_choice *choice)
{
	struct analysis analysis;

	if (!get_analysis(i, &analysis))
		return false;
	*choice = (struct option_choice){analysis.name, analysis.help};
	return true;
}

static int find_all(struct pairs *p, struct err *err)
{
	struct reader *r = trace_file_open(&p->file, err);

	p->index = r ? index_new(r, err) : NULL;
	if (!p->index)
		return err->code;
	if (say_if_cut(p->index->reader, !p->index->count))
		return err_set(err, ERR_INPUT, "%s: no events", p->file.path);
	return p->analysis.find(p, err);
}

/* "3-10"; the caller frees it. */
static char *finding_name(const struct pairs *p, const struct finding *f)
{
	char *name = mem_alloc(f->count * sizeof("-18446744073709551615") + 1);
	char *end = name;

	for (size_t i = 0; i < f->count; i++) {
		if (i)
			*end++ = p->analysis.between;
		end += sprintf(end, "%llu", (unsigned long long)p->numbers.at[f->first + i]);
	}
	*end = '\0';
	return name;
}

/* Returns 0, or EXIT_INTERNAL: search and certifier disagree, and one of them is wrong. */
static int certify_finding(const struct pairs *p, struct certifier *c, const struct finding *f)
{
	struct err err = {0};

	if (certifier_judge(c, f->witness, &err))
		return 0;
	char *name = finding_name(p, f);

	say("internal error: the certifier rejected the witness of %s: %s", name, err.message);
	mem_free(name);
	return EXIT_INTERNAL;
}

static int certify_all(const struct pairs *p)
{
	struct err err = {0};

	if (!p->found.n || !p->analysis.proves)
		return 0;
	struct reader *r = trace_file_open(&p->file, &err);
	struct certifier *c = r ? certifier_new(r, &err) : NULL;
	int status = c ? 0 : say_failure(&err);

	for (size_t i = 0; i < p->found.n && !status; i++)
		status = certify_finding(p, c, &p->found.at[i]);
	certifier_free(c);
	reader_close(r);
	return status;
}

static int write_witness(const struct pairs *p, const struct finding *f, struct err *err)
{
	const char *directory = p->options->witness;
	char *name = finding_name(p, f);
	size_t room = strlen(directory) + strlen(name) + sizeof("/.witness");
	char *path = mem_alloc(room);

	snprintf(path, room, "%s/%s.witness", directory, name);
	struct output *out = output_open(path, OUTPUT_REPLACE, err);

	mem_free(path);
	mem_free(name);
	if (!out)
		return err->code;
	witness_write(f->witness, out);
	return output_close(out, err);
}

static int write_witnesses(const struct pairs *p, struct err *err)
{
	const char *directory = p->options->witness;
	int code = 0;

	if (!directory)
		return 0;
	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return err_set(err, ERR_SYSTEM, "%s: %s", directory, strerror(errno));
	for (size_t i = 0; i < p->found.n && !code; i++)
		code = write_witness(p, &p->found.at[i], err);
	return code;
}

static void print_findings(const struct pairs *p, struct output *out)
{
	for (size_t i = 0; i < p->found.n; i++) {
		char *name = finding_name(p, &p->found.at[i]);

		output_text(out, name);
		output_char(out, '\n');
		mem_free(name);
	}
}

static void print_findings_json(const struct pairs *p, struct output *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "by", p->analysis.name);
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < p->found.n; i++) {
		const struct finding *f = &p->found.at[i];

		json_open(&json, NULL, '[');
		for (size_t k = 0; k < f->count; k++)
			json_u64(&json, NULL, p->numbers.at[f->first + k]);
		json_close(&json, ']');
	}
	json_close(&json, ']');
	json_close(&json, '}');
}

static int find_and_print(struct pairs *p, const char *path)
{
	struct err err = {0};

	if (trace_file_init(&p->file, path, &err) < 0 || find_all(p, &err) < 0)
		return say_failure(&err);
	int status = certify_all(p);

	if (status)
		return status;
	if (write_witnesses(p, &err) < 0)
		return say_failure(&err);
	struct output *out = cmd_open_output();

	(p->options->json ? print_findings_json : print_findings)(p, out);
	return cmd_close_output(out, p->found.n ? EXIT_FINDINGS : 0);
}

static int check_usage(const struct pairs_options *o, const struct analysis *a)
{
	if (o->model >= 0 && !a->takes_model) {
		say("pairs: --model cannot be used with --by %s", a->name);
		return EXIT_USAGE;
	}
	if (o->engine >= 0 && !a->proves) {
		say("pairs: --engine cannot be used with --by %s", a->name);
		return EXIT_USAGE;
	}
	if (o->witness && !a->proves) {
		say("pairs: --witness cannot be used with --by %s, which proves nothing", a->name);
		return EXIT_USAGE;
	}
	return 0;
}

static int run_pairs(const void *options, char **operands)
{
	const struct pairs_options *o = options;
	struct pairs p = {.options = o};

	if (o->by < 0 || !get_analysis((size_t)o->by, &p.analysis)) {
		say("pairs: --by is required; norn help pairs lists the analyses");
		return EXIT_USAGE;
	}
	int status = check_usage(o, &p.analysis);

	if (status)
		return status;
	status = find_and_print(&p, operands[0]);
	vec_release(&p.found);
	vec_release(&p.numbers);
	explore_result_release(&p.explored);
	for (size_t i = 0; i < p.proved.n; i++) {
		witness_release(p.proved.at[i]);
		mem_free(p.proved.at[i]);
	}
	vec_release(&p.proved);
	index_free(p.index);
	trace_file_release(&p.file);
	return status;
}

static bool choose_engine(size_t i, struct option_choice *choice)
{
	if (i >= engine_kind_count)
		return false;
	*choice = (struct option_choice){engine_kinds[i]->name, engine_kinds[i]->title};
	return true;
}

static const struct option pairs_rows[] = {
	{.name = "by",
	 .letter = 'b',
	 .argument = "ANALYSIS",
	 .help = "the analysis (required)",
	 .kind = OPTION_CHOICE,
	 .choices = choose_analysis,
	 .offset = offsetof(struct pairs_options, by)},
	{.name = "model",
	 .letter = 'm',
	 .argument = "MODEL",
	 .help = "with --by deadlock or stuck: the model; values by default",
	 .kind = OPTION_CHOICE,
	 .choices = cmd_choose_model,
	 .offset = offsetof(struct pairs_options, model)},
	{.name = "witness",
	 .letter = 'w',
	 .argument = "DIR",
	 .help = "write the witness of each finding to DIR, as A-B.witness",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct pairs_options, witness)},
	{.name = "engine",
	 .letter = 'e',
	 .argument = "ENGINE",
	 .help = "the search engine; solver by default",
	 .kind = OPTION_CHOICE,
	 .choices = choose_engine,
	 .offset = offsetof(struct pairs_options, engine)},
	{.name = "max-states",
	 .argument = "N",
	 .help = "with explore: stop after N states; 0 (the default): no limit",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct pairs_options, limits.states)},
	{.name = "max-memory",
	 .argument = "SIZE",
	 .help = "stop when the search needs more than SIZE; 2G by default, 0: no limit",
	 .kind = OPTION_SIZE,
	 .offset = offsetof(struct pairs_options, limits.bytes)},
	{.name = "json",
	 .help = "print the findings as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct pairs_options, json)},
	{0},
};

const struct command pairs_command = {
	.name = "pairs",
	.summary = "Print every race, deadlock or stuck thread of a small trace.",
	.usage = "--by ANALYSIS [--engine ENGINE] [--model MODEL] [--witness DIR] [--json]\n"
		 "                  [--max-states N] [--max-memory SIZE] TRACE",
	.details = "Prints one finding per line: A-B for a race, A,B,... for a deadlock, and the "
		   "event\n"
		   "at which a thread waits for a stuck thread. Each finding is certified. The\n"
		   "orders (hb to quick) prove nothing: they print candidates.\n"
		   "Exit status: 0 none, 66 some, 4 undecided at a limit.\n",
	.options = pairs_rows,
	.options_size = sizeof(struct pairs_options),
	.defaults =
		&(const struct pairs_options){
			.by = -1, .model = -1, .engine = -1, .limits.bytes = (uint64_t)2 << 30},
	.operands_least = 1,
	.operands_most = 1,
	.run = run_pairs,
};
