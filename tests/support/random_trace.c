#include "tests/support/random_trace.h"

#include "tests/support/term.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS 2      /* conditions, barriers, semaphores, onces: so many of each */
#define BASES 2	      /* of memory */
#define BASE_BYTES 20 /* of each */
#define PARTS_MAX 3   /* variables in one access */
#define SIGNALS_MAX 4096

/* A variable without a place in memory is one cell; one with, a cell a byte. */
struct cell {
	int64_t value;
	bool accessed, needs_alloc, allocated, freed;
};

struct variable {
	const char *name;
	int size, base, offset; /* size 0: not in memory */
	struct cell *cells;
	bool is_volatile, has_init;
	bool declared; /* printed, or nothing to print */
};

struct lock {
	int owner; /* a thread, or -1 */
	int shared[RANDOM_THREADS_MAX];
};

/* A signal that chose its thread: no later sleeper wakes before that one's `woken` is printed. */
struct chosen {
	uint64_t event;
	int condition, thread;
	bool printed;
};

struct thread {
	const char *name;
	bool needs_fork, forked, started, finished;
	struct term_read *reads, *values; /* values: those that an expression can name */
	size_t read_count, value_count;
	/* between wait and woken; by 0 and not spurious: nobody woke it yet */
	bool waiting, spurious, passed_over;
	int condition, lock;
	uint64_t wait, by;
	int barrier; /* between enter and exit, else -1 */
	int round;
};

struct world {
	struct random_trace knobs;
	struct random r;
	FILE *out;
	uint64_t events; /* printed */
	struct thread threads[RANDOM_THREADS_MAX];
	struct variable variables[RANDOM_VARIABLES_MAX];
	struct cell single[RANDOM_VARIABLES_MAX];
	struct cell memory[BASES][BASE_BYTES];
	struct lock locks[RANDOM_LOCKS_MAX];
	int parties[OTHERS], entered[OTHERS], round[OTHERS]; /* barriers */
	int count[OTHERS];				     /* semaphores */
	bool semaphore_declared[OTHERS], barrier_declared[OTHERS];
	int once_thread[OTHERS]; /* who began it, or -1 */
	bool once_done[OTHERS];
	struct chosen chosen[SIGNALS_MAX];
	size_t chosen_count;
};

static bool has(const struct world *w, enum random_feature feature)
{
	return w->knobs.features & feature;
}

static int below(struct world *w, int n)
{
	return (int)random_below(&w->r, (uint32_t)n);
}

static bool percent(struct world *w, uint32_t of_100)
{
	return random_percent(&w->r, of_100);
}

/* Printing */

static void print_blank(struct world *w)
{
	static const char *const blanks[] = {"  ", "\t", " \t "};

	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputs(blanks[below(w, 3)], w->out);
	else
		fputc(' ', w->out);
}

static void print_number(struct world *w, int64_t value)
{
	bool spell = has(w, RANDOM_SPELLING) && percent(w, 10);

	print_blank(w);
	if (spell && value >= 0)
		fprintf(w->out, percent(w, 50) ? "0x%llx" : "0X%llX", (long long)value);
	else if (spell)
		fprintf(w->out, "%llu", (unsigned long long)value); /* the same 64 bits */
	else
		fprintf(w->out, "%lld", (long long)value);
}

static void print_word(struct world *w, const char *word)
{
	print_blank(w);
	fputs(word, w->out);
}

static void print_named(struct world *w, char letter, int number)
{
	print_blank(w);
	fprintf(w->out, "%c%d", letter, number);
}

static void print_line_end(struct world *w)
{
	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputs(" # a note, = (+ 1", w->out);
	fputc('\n', w->out);
	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputs(percent(w, 50) ? "\n" : "# nothing here\n", w->out);
}

static int64_t variable_value(const struct variable *v)
{
	uint64_t value = 0;

	if (!v->size)
		return v->cells[0].value;
	for (int i = v->size; i-- > 0;)
		value = value << 8 | (uint64_t)v->cells[i].value;
	return (int64_t)value;
}

static void variable_store(struct variable *v, int64_t value)
{
	if (!v->size)
		v->cells[0].value = value;
	for (int i = 0; i < v->size; i++)
		v->cells[i].value = (int64_t)((uint64_t)value >> 8 * i & 0xff);
}

