/* SPDX-License-Identifier: MIT */
#include "tests/support/naive_check_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void naive_set_why(struct naive_state *s, const char *format, ...)
{
	va_list args;

	if (s->verdict.line)
		return;
	va_start(args, format);
	vsnprintf(s->verdict.why, sizeof(s->verdict.why), format, args);
	va_end(args);
	s->verdict.line = s->line;
	s->verdict.event = s->number;
}

void naive_set_earlier(struct naive_state *s, uint64_t event, uint64_t line, const char *why)
{
	struct naive_verdict *v = &s->verdict;

	if (v->line && v->event <= event)
		return;
	v->event = event;
	v->line = line;
	snprintf(v->why, sizeof(v->why), "%s", why);
}

static int find_name(struct naive_state *s, enum class class, const char *name)
{
	int n = s->name_count[class];

	for (int i = 0; i < n; i++)
		if (!strcmp(s->names[class][i], name))
			return i;
	s->names[class][n] = strdup(name);
	s->known_since[class][n] = s->in_event ? s->number : s->number + 1;
	s->name_count[class]++;
	return n;
}

char *naive_next_token(struct naive_state *s)
{
	return s->next < s->token_count ? s->tokens[s->next++] : "";
}

int naive_next_name(struct naive_state *s, enum class class)
{
	return find_name(s, class, naive_next_token(s));
}

uint64_t naive_number_of(const char *text)
{
	const char *end;

	return (uint64_t)term_parse_number(text, &end);
}

static int64_t next_number(struct naive_state *s)
{
	return (int64_t)naive_number_of(naive_next_token(s));
}

/* Memory */

static struct cell *find_cell(struct naive_state *s, int base, uint64_t address)
{
	for (int i = 0; i < s->cell_count; i++)
		if (s->cells[i].base == base && s->cells[i].address == address)
			return &s->cells[i];
	struct cell *c = &s->cells[s->cell_count++];

	*c = (struct cell){.base = base, .address = address};
	return c;
}

static int cell_count(const struct naive_state *s, int x)
{
	return s->variables[x].size ? (int)s->variables[x].size : 1;
}

static struct cell *cell_of(struct naive_state *s, int x, int i)
{
	const struct variable *v = &s->variables[x];

	return v->size ? find_cell(s, v->base, v->address + (uint64_t)i)
		       : find_cell(s, NONE - x - 1, 0);
}

static int64_t load(struct naive_state *s, int x)
{
	uint64_t value = 0;

	if (!s->variables[x].size)
		return cell_of(s, x, 0)->value;
	for (int i = 0; i < cell_count(s, x) && i < 8; i++)
		value |= (uint64_t)cell_of(s, x, i)->value << 8 * i;
	return (int64_t)value;
}

static void store(struct naive_state *s, int x, int64_t value)
{
	if (!s->variables[x].size)
		cell_of(s, x, 0)->value = value;
	else
		for (int i = 0; i < cell_count(s, x) && i < 8; i++)
			cell_of(s, x, i)->value = (uint64_t)value >> 8 * i & 0xff;
}

void naive_set_unreadable(struct naive_state *s)
{
	struct naive_verdict *v = &s->verdict;

	if (v->unreadable_count < NAIVE_LINES_MAX)
		v->unreadable_lines[v->unreadable_count++] = s->line;
}

/* No event may stand between an object's first mention and its declarations. */
static int next_declared(struct naive_state *s, enum class class)
{
	int x = naive_next_name(s, class);

	if (s->known_since[class][x] != s->number + 1)
		naive_set_unreadable(s);
	return x;
}

