/* SPDX-License-Identifier: MIT */
/* The text of a random trace: lines, declarations, and ways of spelling the same. */
#include "tests/support/random_trace_parts.h"

#include <string.h>

static void print_blank(struct world *w)
{
	static const char *const blanks[] = {"  ", "\t", " \t "};

	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputs(blanks[below(w, 3)], w->out);
	else
		fputc(' ', w->out);
}

void random_print_number(struct world *w, int64_t value)
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

void random_print_word(struct world *w, const char *word)
{
	print_blank(w);
	fputs(word, w->out);
}

void random_print_named(struct world *w, char letter, int number)
{
	print_blank(w);
	fprintf(w->out, "%c%d", letter, number);
}

void random_print_line_end(struct world *w)
{
	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputs(" # a note, = (+ 1", w->out);
	fputc('\n', w->out);
	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputs(percent(w, 50) ? "\n" : "# nothing here\n", w->out);
}

void random_declare_variable(struct world *w, struct variable *v)
{
	if (v->declared)
		return;
	v->declared = true;
	if (v->size) {
		fprintf(w->out, "memory %s base%d", v->name, v->base);
		random_print_number(w, 0x1000 + v->offset);
		random_print_number(w, v->size);
		random_print_line_end(w);
	}
	if (v->is_volatile) {
		fputs("volatile", w->out);
		random_print_word(w, v->name);
		random_print_line_end(w);
	}
	if (v->has_init) {
		fputs("init", w->out);
		random_print_word(w, v->name);
		random_print_number(w, random_variable_value(v)); /* nothing has changed it yet */
		random_print_line_end(w);
	}
}

void random_declare_semaphore(struct world *w, int s)
{
	if (w->semaphore_declared[s])
		return;
	w->semaphore_declared[s] = true;
	if (!w->count[s] && percent(w, 70))
		return;
	fputs("sem", w->out);
	random_print_named(w, 's', s);
	random_print_number(w, w->count[s]);
	random_print_line_end(w);
}

void random_declare_barrier(struct world *w, int b)
{
	if (w->barrier_declared[b])
		return;
	w->barrier_declared[b] = true;
	fputs("barrier", w->out);
	random_print_named(w, 'b', b);
	random_print_number(w, w->parties[b]);
	random_print_line_end(w);
}

void random_print_op(struct world *w, struct thread *t, const char *op)
{
	if (has(w, RANDOM_SPELLING) && percent(w, 4))
		fputc(' ', w->out);
	fputs(t->name, w->out);
	random_print_word(w, op);
	t->started = true;
	w->events++;
}

void random_print_reads(struct world *w, const char *word, const struct term_read *reads, size_t of,
			bool may_be_empty)
{
	int n = (int)of;
	int count = n ? (may_be_empty ? 0 : 1) + below(w, n < 3 ? n : 3) : 0;

	random_print_word(w, word);
	for (int i = 0; i < count; i++)
		fprintf(w->out, "%s%llu", i ? "," : "",
			(unsigned long long)reads[below(w, n)].event);
}

/* Takes no random number: traces of the same seed stay the same but for this. */
void random_print_skip(struct world *w)
{
	if (!has(w, RANDOM_SPELLING) || w->events % 5 != 2)
		return;
	if (w->events % 3)
		fprintf(w->out, " skip=%u",
			(unsigned)(w->events % 2 ? 65534 : w->events % 300 + 1));
	else
		fputs(" skip=-", w->out);
}

void random_print_rest(struct world *w, struct thread *t)
{
	static const char *const places[] = {"a.c:1",	  "a.c:2:7",	    "b.c:30:main",
					     "b.c:3:4:f", "d/long-name.cc", "é:1"};

	if (has(w, RANDOM_AT) && t->read_count && percent(w, 10))
		random_print_reads(w, "at=", t->reads, t->read_count, false);
	random_print_skip(w);
	if (has(w, RANDOM_LOCATIONS) && percent(w, 60)) {
		print_blank(w);
		fprintf(w->out, "@%s", places[below(w, 6)]);
	}
	random_print_line_end(w);
}

void random_print_order(struct world *w)
{
	static const char *const orders[] = {"relaxed", "consume", "acquire",
					     "release", "acq_rel", "seq_cst"};

	if (!has(w, RANDOM_ATOMIC) || percent(w, 70))
		return;
	random_print_word(w, "order=");
	fputs(orders[below(w, 6)], w->out);
}

void random_print_simple(struct world *w, struct thread *t, const char *op, char letter, int number)
{
	random_print_op(w, t, op);
	random_print_named(w, letter, number);
	if ((op[0] == 'a' || !strcmp(op, "sem-wait") || !strcmp(op, "once-pass")) && percent(w, 15))
		fputs(" try", w->out);
	random_print_rest(w, t);
}