static void declare_variable(struct world *w, struct variable *v)
{
	if (v->declared)
		return;
	v->declared = true;
	if (v->size) {
		fprintf(w->out, "memory %s base%d", v->name, v->base);
		print_number(w, 0x1000 + v->offset);
		print_number(w, v->size);
		print_line_end(w);
	}
	if (v->is_volatile) {
		fputs("volatile", w->out);
		print_word(w, v->name);
		print_line_end(w);
	}
	if (v->has_init) {
		fputs("init", w->out);
		print_word(w, v->name);
		print_number(w, variable_value(v)); /* nothing has changed it yet */
		print_line_end(w);
	}
}

static void declare_semaphore(struct world *w, int s)
{
	if (w->semaphore_declared[s])
		return;
	w->semaphore_declared[s] = true;
	if (!w->count[s] && percent(w, 70))
		return;
	fputs("sem", w->out);
	print_named(w, 's', s);
	print_number(w, w->count[s]);
	print_line_end(w);
}

static void declare_barrier(struct world *w, int b)
{
	if (w->barrier_declared[b])
		return;
	w->barrier_declared[b] = true;
	fputs("barrier", w->out);
	print_named(w, 'b', b);
	print_number(w, w->parties[b]);
	print_line_end(w);
}

/* Starts the line of the next event. */
static void print_op(struct world *w, struct thread *t, const char *op)
{
	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputc(' ', w->out);
	fputs(t->name, w->out);
	print_word(w, op);
	t->started = true;
	w->events++;
}

static void print_reads(struct world *w, const char *word, const struct term_read *reads, size_t of,
			bool may_be_empty)
{
	int n = (int)of;
	int count = n ? (may_be_empty ? 0 : 1) + below(w, n < 3 ? n : 3) : 0;

	print_word(w, word);
	for (int i = 0; i < count; i++)
		fprintf(w->out, "%s%llu", i ? "," : "",
			(unsigned long long)reads[below(w, n)].event);
}

/* Takes no random number: traces of the same seed stay the same but for this. */
static void print_skip(struct world *w)
{
	if (!has(w, RANDOM_SPELLING) || w->events % 5 != 2)
		return;
	if (w->events % 3)
		fprintf(w->out, " skip=%u",
			(unsigned)(w->events % 2 ? 65534 : w->events % 300 + 1));
	else
		fputs(" skip=-", w->out);
}

/* Ends the line of an event. */
static void print_rest(struct world *w, struct thread *t)
{
	static const char *const places[] = {"a.c:1",	  "a.c:2:7",	    "b.c:30:main",
					     "b.c:3:4:f", "d/long-name.cc", "é:1"};

	if (has(w, RANDOM_AT) && t->read_count && percent(w, 10))
		print_reads(w, "at=", t->reads, t->read_count, false);
	print_skip(w);
	if (has(w, RANDOM_LOCATIONS) && percent(w, 60)) {
		print_blank(w);
		fprintf(w->out, "@%s", places[below(w, 6)]);
	}
	print_line_end(w);
}

static void print_order(struct world *w)
{
	static const char *const orders[] = {"relaxed", "consume", "acquire",
					     "release", "acq_rel", "seq_cst"};

	if (!has(w, RANDOM_ATOMIC) || percent(w, 70))
		return;
	print_word(w, "order=");
	fputs(orders[below(w, 6)], w->out);
}

/* Accesses */

struct access {
	struct variable *parts[PARTS_MAX];
	int64_t written[PARTS_MAX];
	int count;
};

static int variable_cells(const struct variable *v)
{
	return v->size ? v->size : 1;
}

static bool overlap(const struct variable *a, const struct variable *b)
{
	return a->cells < b->cells + variable_cells(b) && b->cells < a->cells + variable_cells(a);
}

static bool is_accessible(const struct variable *v)
{
	for (int i = 0; i < variable_cells(v); i++)
		if ((v->cells[i].needs_alloc && !v->cells[i].allocated) || v->cells[i].freed)
			return false;
	return true;
}

static bool is_fresh(const struct variable *v)
{
	for (int i = 0; i < variable_cells(v); i++)
		if (!v->cells[i].needs_alloc || v->cells[i].accessed)
			return false;
	return true;
}

/* Where part i stands in the value of the whole access, in bytes; see *Memory* in the model. */
static int place_of(const struct access *a, int i)
{
	return a->count > 1 ? a->parts[i]->offset - a->parts[0]->offset : 0;
}

/* Has the access a value as a whole? */
static bool is_composed(const struct access *a)
{
	const struct variable *first = a->parts[0];

	for (int i = 0; i < a->count && a->count > 1; i++) {
		const struct variable *v = a->parts[i];
		int place = place_of(a, i);

		if (!v->size || v->base != first->base || place < 0 || place + v->size > 8)
			return false;
	}
	return true;
}