static void declare(struct naive_state *s)
{
	const char *word = naive_next_token(s);

	s->in_event = false;
	if (!strcmp(word, "init")) {
		int x = next_declared(s, VARIABLE);

		store(s, x, next_number(s));
	} else if (!strcmp(word, "volatile")) {
		next_declared(s, VARIABLE);
	} else if (!strcmp(word, "memory")) {
		int x = next_declared(s, VARIABLE), base = naive_next_name(s, BASE);

		s->variables[x].base = base;
		s->variables[x].address = (uint64_t)next_number(s);
		s->variables[x].size = (uint64_t)next_number(s);
	} else if (!strcmp(word, "sem")) {
		int x = next_declared(s, SEMAPHORE);

		s->semaphores[x] = next_number(s);
	} else if (!strcmp(word, "barrier")) {
		int x = next_declared(s, BARRIER);

		s->parties[x] = next_number(s);
	}
}

/* Dependences */

static bool is_among(const struct term_read *reads, size_t n, uint64_t event)
{
	for (size_t i = 0; i < n; i++)
		if (reads[i].event == event)
			return true;
	return false;
}

static void check_named(struct naive_state *s, uint64_t event, bool may_be_itself)
{
	if ((event >= s->number && !(event == s->number && may_be_itself)) || !event)
		naive_set_unreadable(s);
	if (!is_among(s->t->reads, s->t->read_count, event))
		naive_set_why(s, "event %llu is no earlier read of its thread",
			      (unsigned long long)event);
}

static void check_list(struct naive_state *s, const char *list, bool may_be_itself)
{
	while (*list) {
		check_named(s, naive_number_of(list), may_be_itself);
		list += strcspn(list, ",");
		list += *list == ',';
	}
}

static void check_term_reads(struct naive_state *s, const struct term *term, bool may_be_itself)
{
	if (term->kind == TERM_READ) {
		check_named(s, (uint64_t)term->number, may_be_itself);
		if (!is_among(s->t->values, s->t->value_count, (uint64_t)term->number))
			naive_set_why(s, "event %lld read several values", (long long)term->number);
	}
	for (int i = 0; i < term->arg_count; i++)
		check_term_reads(s, term->args[i], may_be_itself);
}

/* Joins the rest of the tokens again: an expression has blanks in it. */
static struct term *next_term(struct naive_state *s)
{
	char text[4096] = "";
	const char *c = text;
	int depth = 0;

	do {
		const char *token = naive_next_token(s);

		strcat(strcat(text, token), " ");
		for (; *token; token++)
			depth += *token == '(' ? 1 : *token == ')' ? -1 : 0;
	} while (depth > 0);
	return term_parse(&c);
}

/* Accesses */

struct naive_access {
	int parts[TOKENS_MAX];
	int64_t returned[TOKENS_MAX], written[TOKENS_MAX];
	int count;
	bool composed; /* it has a value as a whole */
};

static bool is_annotation(const char *token)
{
	return token[0] == '@' || !strcmp(token, "=") || !strncmp(token, "reads=", 6) ||
	       !strncmp(token, "at=", 3) || !strncmp(token, "order=", 6) ||
	       !strncmp(token, "skip=", 5);
}

/* Values that its bytes cannot hold, parts that overlap: nothing that could be read. */
static void check_parts(struct naive_state *s, const struct naive_access *a, bool values)
{
	for (int i = 0; i < a->count; i++) {
		uint64_t size = s->variables[a->parts[i]].size;
		uint64_t bits = (uint64_t)a->returned[i] | (uint64_t)a->written[i];

		if (values && size && (size > 8 || (size < 8 && bits >> 8 * size)))
			naive_set_unreadable(s);
		for (int k = 0; k < i; k++)
			for (int m = 0; m < cell_count(s, a->parts[i]) * cell_count(s, a->parts[k]);
			     m++)
				if (cell_of(s, a->parts[i], m % cell_count(s, a->parts[i])) ==
				    cell_of(s, a->parts[k], m / cell_count(s, a->parts[i])))
					naive_set_unreadable(s);
	}
}

static struct naive_access next_access(struct naive_state *s, bool returns, bool writes)
{
	struct naive_access a = {.composed = true};

