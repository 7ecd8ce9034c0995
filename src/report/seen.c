/* SPDX-License-Identifier: MIT */
#include "report/seen.h"

#include <stdio.h>
#include <string.h>

/* How to say it: what stands before the thread, between it and the object, and behind that. */
static const struct {
	const char *op, *before, *between, *behind;
} phrases[] = {
	{"holds", "thread ", " holds ", ""},
	{"holds-shared", "thread ", " holds ", ", shared"},
	{"signal", "thread ", " signalled ", ", before any thread waited"},
};

const char *seen_waits(const char *op)
{
	static const char *const words[][2] = {
		{"acquire", "for lock"},
		{"acquire-shared", "for read lock"},
		{"join", "for the end of thread"},
		{"woken", "on condition"},
		{"barrier-exit", "at barrier"},
		{"sem-wait", "for semaphore"},
		{"once-pass", "for the end of once"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i][0], op))
			return words[i][1];
	return "at";
}

static bool is_signal(const char *op)
{
	return !strncmp(op, "SIG", 3);
}

static bool is_access(const char *op)
{
	static const char *const accesses[] = {"read", "write", "rmw", "use", "free", "alloc"};

	for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++)
		if (!strcmp(op, accesses[i]))
			return true;
	return false;
}

void seen_describe(const struct seen_step *s, char *to, size_t room)
{
	char who[1000];

	snprintf(who, sizeof(who), s->name ? "%s (%s)" : "%s%s", s->name ? s->name : "", s->thread);
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++)
		if (!strcmp(s->op, phrases[i].op)) {
			snprintf(to, room, "%s%s%s%s%s", phrases[i].before, who, phrases[i].between,
				 s->object, phrases[i].behind);
			return;
		}
	if (is_signal(s->op) && strcmp(s->object, "-"))
		snprintf(to, room, "thread %s got %s, address %s", who, s->op, s->object);
	else if (is_signal(s->op))
		snprintf(to, room, "thread %s got %s", who, s->op);
	else if (is_access(s->op))
		snprintf(to, room, "%s of %s by thread %s", s->op, s->object, who);
	else
		snprintf(to, room, "thread %s waits %s %s", who, seen_waits(s->op), s->object);
}

void seen_place(const struct seen_step *s, char *to, size_t room)
{
	struct location l = location_split(s->location ? s->location : "");
	int used = snprintf(to, room, "%.*s", (int)l.file_length, l.file);

	if (!s->location) {
		snprintf(to, room, "an unknown place");
		return;
	}
	if (l.line && used > 0 && (size_t)used < room)
		used += snprintf(to + used, room - (size_t)used, ":%u", l.line);
	if (l.function && used > 0 && (size_t)used < room)
		snprintf(to + used, room - (size_t)used, " in %s", l.function);
}

static size_t main_steps(const struct seen *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->steps.n; i++)
		n += seen_is_main(f, i);
	return n;
}

void seen_title(const struct seen *f, char *to, size_t room)
{
	const struct seen_step *first = &f->steps.at[0];
	const char *title = seen_kind_title[f->kind];
	size_t n = main_steps(f);

	switch (f->kind) {
	case SEEN_DEADLOCK:
		snprintf(to, room, "%s of %zu thread%s", title, n, n == 1 ? "" : "s");
		break;
	case SEEN_CRASH: snprintf(to, room, "%s by %s", title, first->op); break;
	case SEEN_USE_AFTER_FREE:
	case SEEN_DOUBLE_FREE: snprintf(to, room, "%s of %s", title, first->object); break;
	default: snprintf(to, room, "%s", title);
	}
}

/* JSON */

static void put_place(struct json *json, const char *text)
{
	struct location l = location_split(text);
	char file[4096];

	snprintf(file, sizeof(file), "%.*s", (int)l.file_length, l.file);
	json_open(json, "location", '{');
	json_string(json, "text", text);
	json_string(json, "file", file);
	if (l.line)
		json_u64(json, "line", l.line);
	if (l.column)
		json_u64(json, "column", l.column);
	if (l.function)
		json_string(json, "function", l.function);
	json_close(json, '}');
}

static void put_steps(struct json *json, const struct seen *f)
{
	char text[2048];

	json_open(json, "steps", '[');
	for (size_t i = 0; i < f->steps.n; i++) {
		const struct seen_step *step = &f->steps.at[i];

		seen_describe(step, text, sizeof(text));
		json_open(json, NULL, '{');
		json_string(json, "thread", step->thread);
		if (step->name)
			json_string(json, "thread_name", step->name);
		json_string(json, "op", step->op);
		json_string(json, "object", step->object);
		json_string(json, "text", text);
		if (step->location)
			put_place(json, step->location);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void seen_json(struct json *json, const struct seen_list *list)
{
	char text[2048];

	json_open(json, "seen", '[');
	for (size_t i = 0; i < list->at.n; i++) {
		const struct seen *f = &list->at.at[i];

		json_open(json, NULL, '{');
		json_string(json, "kind", seen_kind_text[f->kind]);
		seen_title(f, text, sizeof(text));
		json_string(json, "title", text);
		snprintf(text, sizeof(text), "%016llx", (unsigned long long)seen_fingerprint(f));
		json_string(json, "fingerprint", text);
		snprintf(text, sizeof(text), "%016llx", (unsigned long long)seen_likeness(f));
		json_string(json, "likeness", text);
		json_bool(json, "suppressed", f->suppressed);
		put_steps(json, f);
		json_close(json, '}');
	}
	json_close(json, ']');
}