/* By base and address, those in memory. */
static void sort_parts(struct access *a)
{
	for (int i = 1; i < a->count; i++) {
		for (int k = i; k && a->parts[k]->cells < a->parts[k - 1]->cells; k--) {
			struct variable *v = a->parts[k];

			a->parts[k] = a->parts[k - 1];
			a->parts[k - 1] = v;
		}
	}
}

/* Variables that do not overlap, each as `fits` wants it; none if the dice say so. */
static struct access pick_access(struct world *w, bool fits(const struct variable *v))
{
	struct access a = {.count = 0};
	int want = has(w, RANDOM_MULTI) && percent(w, 20) ? 2 + below(w, 2) : 1;
	bool composed = want > 1 && percent(w, 50); /* by chance it would seldom be */

	for (int tries = composed ? 12 : want; tries > 0 && a.count < want; tries--) {
		struct variable *v = &w->variables[below(w, (int)w->knobs.variables)];
		struct access longer = a;
		bool good = fits(v);

		for (int k = 0; k < a.count; k++)
			good = good && !overlap(v, a.parts[k]);
		longer.parts[longer.count++] = v;
		if (composed)
			sort_parts(&longer);
		if (good && (!composed || is_composed(&longer)))
			a = longer;
	}
	for (int i = 0; i < a.count; i++)
		declare_variable(w, a.parts[i]);
	return a;
}

static bool is_usable(const struct variable *v)
{
	return v->size <= 8 && is_accessible(v);
}

static void mark_accessed(struct access *a)
{
	for (int i = 0; i < a->count; i++)
		for (int k = 0; k < variable_cells(a->parts[i]); k++)
			a->parts[i]->cells[k].accessed = true;
}

/* Of one that is composed. */
static int64_t whole_value(const struct access *a)
{
	uint64_t whole = 0;

	for (int i = 0; i < a->count; i++)
		whole |= (uint64_t)variable_value(a->parts[i]) << 8 * place_of(a, i);
	return (int64_t)whole;
}

static int64_t random_value(struct world *w, const struct variable *v)
{
	static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, 1000000007, -300};
	uint64_t value = 0;

	if (!v->size && has(w, RANDOM_SPELLING) && percent(w, 5))
		return odd[below(w, 5)];
	if (!v->size || percent(w, 50))
		return below(w, 3);
	for (int i = 0; i < v->size; i++)
		value = value << 8 | (uint64_t)below(w, percent(w, 10) ? 256 : 2);
	return (int64_t)value;
}

/* What the variable takes of a value: its own bytes, or all if it is not in memory. */
static int64_t bytes_of(int64_t value, const struct variable *v, int place)
{
	uint64_t all = (uint64_t)value >> 8 * place;

	return (int64_t)(v->size && v->size < 8 ? all & (((uint64_t)1 << 8 * v->size) - 1) : all);
}

/* An expression for an access that is composed; its value, often too wide, becomes a->written. */
static struct term *random_store(struct world *w, struct access *a, const struct term_read *values,
				 size_t n)
{
	struct term *term = term_random(&w->r, 1 + below(w, 3), values, n);
	int64_t value;

	if (percent(w, 70)) /* mostly small */
		term = percent(w, 50) ? term_wrap("&", term, 3, 0) : term_wrap("ite", term, 1, 2);
	if (a->parts[0]->size && percent(w, 50)) /* the same in every byte */
		term = term_wrap("*", term, 0x0101010101010101, 0);
	if (!term_value(term, values, n, &value)) {
		term_free(term);
		return NULL;
	}
	for (int i = 0; i < a->count; i++)
		a->written[i] = bytes_of(value, a->parts[i], place_of(a, i));
	return term;
}

static void add_read(struct thread *t, const struct access *a, uint64_t event)
{
	struct term_read read = {event, 0};

	if (is_composed(a)) {
		read.value = whole_value(a);
		t->values = realloc(t->values, (t->value_count + 1) * sizeof(*t->values));
		t->values[t->value_count++] = read;
	}
	t->reads = realloc(t->reads, (t->read_count + 1) * sizeof(*t->reads));
	t->reads[t->read_count++] = read;
}

static bool step_read(struct world *w, struct thread *t)
{
	struct access a = pick_access(w, is_usable);

	if (!a.count)
		return false;
	print_op(w, t, "read");
	for (int i = 0; i < a.count; i++) {
		print_word(w, a.parts[i]->name);
		print_number(w, variable_value(a.parts[i]));
	}
	print_order(w);
	print_rest(w, t);
	add_read(t, &a, w->events);
	mark_accessed(&a);
	return true;
}