	do {
		int x = naive_next_name(s, VARIABLE);

		a.parts[a.count] = x;
		if (returns)
			a.returned[a.count] = next_number(s);
		if (writes)
			a.written[a.count] = next_number(s);
		a.count++;
	} while (s->next < s->token_count && !is_annotation(s->tokens[s->next]));
	const struct variable *first = &s->variables[a.parts[0]];

	for (int i = 0; i < a.count && a.count > 1; i++) {
		const struct variable *v = &s->variables[a.parts[i]];

		if (!v->size || v->base != first->base || v->address < first->address ||
		    v->address - first->address + v->size > 8)
			a.composed = false;
	}
	check_parts(s, &a, returns || writes);
	return a;
}

/* Where part i stands in the value of an access that is composed, in bytes. */
static int place_of(const struct naive_state *s, const struct naive_access *a, int i)
{
	return (int)(s->variables[a->parts[i]].address - s->variables[a->parts[0]].address);
}

static void add_read(struct naive_state *s, const struct naive_access *a)
{
	struct thread *t = s->t;
	struct term_read read = {s->number, 0};

	t->reads = realloc(t->reads, (t->read_count + 1) * sizeof(*t->reads));
	t->reads[t->read_count++] = read;
	if (!a->composed)
		return;
	for (int i = 0; i < a->count; i++)
		read.value |= (int64_t)((uint64_t)a->returned[i] << 8 * place_of(s, a, i));
	t->values = realloc(t->values, (t->value_count + 1) * sizeof(*t->values));
	t->values[t->value_count++] = read;
}

/* Each variable that is in memory takes its own bytes of the value, any other takes it all. */
static void check_written(struct naive_state *s, const struct naive_access *a, int64_t value)
{
	if (!a->composed)
		naive_set_why(s, "several values, one expression");
	for (int i = 0; i < a->count && a->composed; i++) {
		int size = (int)s->variables[a->parts[i]].size, place = place_of(s, a, i);
		uint64_t part = size ? 0 : (uint64_t)value;

		for (int k = 0; k < size && place + k < 8; k++)
			part |= ((uint64_t)value >> 8 * (place + k) & 0xff) << 8 * k;
		if ((int64_t)part != a->written[i])
			naive_set_why(s, "the expression gives %lld", (long long)part);
	}
}

void naive_check_annotations(struct naive_state *s, const struct naive_access *a, bool rmw)
{
	while (s->next < s->token_count) {
		const char *token = naive_next_token(s);

		if (!strncmp(token, "reads=", 6)) {
			check_list(s, token + 6, rmw);
		} else if (!strncmp(token, "at=", 3)) {
			/* an rmw's own read is the last of the list by now */
			s->t->read_count -= rmw;
			check_list(s, token + 3, false);
			s->t->read_count += rmw;
		} else if (!strcmp(token, "=") || !strcmp(token, "if")) {
			struct term *term = next_term(s);
			int64_t value;

			check_term_reads(s, term, rmw);
			if (!term_value(term, s->t->values, s->t->value_count, &value))
				naive_set_why(s, "the expression has no value");
			else if (a)
				check_written(s, a, value);
			else if (!value)
				naive_set_why(s, "the guard is 0");
			term_free(term);
		}
	}
}

static void step_access(struct naive_state *s, const char *op)
{
	bool alloc = !strcmp(op, "alloc"), is_free = !strcmp(op, "free"), rmw = !strcmp(op, "rmw");
	bool returns = rmw || !strcmp(op, "read");
	bool writes = rmw || !strcmp(op, "write") || !strcmp(op, "external");
	struct naive_access a = next_access(s, returns, writes);

	for (int i = 0; i < a.count; i++) {
		int x = a.parts[i];

		if (returns && load(s, x) != a.returned[i])
			naive_set_why(s, "it holds %lld", (long long)load(s, x));
		for (int k = 0; k < cell_count(s, x); k++) {
			struct cell *c = cell_of(s, x, k);

			if (c->freed)
				naive_set_why(s, "it was freed");
			if (alloc && c->accessed)
				naive_set_why(s, "it was accessed before its alloc");
			c->accessed = true;
			c->freed = c->freed || is_free;
		}
		if (writes)
			store(s, x, a.written[i]);
	}
	if (rmw)
		add_read(s, &a);
	naive_check_annotations(s, &a, rmw);
	if (returns && !rmw)
		add_read(s, &a);
}

