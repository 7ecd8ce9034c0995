/* SPDX-License-Identifier: MIT */
#include "replay/debugger.h"

#include "replay/kind.h"
#include "replay/tell.h"
#include "runtime/log.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

__asm__(".pushsection .rodata\ngdb_script:\n.incbin \"src/replay/gdb.py\"\ngdb_script_end:\n"
	".popsection\n");
extern const char gdb_script[] __attribute__((visibility("hidden"))),
	gdb_script_end[] __attribute__((visibility("hidden")));

#define STEP_SECONDS 10 /* that a step may take, which may never end */

static void put_path(struct json *json, const char *key, const struct replay_run *run,
		     const char *name)
{
	char path[sizeof(run->directory) + 16];

	snprintf(path, sizeof(path), "%s/%s", run->directory, name);
	json_string(json, key, path);
}

/* Where what both sides map has its members (runtime/plan.h). */
static void put_layout(struct json *json)
{
	json_u64(json, "threads_at", sizeof(struct replay_state));
	json_u64(json, "thread_size", sizeof(struct replay_thread));
	json_u64(json, "go_at", offsetof(struct replay_state, go));
	json_u64(json, "turn_at", offsetof(struct replay_state, turn));
	json_u64(json, "count_at", offsetof(struct replay_state, threads));
	json_u64(json, "order_at", offsetof(struct plan, end));
	json_u64(json, "ab", PLAN_AB);
	json_u64(json, "ba", PLAN_BA);
	json_open(json, "thread", '{');
#define MEMBER(name) json_u64(json, #name, offsetof(struct replay_thread, name));
	MEMBER(where)
	MEMBER(kind)
	MEMBER(address)
	MEMBER(size)
	MEMBER(object)
	MEMBER(tid)
	MEMBER(depth)
	MEMBER(performed)
	MEMBER(stack)
#undef MEMBER
	json_close(json, '}');
}

/* As the program calls them, and as the report does. */
static void put_names(struct json *json, const struct replay_plan *plan)
{
	char id[32], name[300];

	json_open(json, "names", '[');
	for (uint32_t i = 0; i < plan->threads.n; i++) {
		replay_thread_name(i, id, sizeof(id));
		const char *given = symbols_given_name(plan->symbols, id);

		snprintf(name, sizeof(name), given ? "%s (%s)" : "%s%s", given ? given : "", id);
		json_string(json, NULL, name);
	}
	json_close(json, ']');
}

static void put_stops(struct json *json, const struct replay_plan *plan)
{
	json_open(json, "stops", '[');
	for (size_t i = plan->steps.n - plan->stops; i < plan->steps.n; i++)
		json_u64(json, NULL, plan->steps.at[i].thread);
	json_close(json, ']');
}

static void put_kinds(struct json *json)
{
	char number[12];

	json_open(json, "kinds", '{');
	for (uint32_t kind = 0; kind < LOG_KIND_COUNT; kind++) {
		snprintf(number, sizeof(number), "%u", kind);
		json_string(json, number, replay_tell_kind(kind));
	}
	json_close(json, '}');
}

/* "race, both at a.c:3 and a.c:9" */
static void put_title(struct json *json, const struct replay_stop *at)
{
	char text[2400], title[2500];

	if (at->plan->bug == BUG_COUNT) {
		json_string(json, "title", "the end of the schedule");
		return;
	}
	replay_tell_stand(at->plan, text, sizeof(text));
	snprintf(title, sizeof(title), "%s, %s", bug_kind_text[at->plan->bug], text);
	json_string(json, "title", title);
}

static void put_facts(struct json *json, const struct replay_stop *at, bool batch)
{
	const struct replay_kind *kind = replay_kind_of(at->plan);

	json_open(json, NULL, '{');
	json_u64(json, "program", (uint64_t)at->program);
	json_u64(json, "batch", batch);
	json_u64(json, "seconds", STEP_SECONDS);
	json_u64(json, "pair", kind->pair);
	json_u64(json, "blocks", at->plan->stops && !kind->goes_on);
	put_path(json, "state", at->run, "state");
	put_path(json, "plan", at->run, "plan");
	put_title(json, at);
	put_layout(json);
	put_names(json, at->plan);
	put_stops(json, at->plan);
	put_kinds(json);
	json_close(json, '}');
}

/* JSON of numbers and strings is Python, too. */
int debugger_write_script(const struct replay_stop *at, bool batch, char *path, size_t room,
			  struct err *err)
{
	if ((size_t)snprintf(path, room, "%s/gdb.py", at->run->directory) >= room)
		return err_set(err, ERR_SYSTEM, "%s: the name is too long", at->run->directory);
	struct output *out = output_open(path, OUTPUT_PRIVATE, err);

	if (!out)
		return err->code;
	struct json json = {.out = out};

	output_text(out, "NORN = ");
	put_facts(&json, at, batch);
	output_char(out, '\n');
	output_bytes(out, gdb_script, (size_t)(gdb_script_end - gdb_script));
	return output_close(out, err);
}