/* A write or an rmw. */
static bool step_store(struct world *w, struct thread *t, bool rmw)
{
	struct access a = pick_access(w, is_usable);
	struct term *term = NULL;

	if (!a.count)
		return false;
	for (int i = 0; i < a.count; i++)
		a.written[i] = random_value(w, a.parts[i]);
	if (rmw)
		add_read(t, &a, w->events + 1);
	if (has(w, RANDOM_EXPRS) && is_composed(&a) && percent(w, 60))
		term = random_store(w, &a, t->values, t->value_count);
	print_op(w, t, rmw ? "rmw" : "write");
	for (int i = 0; i < a.count; i++) {
		print_word(w, a.parts[i]->name);
		if (rmw)
			print_number(w, variable_value(a.parts[i]));
		print_number(w, a.written[i]);
	}
	if (term) {
		fputs(" = ", w->out);
		term_print(term, w->out);
	} else if (has(w, RANDOM_READS) && percent(w, 40)) {
		print_reads(w, "reads=", t->reads, t->read_count, true);
	}
	print_order(w);
	/* at= cannot name the rmw itself */
	t->read_count -= rmw;
	print_rest(w, t);
	t->read_count += rmw;
	for (int i = 0; i < a.count; i++)
		variable_store(a.parts[i], a.written[i]);
	mark_accessed(&a);
	term_free(term);
	return true;
}

static bool step_write(struct world *w, struct thread *t)
{
	return step_store(w, t, false);
}

static bool step_rmw(struct world *w, struct thread *t)
{
	return step_store(w, t, true);
}

static bool step_external(struct world *w, struct thread *t)
{
	struct access a = pick_access(w, is_usable);

	if (!a.count)
		return false;
	print_op(w, t, "external");
	for (int i = 0; i < a.count; i++) {
		a.written[i] = random_value(w, a.parts[i]);
		print_word(w, a.parts[i]->name);
		print_number(w, a.written[i]);
	}
	print_rest(w, t);
	for (int i = 0; i < a.count; i++)
		variable_store(a.parts[i], a.written[i]);
	mark_accessed(&a);
	return true;
}

static bool step_alloc(struct world *w, struct thread *t)
{
	struct access a = pick_access(w, is_fresh);

	if (!a.count)
		return false;
	print_op(w, t, "alloc");
	for (int i = 0; i < a.count; i++) {
		print_word(w, a.parts[i]->name);
		for (int k = 0; k < variable_cells(a.parts[i]); k++)
			a.parts[i]->cells[k].allocated = true;
	}
	print_rest(w, t);
	mark_accessed(&a);
	return true;
}

static bool step_free(struct world *w, struct thread *t)
{
	struct access a = {.count = 0};

	if (percent(w, 40))
		a = pick_access(w, is_accessible);
	if (!a.count)
		return false;
	print_op(w, t, "free");
	for (int i = 0; i < a.count; i++) {
		print_word(w, a.parts[i]->name);
		for (int k = 0; k < variable_cells(a.parts[i]); k++)
			a.parts[i]->cells[k].freed = true;
	}
	print_rest(w, t);
	mark_accessed(&a);
	return true;
}

static bool step_branch(struct world *w, struct thread *t)
{
	struct term *term = NULL;
	int64_t value;

	if (has(w, RANDOM_EXPRS) && percent(w, 60)) {
		term = term_random(&w->r, 1 + below(w, 3), t->values, t->value_count);
		if (!term_value(term, t->values, t->value_count, &value)) {
			term_free(term);
			return false;
		}
		if (!value)
			term = term_wrap("=", term, 0, 0);
	}
	print_op(w, t, "branch");
	if (term) {
		fputs(" if ", w->out);
		term_print(term, w->out);
	} else if (has(w, RANDOM_READS) && percent(w, 40)) {
		print_reads(w, "reads=", t->reads, t->read_count, true);
	}
	print_rest(w, t);
	term_free(term);
	return true;
}

/* How many other threads could go on: so that not every trace ends early with all asleep. */
static int others_running(const struct world *w, const struct thread *t)
{
	int n = 0;

	for (int i = 0; i < (int)w->knobs.threads; i++) {
		const struct thread *o = &w->threads[i];

		n += o != t && !o->finished && (!o->needs_fork || o->forked) && o->barrier < 0 &&
		     (!o->waiting || o->spurious || o->by);
	}
	return n;
}