static bool is_one_of(const char *op, const char *list)
{
	const char *at = strstr(list, op);

	return at && (at == list || at[-1] == ' ') && strchr(" ", at[strlen(op)]);
}

/* How often the lock was taken, less how often left, between these positions of the thread. */
static int count_holds(const struct naive_state *s, const char *lock, uint64_t from, uint64_t to)
{
	int holds = 0;

	for (uint64_t i = 1; i <= s->number; i++) {
		const struct past *p = &s->past[i];

		if (p->thread != s->thread || p->position < from || p->position > to ||
		    strcmp(p->first, lock) != 0)
			continue;
		holds += !strncmp(p->op, "acquire", 7);
		holds -= !strncmp(p->op, "release", 7);
	}
	return holds;
}

/* What the scope of an earlier branch of the thread asks of the event at hand. */
static void check_scope(struct naive_state *s, const struct past *here, const struct past *branch)
{
	uint64_t first = branch->position + 1, last = branch->position + branch->scope;

	for (uint64_t i = 1; here->position == last + 1 && i <= s->number; i++)
		if (!strncmp(s->past[i].op, "acquire", 7) && s->past[i].thread == s->thread &&
		    count_holds(s, s->past[i].first, first, last))
			naive_set_why(s, "the scope before it ends with a lock held");
	if (here->position > last)
		return;
	if (!is_one_of(here->op, "read write rmw branch mark acquire release acquire-shared "
				 "release-shared try-fail"))
		naive_set_why(s, "it cannot stand in a scope");
	if (!strncmp(here->op, "release", 7) &&
	    count_holds(s, here->first, first, here->position) < 0)
		naive_set_why(s, "the lock was taken outside of the scope");
	if (here->scope && here->position + here->scope > last)
		naive_set_why(s, "its scope ends behind the one around it");
}

static void check_scopes(struct naive_state *s, struct past *here)
{
	for (int i = s->next; !strcmp(here->op, "branch") && i < s->token_count; i++) {
		if (strncmp(s->tokens[i], "scope=", 6) != 0)
			continue;
		here->scope = naive_number_of(s->tokens[i] + 6);
		if (!here->scope || here->scope > UINT32_MAX)
			naive_set_unreadable(s);
	}
	for (uint64_t i = 1; i < s->number; i++)
		if (s->past[i].scope && s->past[i].thread == s->thread)
			check_scope(s, here, &s->past[i]);
}