/* Locks and the like */

static void print_simple(struct world *w, struct thread *t, const char *op, char letter, int number)
{
	print_op(w, t, op);
	print_named(w, letter, number);
	if ((op[0] == 'a' || !strcmp(op, "sem-wait") || !strcmp(op, "once-pass")) && percent(w, 15))
		fputs(" try", w->out);
	print_rest(w, t);
}

static int thread_number(const struct world *w, const struct thread *t)
{
	return (int)(t - w->threads);
}

static bool held_shared(const struct lock *lock, int but_thread)
{
	for (int i = 0; i < RANDOM_THREADS_MAX; i++)
		if (i != but_thread && lock->shared[i])
			return true;
	return false;
}

static bool is_free(const struct lock *lock)
{
	return lock->owner < 0 && !held_shared(lock, -1);
}

static bool step_acquire(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (!is_free(&w->locks[l]))
		return false;
	w->locks[l].owner = thread_number(w, t);
	print_simple(w, t, "acquire", 'l', l);
	return true;
}

static bool step_release(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (w->locks[l].owner != thread_number(w, t))
		return false;
	w->locks[l].owner = -1;
	print_simple(w, t, "release", 'l', l);
	return true;
}

static bool step_acquire_shared(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (w->locks[l].owner >= 0)
		return false;
	w->locks[l].shared[thread_number(w, t)]++;
	print_simple(w, t, "acquire-shared", 'l', l);
	return true;
}

static bool step_release_shared(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (!w->locks[l].shared[thread_number(w, t)])
		return false;
	w->locks[l].shared[thread_number(w, t)]--;
	print_simple(w, t, "release-shared", 'l', l);
	return true;
}

static bool step_try_fail(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks), self = thread_number(w, t);
	const struct lock *lock = &w->locks[l];

	if ((lock->owner < 0 || lock->owner == self) && !held_shared(lock, self))
		return false;
	print_simple(w, t, "try-fail", 'l', l);
	return true;
}

static bool step_wait(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (w->locks[l].owner != thread_number(w, t))
		return false;
	w->locks[l].owner = -1;
	t->waiting = true;
	t->passed_over = false;
	t->spurious = percent(w, 25) || (!others_running(w, t) && percent(w, 90));
	t->condition = below(w, OTHERS);
	t->lock = l;
	t->by = 0;
	print_op(w, t, "wait");
	print_named(w, 'c', t->condition);
	print_named(w, 'l', l);
	print_rest(w, t);
	t->wait = w->events;
	return true;
}

/* May a signal or broadcast still wake it? A spurious one only if it has seen none so far. */
static bool can_be_woken(const struct thread *t, int condition)
{
	return t->waiting && t->condition == condition && !t->by &&
	       !(t->spurious && t->passed_over);
}

static bool sleeps(const struct thread *t, int condition)
{
	return t->waiting && t->condition == condition && !t->by && !t->spurious;
}

static bool step_signal(struct world *w, struct thread *t)
{
	int c = below(w, OTHERS), choice = -1, candidates = 0;
	bool somebody = percent(w, 30);

	if (w->chosen_count == SIGNALS_MAX)
		return false;
	for (int i = 0; i < (int)w->knobs.threads; i++)
		somebody = somebody || sleeps(&w->threads[i], c);
	for (int i = 0; somebody && i < (int)w->knobs.threads; i++)
		if (can_be_woken(&w->threads[i], c) && below(w, ++candidates) == 0)
			choice = i;
	print_simple(w, t, "signal", 'c', c);
	if (choice >= 0) {
		w->threads[choice].by = w->events;
		w->threads[choice].spurious = false;
		w->chosen[w->chosen_count++] = (struct chosen){w->events, c, choice, false};
		return true;
	}
	for (int i = 0; i < (int)w->knobs.threads; i++)
		if (w->threads[i].condition == c)
			w->threads[i].passed_over = true;
	return true;
}

static bool step_broadcast(struct world *w, struct thread *t)
{
	int c = below(w, OTHERS);

	print_simple(w, t, "broadcast", 'c', c);
	for (int i = 0; i < (int)w->knobs.threads; i++) {
		struct thread *other = &w->threads[i];

		if (can_be_woken(other, c) && (!other->spurious || percent(w, 50))) {
			other->by = w->events;
			other->spurious = false;
		} else if (other->condition == c) {
			other->passed_over = true;
		}
	}
	return true;
}

/*
 * Would this `woken` show that the thread slept while a signal happened whose own thread is
 * not seen to wake? The signal should then have woken this one.
 */
static bool wakes_too_early(const struct world *w, const struct thread *t)
{
	for (size_t i = 0; i < w->chosen_count; i++) {
		const struct chosen *s = &w->chosen[i];

		if (s->condition == t->condition && !s->printed && t->wait < s->event &&
		    s->event < t->by)
			return true;
	}
	return false;
}

static bool step_woken(struct world *w, struct thread *t)
{
	struct lock *lock = &w->locks[t->lock];

	if (!is_free(lock) || (!t->by && !t->spurious) || wakes_too_early(w, t))
		return false;
	lock->owner = thread_number(w, t);
	t->waiting = false;
	print_op(w, t, "woken");
	print_named(w, 'c', t->condition);
	print_named(w, 'l', t->lock);
	if (t->by)
		fprintf(w->out, " by=%llu", (unsigned long long)t->by);
	else
		fputs(" by=-", w->out);
	print_rest(w, t);
	for (size_t i = 0; i < w->chosen_count; i++)
		if (w->chosen[i].event == t->by)
			w->chosen[i].printed = true;
	return true;
}

static bool step_barrier_enter(struct world *w, struct thread *t)
{
	int b = below(w, OTHERS);

	if (others_running(w, t) < w->parties[b] - w->entered[b] - 1 && percent(w, 95))
		return false;
	declare_barrier(w, b);
	t->barrier = b;
	t->round = w->round[b];
	if (++w->entered[b] == w->parties[b]) {
		w->entered[b] = 0;
		w->round[b]++;
	}
	print_simple(w, t, "barrier-enter", 'b', b);
	return true;
}

static bool step_barrier_exit(struct world *w, struct thread *t)
{
	int b = t->barrier;

	if (w->round[b] == t->round)
		return false;
	t->barrier = -1;
	print_simple(w, t, "barrier-exit", 'b', b);
	return true;
}

static bool step_semaphore(struct world *w, struct thread *t)
{
	int s = below(w, OTHERS);
	bool post = percent(w, 40);

	declare_semaphore(w, s);
	if (post) {
		w->count[s]++;
		print_simple(w, t, "sem-post", 's', s);
	} else if (w->count[s]) {
		w->count[s]--;
		print_simple(w, t, "sem-wait", 's', s);
	} else {
		print_simple(w, t, "sem-fail", 's', s);
	}
	return true;
}

static bool step_once(struct world *w, struct thread *t)
{
	int o = below(w, OTHERS), self = thread_number(w, t);

	if (w->once_thread[o] < 0) {
		w->once_thread[o] = self;
		print_simple(w, t, "once-begin", 'o', o);
	} else if (w->once_done[o]) {
		print_simple(w, t, "once-pass", 'o', o);
	} else if (w->once_thread[o] == self) {
		w->once_done[o] = true;
		print_simple(w, t, "once-end", 'o', o);
	} else {
		return false;
	}
	return true;
}

static bool step_mark(struct world *w, struct thread *t)
{
	static const char *const args[] = {"",	    " 1",   " 1 2", " x =", " @odd reads=3",
					   " if (", " é -7"};
	static const char *const plain_args[] = {"", " 1", " 1 2"};

	print_op(w, t, "mark");
	print_named(w, 'm', below(w, 3));
	bool spell = has(w, RANDOM_SPELLING);

	fputs(spell ? args[below(w, 7)] : plain_args[below(w, 3)], w->out);
	print_skip(w);
	if (has(w, RANDOM_LOCATIONS) && percent(w, 60))
		fputs(" @m.c:5", w->out);
	print_line_end(w);
	return true;
}

/* Threads */

static bool step_fork(struct world *w, struct thread *t)
{
	struct thread *other = &w->threads[below(w, (int)w->knobs.threads)];

	if (other == t || !other->needs_fork || other->forked)
		return false;
	other->forked = true;
	print_op(w, t, "fork");
	print_word(w, other->name);
	print_rest(w, t);
	return true;
}

static bool step_join(struct world *w, struct thread *t)
{
	struct thread *other = &w->threads[below(w, (int)w->knobs.threads)];
	bool exists = !other->needs_fork || other->forked; /* but may have no events */
	bool idle = exists && !other->waiting && other->barrier < 0;

	if (other == t || !(other->finished || (idle && percent(w, 10))))
		return false;
	other->finished = true;
	print_op(w, t, "join");
	print_word(w, other->name);
	print_rest(w, t);
	return true;
}