static void step(struct naive_state *s)
{
	s->in_event = true;
	s->number++;
	s->thread = naive_next_name(s, THREAD);
	s->t = &s->threads[s->thread];
	const char *op = naive_next_token(s);
	struct past *here = &s->past[s->number];

	snprintf(here->op, sizeof(here->op), "%s", op);
	here->line = s->line;
	here->thread = s->thread;
	here->position = ++s->t->events;
	if (s->next < s->token_count)
		snprintf(here->first, sizeof(here->first), "%s", s->tokens[s->next]);
	check_scopes(s, here);
	if (s->t->first_join)
		naive_set_earlier(s, s->t->first_join, s->t->first_join_line, "the thread goes on");
	if (s->t->ended)
		naive_set_why(s, "the thread has ended");
	if (s->t->waiting && strcmp(op, "woken") != 0)
		naive_set_why(s, "the thread waits");
	if (!strcmp(op, "begin") && s->t->first)
		naive_set_why(s, "it is not the first");
	if (!s->t->first) {
		s->t->first = s->number;
		s->t->first_line = s->line;
	}
	if (is_one_of(op, "read write rmw external alloc free"))
		step_access(s, op);
	else if (is_one_of(op, "acquire release acquire-shared release-shared try-fail"))
		naive_step_lock(s, op);
	else if (is_one_of(op, "barrier-enter barrier-exit"))
		naive_step_barrier(s, op);
	else if (is_one_of(op, "sem-post sem-wait sem-fail"))
		naive_step_semaphore(s, op);
	else if (is_one_of(op, "once-begin once-end once-pass"))
		naive_step_once(s, op);
	else if (is_one_of(op, "fork join"))
		naive_step_thread(s, op);
	else if (!strcmp(op, "wait"))
		naive_step_wait(s);
	else if (!strcmp(op, "woken"))
		naive_step_woken(s);
	else if (is_one_of(op, "signal broadcast"))
		here->object = naive_next_name(s, CONDITION),
		naive_check_annotations(s, NULL, false);
	else if (strcmp(op, "mark") != 0) /* begin, end, branch */
		naive_check_annotations(s, NULL, false);
	if (!strcmp(op, "end"))
		s->t->ended = true;
}

static bool woke_somebody(const struct naive_state *s, uint64_t signal)
{
	for (uint64_t i = 1; i <= s->number; i++)
		if (!strcmp(s->past[i].op, "woken") && s->past[i].by == signal)
			return true;
	return false;
}

/* See *Conditions*: who sleeps is known only when all is read. */
static void check_conditions(struct naive_state *s)
{
	struct naive_verdict *v = &s->verdict;

	for (uint64_t i = 1; i <= s->number; i++) {
		const struct past *woken = &s->past[i];

		if (strcmp(woken->op, "woken") != 0 || !woken->by)
			continue;
		for (uint64_t n = woken->wait + 1; n < woken->by && n < i; n++) {
			const struct past *p = &s->past[n];
			bool broadcast = !strcmp(p->op, "broadcast");

			if ((!broadcast && strcmp(p->op, "signal") != 0) ||
			    p->object != woken->object || (!broadcast && woke_somebody(s, n)) ||
			    v->condition_count == NAIVE_LINES_MAX)
				continue;
			v->condition_lines[v->condition_count++] = p->line;
		}
	}
}

static void split_line(struct naive_state *s, char *line)
{
	const char *first = line + strspn(line, " \t");

	if (!strncmp(first, "meta", 4) || !strncmp(first, "constant ", 9))
		return;
	line[strcspn(line, "#")] = '\0';
	for (char *token = strtok(line, " \t"); token; token = strtok(NULL, " \t"))
		s->tokens[s->token_count++] = token;
}

struct naive_verdict naive_check(const char *text)
{
	struct naive_state *s = calloc(1, sizeof(*s));
	char *copy = strdup(text), *line = copy;

	for (int i = 0; i < NAMES_MAX; i++) {
		s->locks[i].owner = s->once_thread[i] = NONE;
		for (int k = 0; k < NAMES_MAX; k++)
			s->threads[i].entered_round[k] = NONE;
	}
	for (s->line = 1; line; s->line++) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		s->token_count = s->next = 0;
		split_line(s, line);
		if (s->token_count && is_one_of(s->tokens[0], "init volatile memory sem barrier"))
			declare(s);
		else if (s->token_count)
			step(s);
		line = end;
	}
	check_conditions(s);
	struct naive_verdict verdict = s->verdict;

	for (int class = 0; class < CLASSES; class ++)
		for (int i = 0; i < s->name_count[class]; i++)
			free(s->names[class][i]);
	for (int i = 0; i < NAMES_MAX; i++) {
		free(s->threads[i].reads);
		free(s->threads[i].values);
	}
	free(s);
	free(copy);
	return verdict;
}