static bool step_end(struct world *w, struct thread *t)
{
	/* long traces shall not lose their threads early */
	if (w->events + 12 < w->knobs.events && (others_running(w, t) < 2 || percent(w, 95)))
		return false;
	/* not too often with locks held */
	for (int l = 0; l < (int)w->knobs.locks; l++)
		if (w->locks[l].owner == thread_number(w, t) && percent(w, 90))
			return false;
	t->finished = true;
	print_op(w, t, "end");
	print_rest(w, t);
	return true;
}

static bool step_begin(struct world *w, struct thread *t)
{
	print_op(w, t, "begin");
	print_rest(w, t);
	return true;
}

/* What a running thread may do, how often, and the feature that it belongs to (0: plain). */
static const struct {
	bool (*take)(struct world *w, struct thread *t);
	int weight;
	uint32_t feature;
} steps[] = {
	{step_read, 22, 0},
	{step_write, 18, 0},
	{step_branch, 6, 0},
	{step_acquire, 14, 0},
	{step_release, 18, 0},
	{step_fork, 10, 0},
	{step_join, 6, 0},
	{step_end, 2, 0},
	{step_rmw, 10, RANDOM_ATOMIC},
	{step_acquire_shared, 9, RANDOM_SHARED},
	{step_release_shared, 12, RANDOM_SHARED},
	{step_try_fail, 6, RANDOM_TRY},
	{step_wait, 20, RANDOM_CONDITIONS},
	{step_signal, 8, RANDOM_CONDITIONS},
	{step_broadcast, 4, RANDOM_CONDITIONS},
	{step_barrier_enter, 6, RANDOM_BARRIERS},
	{step_semaphore, 8, RANDOM_SEMAPHORES},
	{step_once, 8, RANDOM_ONCE},
	{step_alloc, 10, RANDOM_ALLOC},
	{step_free, 5, RANDOM_ALLOC},
	{step_external, 5, RANDOM_EXTERNAL},
	{step_mark, 5, RANDOM_MARKS},
};

#define STEPS ((int)(sizeof(steps) / sizeof(*steps)))

static int step_weight(const struct world *w, int i)
{
	bool (*take)(struct world * w, struct thread * t) = steps[i].take;
	bool locks = take == step_acquire || take == step_release || take == step_acquire_shared ||
		     take == step_release_shared || take == step_wait;

	if (steps[i].feature && !has(w, steps[i].feature))
		return 0;
	if (has(w, RANDOM_VALUES) && take != step_read && take != step_write && take != step_rmw)
		return take == step_branch ? 3 * steps[i].weight : 0;
	return has(w, RANDOM_LOCKY) && locks ? 8 * steps[i].weight : steps[i].weight;
}

static bool take_step(struct world *w, struct thread *t, bool ending)
{
	int total = 0;

	if (t->finished || (t->needs_fork && !t->forked))
		return false;
	if (t->waiting)
		return step_woken(w, t);
	if (t->barrier >= 0)
		return step_barrier_exit(w, t);
	if (!t->started && !has(w, RANDOM_VALUES) && percent(w, 50))
		return step_begin(w, t);
	if (ending && !has(w, RANDOM_VALUES) && percent(w, 40))
		return step_end(w, t);
	for (int i = 0; i < STEPS; i++)
		total += step_weight(w, i);
	int pick = below(w, total);

	for (int i = 0; i < STEPS; i++) {
		pick -= step_weight(w, i);
		if (pick < 0)
			return steps[i].take(w, t);
	}
	return false;
}

/* Setting up */

/* Anywhere, or close behind the one before: together they may make one value. */
static void place_variable(struct world *w, struct variable *v, const struct variable *before)
{
	v->base = below(w, BASES);
	v->offset = below(w, BASE_BYTES - v->size + 1);
	if (!before || !before->size || !has(w, RANDOM_MULTI) || percent(w, 50))
		return;
	int behind = before->offset + before->size + (percent(w, 50) ? below(w, 3) : 0);

	if (behind + v->size <= BASE_BYTES) {
		v->base = before->base;
		v->offset = behind;
	}
}

static void set_up_variables(struct world *w)
{
	static const char *const plain_names[] = {"x0",	 "x1",	"x2",  "x3", "x4",  "x5",
						  "x6",	 "x7",	"x8",  "x9", "x10", "x11",
						  "x12", "x13", "x14", "x15"};
	static const char *const odd_names[] = {"a[0]", "p->q", "(x)",	"%5",  "1", "if",
						"é",	"read", "l0",	"t1",  "-", "x=1",
						"0x5",	"\"",	"by=3", "init"};
	static const int sizes[] = {1, 1, 2, 2, 4, 4, 8, 3, 5, BASE_BYTES};
	bool odd = has(w, RANDOM_SPELLING) && percent(w, 50);

	for (int i = 0; i < (int)w->knobs.variables; i++) {
		struct variable *v = &w->variables[i];

		v->name = odd ? odd_names[i] : plain_names[i];
		v->is_volatile = percent(w, 15);
		v->has_init = percent(w, 25);
		if (has(w, RANDOM_MEMORY) && percent(w, 70)) {
			v->size = sizes[below(w, has(w, RANDOM_ALLOC) ? 10 : 9)];
			place_variable(w, v, i ? v - 1 : NULL);
			v->cells = w->memory[v->base] + v->offset;
		} else {
			v->cells = &w->single[i];
		}
		v->has_init = v->has_init && v->size <= 8;
		for (int k = 0; k < variable_cells(v) && has(w, RANDOM_ALLOC) && i % 2; k++)
			v->cells[k].needs_alloc = true;
		/* those that share a byte with an earlier one keep what that says */
		for (int k = 0; k < i; k++)
			v->has_init = v->has_init && !overlap(v, &w->variables[k]);
		if (v->has_init)
			variable_store(v, random_value(w, v));
	}
	for (int i = 0; i < (int)w->knobs.variables; i++) {
		struct variable *v = &w->variables[i];
		bool late = has(w, RANDOM_SPELLING) && !v->size && percent(w, 50);

		if (!late)
			declare_variable(w, v);
	}
}

static void set_up(struct world *w)
{
	static const char *const plain_names[] = {"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"};
	static const char *const odd_names[] = {"main", "T1", "1", "read", "%1", "(", "é", "t-8"};
	bool odd = has(w, RANDOM_SPELLING) && percent(w, 50);

	if (has(w, RANDOM_META)) {
		fputs("meta program a.out --with args\n", w->out);
		fputs("meta empty\n", w->out);
		fputs("meta program again  two blanks # no comment\n", w->out);
	}
	for (int i = 0; i < (int)w->knobs.threads; i++) {
		struct thread *t = &w->threads[i];

		t->name = odd ? odd_names[i] : plain_names[i];
		t->needs_fork = i > 0 && !has(w, RANDOM_VALUES) && percent(w, 50);
		t->barrier = -1;
		t->condition = -1;
	}
	for (int i = 0; i < RANDOM_LOCKS_MAX; i++)
		w->locks[i].owner = -1;
	for (int i = 0; i < OTHERS; i++) {
		w->parties[i] = 1 + below(w, (int)w->knobs.threads);
		w->count[i] = below(w, 3);
		w->once_thread[i] = -1;
		if (!has(w, RANDOM_SPELLING) || percent(w, 50)) {
			if (has(w, RANDOM_BARRIERS))
				declare_barrier(w, i);
			if (has(w, RANDOM_SEMAPHORES))
				declare_semaphore(w, i);
		}
	}
	set_up_variables(w);
}

char *random_trace_make(const struct random_trace *knobs)
{
	struct world *w = calloc(1, sizeof(*w));
	char *text = NULL;
	size_t size = 0;

	w->knobs = *knobs;
	w->r = random_seeded(knobs->seed);
	w->out = open_memstream(&text, &size);
	set_up(w);
	/* all may wait for each other: then the trace ends */
	for (int fails = 0; w->events < knobs->events && fails < 500; fails++) {
		struct thread *t = &w->threads[below(w, (int)knobs->threads)];
		bool ending = w->events + knobs->threads + 2 >= knobs->events;

		if (take_step(w, t, ending))
			fails = 0;
	}
	fclose(w->out);
	for (int i = 0; i < RANDOM_THREADS_MAX; i++) {
		free(w->threads[i].reads);
		free(w->threads[i].values);
	}
	free(w);
	return text;
}

struct random_trace random_trace_knobs(uint64_t seed, uint32_t events, uint32_t allowed)
{
	struct random r = random_seeded(seed ^ 0x6b6e6f6273); /* apart from the trace's own */
	struct random_trace knobs = {
		.seed = seed,
		.threads = 2 + random_below(&r, 3),
		.events = events,
		.variables = 1 + random_below(&r, 5),
		.locks = 1 + random_below(&r, 3),
		.features = allowed,
	};

	if (!random_percent(&r, 12))
		knobs.features &= (uint32_t)random_next(&r);
	return knobs;
}
