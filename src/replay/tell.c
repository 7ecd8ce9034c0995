/* SPDX-License-Identifier: MIT */
#include "replay/tell.h"

#include "base/harmless.h"
#include "record/log/modules.h"
#include "replay/kind.h"
#include "runtime/log.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_text[LOG_KIND_COUNT] = {
	[LOG_BRANCH] = "branch",
	[LOG_READ] = "read",
	[LOG_WRITE] = "write",
	[LOG_RMW] = "atomic change",
	[LOG_FORK] = "start of a thread",
	[LOG_JOIN] = "join",
	[LOG_BEGIN] = "begin",
	[LOG_END] = "end",
	[LOG_ACQUIRE] = "lock",
	[LOG_RELEASE] = "unlock",
	[LOG_ACQUIRE_SHARED] = "read lock",
	[LOG_RELEASE_SHARED] = "read unlock",
	[LOG_TRY_FAIL] = "failed try of a lock",
	[LOG_TRY_FAIL_SHARED] = "failed try of a read lock",
	[LOG_WAIT] = "wait",
	[LOG_WOKEN] = "end of a wait",
	[LOG_SIGNAL] = "signal",
	[LOG_BROADCAST] = "broadcast",
	[LOG_BARRIER_INIT] = "init of a barrier",
	[LOG_BARRIER_ENTER] = "arrival at a barrier",
	[LOG_BARRIER_EXIT] = "exit of a barrier",
	[LOG_SEM_INIT] = "init of a semaphore",
	[LOG_SEM_POST] = "post of a semaphore",
	[LOG_SEM_WAIT] = "wait for a semaphore",
	[LOG_SEM_FAIL] = "failed try of a semaphore",
	[LOG_ONCE_BEGIN] = "begin of a once-control",
	[LOG_ONCE_END] = "end of a once-control",
	[LOG_ONCE_PASS] = "pass of a once-control",
	[LOG_INIT] = "init",
	[LOG_ALLOC] = "allocation",
	[LOG_FREE] = "free",
	[LOG_MARK] = "mark",
	[LOG_STACK] = "begin of a local variable",
	[LOG_STACK_END] = "end of a local variable",
	[LOG_HANDLER] = "handler of a signal",
};

static const char *const where_text[] = {
	[REPLAY_RUNS] = "runs",		 [REPLAY_WAITS] = "waits for its turn",
	[REPLAY_AT_STOP] = "stands",	 [REPLAY_HELD] = "is held",
	[REPLAY_BLOCKED] = "is blocked", [REPLAY_ENDED] = "has ended",
};

const char *replay_tell_kind(uint32_t kind)
{
	return kind < LOG_KIND_COUNT && kind_text[kind] ? kind_text[kind] : "step";
}

/* A or an, for what replay_tell_kind says. */
static const char *article(uint32_t kind)
{
	return strchr("aeiou", *replay_tell_kind(kind)) ? "an" : "a";
}

static const char *where_name(uint32_t where)
{
	return where < sizeof(where_text) / sizeof(*where_text) ? where_text[where] : "runs";
}

/* FILE:LINE of a location; "an unknown place". */
static void short_place(const char *location, char *text, size_t room)
{
	struct location l = location_split(location);

	if (!*location)
		snprintf(text, room, "an unknown place");
	else if (l.line)
		snprintf(text, room, "%.*s:%u", (int)l.file_length, l.file, l.line);
	else
		snprintf(text, room, "%s", location);
}

static void step_place(const struct replay_plan *plan, uint32_t step, char *text, size_t room)
{
	short_place(replay_plan_location(plan, step), text, room);
}

/* Frames of the program: without those of our runtime inside, and of what starts threads outside.
 */
struct frames {
	const struct replay_thread *thread;
	struct modules *modules;
	uint32_t next;
	char location[1024];
};

#define RUNTIME_FILES "norn-runtime/" /* as the Makefile has it */

static bool is_start(const struct location *l)
{
	static const char *const starts[] = {"start_thread", "__libc_start_call_main", "__clone3"};

	for (size_t i = 0; l->function && i < sizeof(starts) / sizeof(*starts); i++)
		if (!strcmp(l->function, starts[i]))
			return true;
	return false;
}

static bool next_frame(struct frames *f, struct location *l)
{
	while (f->next < f->thread->depth && f->next < REPLAY_STACK) {
		uint64_t pc = f->thread->stack[f->next++];

		if (!modules_call(f->modules, pc, f->location, sizeof(f->location)))
			continue;
		*l = location_split(f->location);
		if (is_start(l))
			return false;
		if (strncmp(l->file, RUNTIME_FILES, strlen(RUNTIME_FILES)) != 0)
			return true;
	}
	return false;
}

/* Where the thread itself says that it is: by its stack, or by its site. */
static void thread_place(const struct replay_thread *t, struct modules *m, char *text, size_t room)
{
	struct frames frames = {.thread = t, .modules = m};
	struct location l;

	if (next_frame(&frames, &l))
		short_place(frames.location, text, room);
	else if (t->place)
		snprintf(text, room, "line %u, column %u", (uint32_t)(t->place >> 32),
			 (uint32_t)t->place);
	else
		snprintf(text, room, "an unknown place");
}

static uint32_t first_stop(const struct replay_plan *plan)
{
	return (uint32_t)plan->steps.n - plan->stops;
}

/* Results */

void replay_tell_stand(const struct replay_plan *plan, char *text, size_t room)
{
	char place[1024];
	size_t used = 0;

	*text = '\0';
	if (!plan->stops && plan->bug != BUG_COUNT && plan->steps.n) {
		step_place(plan, (uint32_t)plan->steps.n - 1, place, sizeof(place));
		snprintf(text, room, "all %zu steps, %s%s", plan->steps.n,
			 replay_kind_of(plan)->stand, place);
	} else if (!plan->stops) {
		snprintf(text, room, "all %zu steps, as recorded", plan->steps.n);
	}
	for (uint32_t i = 0; i < plan->stops && used < room; i++) {
		step_place(plan, first_stop(plan) + i, place, sizeof(place));
		const char *before =
			i ? i + 1 < plan->stops ? ", " : " and " : replay_kind_of(plan)->stand;

		used += (size_t)snprintf(text + used, room - used, "%s%s", before, place);
	}
}

static void tell_shown(const struct replay_plan *plan, const struct replay_run *run, char *text,
		       size_t room)
{
	replay_tell_stand(plan, text, room);
	size_t used = strlen(text);

	if (run->blocked_for > 0 && used < room)
		snprintf(text + used, room - used,
			 "; blocked for %.1f seconds, while other threads continued",
			 run->blocked_for);
}

static void tell_divergence(const struct replay_plan *plan, const struct replay_run *run,
			    char *text, size_t room)
{
	uint32_t thread = run->state.diverged, expected = run->state.expected;
	char name[32], did[1024] = "an unknown place", planned[1024];
	uint32_t kind = LOG_NOTHING;

	replay_thread_name(thread, name, sizeof(name));
	if (thread < run->last.n) {
		struct modules *m = modules_new(run->modules ? run->modules : "");

		kind = run->last.at[thread].kind;
		thread_place(&run->last.at[thread], m, did, sizeof(did));
		modules_free(m);
	}
	if (expected >= plan->steps.n) {
		snprintf(text, room, "thread %s reached %s %s at %s, which is not in the plan",
			 name, article(kind), replay_tell_kind(kind), did);
		return;
	}
	uint32_t wanted = plan->steps.at[expected].kind;

	step_place(plan, expected, planned, sizeof(planned));
	snprintf(text, room,
		 "thread %s reached %s %s at %s instead of %s %s at %s (event %" PRIu64
		 ", step %u of %zu)",
		 name, article(kind), replay_tell_kind(kind), did, article(wanted),
		 replay_tell_kind(wanted), planned, plan->events.at[expected], expected + 1,
		 plan->steps.n);
}

/* A thread that waits for a signal, if there is one. */
static void tell_awaited_signal(const struct replay_run *run, char *text, size_t room)
{
	char name[32];

	*text = '\0';
	for (uint32_t i = 0; i < run->last.n; i++) {
		const struct replay_thread *t = &run->last.at[i];

		if (t->where != REPLAY_WAITS || t->kind != LOG_HANDLER)
			continue;
		snprintf(text, room,
			 "; thread %s waits for signal %" PRIu64
			 " (%s), whose handler ran there in the recorded run",
			 replay_thread_name(i, name, sizeof(name)), t->object,
			 strsignal((int)t->object));
		return;
	}
}

static void tell_status(int status, int number, char *text, size_t room)
{
	if (number)
		snprintf(text, room, "signal %d (%s)", number, strsignal(number));
	else
		snprintf(text, room, "exit status %d", status);
}

/* "no thread moved", or how the program ended. */
static void tell_why_no_turn(const struct replay_run *run, char *text, size_t room)
{
	char status[200];

	tell_status(run->ended.status, run->ended.signal, status, sizeof(status));
	if (run->outcome == REPLAY_STALLED)
		snprintf(text, room, "no thread moved");
	else
		snprintf(text, room, "the program ended (%s)", status);
}

/* Whose turn it was when nobody moved, or how far it was when it ended. */
static void tell_turn(const struct replay_plan *plan, const struct replay_run *run, char *text,
		      size_t room)
{
	uint32_t turn = run->state.turn, kind;
	char before[250], name[32], place[1024], more[200];

	tell_why_no_turn(run, before, sizeof(before));
	tell_awaited_signal(run, more, sizeof(more));
	if (run->waits_unseen)
		snprintf(more, sizeof(more),
			 "; it waits for something that the record does not show");
	if (turn >= first_stop(plan)) {
		snprintf(text, room,
			 "%s after all %u steps, before all threads stood at their stops%s", before,
			 first_stop(plan), more);
		return;
	}
	kind = plan->steps.at[turn].kind;
	replay_thread_name(plan->steps.at[turn].thread, name, sizeof(name));
	step_place(plan, turn, place, sizeof(place));
	snprintf(text, room,
		 "%s when it was the turn of thread %s, %s %s at %s (event %" PRIu64
		 ", step %u of %zu)%s",
		 before, name, article(kind), replay_tell_kind(kind), place, plan->events.at[turn],
		 turn + 1, plan->steps.n, more);
}

void replay_tell_result(const struct replay_plan *plan, const struct replay_run *run, char *text,
			size_t room)
{
	switch (run->outcome) {
	case REPLAY_SHOWN: tell_shown(plan, run, text, room); break;
	case REPLAY_OTHER_WAY: tell_divergence(plan, run, text, room); break;
	case REPLAY_STALLED:
	case REPLAY_EARLY_END: tell_turn(plan, run, text, room); break;
	case REPLAY_ELSEWHERE:
		snprintf(text, room,
			 "both threads stood at their accesses, but not to the same memory");
		break;
	case REPLAY_TOO_LATE:
		snprintf(text, room,
			 "both threads stood there, but a library function had already made one "
			 "of the accesses");
		break;
	case REPLAY_WENT_ON:
		snprintf(text, room,
			 run->blocked_for > 0
				 ? "the threads are blocked where predicted, but others continue"
				 : "the threads did not all stay blocked where predicted");
		break;
	default:
		snprintf(text, room,
			 "the program does not follow the plan: it was linked with a runtime that "
			 "cannot replay");
	}
}

/* Is it another end than the recorded one? */
static bool end_differs(const struct recorded *recorded, const struct replay_run *run)
{
	return !run->starved && (run->killed || run->ended.status != recorded->status);
}

/* The last line that tells of a failed assertion. */
static bool find_assertion(const char *errors, char *text, size_t room)
{
	const char *found = NULL;

	for (const char *at = errors; at && (at = strstr(at, "ssertion")); at++)
		found = at;
	if (!found)
		return false;
	while (found > errors && found[-1] != '\n')
		found--;
	snprintf(text, room, "%.*s", (int)strcspn(found, "\n"), found);
	return true;
}

void replay_tell_end(const struct recorded *recorded, const struct replay_run *run, char *text,
		     size_t room)
{
	char now[200], then[200], assertion[400];

	tell_status(recorded->status, recorded->signal, then, sizeof(then));
	if (run->state.rest == REPLAY_STUCK) {
		snprintf(text, room, "all threads wait for each other; recorded: %s", then);
		return;
	}
	if (run->starved) {
		snprintf(text, room,
			 "waits for more than sockets gave in the recorded run; recorded: %s",
			 then);
		return;
	}
	if (run->killed) {
		snprintf(text, room, "did not end by itself; recorded: %s", then);
		return;
	}
	tell_status(run->ended.status, run->ended.signal, now, sizeof(now));
	if (!end_differs(recorded, run))
		snprintf(text, room, "%s, as recorded", now);
	else if (run->ended.signal == SIGABRT && run->errors &&
		 find_assertion(run->errors, assertion, sizeof(assertion)))
		snprintf(text, room, "%s: %s; recorded: %s", now, assertion, then);
	else
		snprintf(text, room, "%s; recorded: %s", now, then);
}

void replay_tell_order(const struct replay_plan *plan, const struct replay_run *run, char *text,
		       size_t room)
{
	char name[32];

	*text = '\0';
	if (run->end == PLAN_ALL || plan->stops < 2)
		return;
	uint32_t first = first_stop(plan) + (run->end == PLAN_BA ? plan->stops - 1 : 0);

	snprintf(text, room, "%s: %s first", run->end == PLAN_BA ? "ba" : "ab",
		 replay_thread_name(plan->steps.at[first].thread, name, sizeof(name)));
}

/* Threads and their stacks */

static void put_stack(const struct replay_thread *t, struct modules *m, struct output *out)
{
	struct frames frames = {.thread = t, .modules = m};
	struct location l;

	for (unsigned i = 0; next_frame(&frames, &l); i++)
		output_format(out, "    #%u %s %.*s:%u\n", i, l.function ? l.function : "?",
			      (int)l.file_length, l.file, l.line);
}

static void put_thread(uint32_t number, const struct replay_thread *t, struct modules *m,
		       struct output *out)
{
	char name[32];

	replay_thread_name(number, name, sizeof(name));
	output_format(out, "  thread %s %s", name, where_name(t->where));
	if (t->where != REPLAY_ENDED && t->where != REPLAY_RUNS)
		output_format(out, " %s %s %s",
			      t->where == REPLAY_BLOCKED ? "in"
			      : t->performed		 ? "behind"
							 : "before",
			      article(t->kind), replay_tell_kind(t->kind));
	if (t->where == REPLAY_AT_STOP && t->address)
		output_format(out, " of %" PRIu64 " byte%s at 0x%" PRIx64, t->size,
			      t->size == 1 ? "" : "s", t->address);
	output_text(out, t->depth ? ":\n" : "\n");
	put_stack(t, m, out);
}

static bool has_stop(const struct replay_plan *plan, uint32_t thread)
{
	for (uint32_t i = first_stop(plan); i < plan->steps.n; i++)
		if (plan->steps.at[i].thread == thread)
			return true;
	return false;
}

/* Of a race only the two that stood; of all else everybody. */
static const replay_threads *threads_to_show(const struct replay_plan *plan,
					     const struct replay_run *run, bool *stops_alone)
{
	*stops_alone = replay_kind_of(plan)->goes_on &&
		       (run->outcome == REPLAY_SHOWN || run->outcome == REPLAY_ELSEWHERE ||
			run->outcome == REPLAY_TOO_LATE);
	return *stops_alone ? &run->stood : &run->last;
}

void replay_put_threads(const struct replay_plan *plan, const struct replay_run *run,
			struct output *out)
{
	struct modules *m = modules_new(run->modules ? run->modules : "");
	bool stops_alone;
	const replay_threads *threads = threads_to_show(plan, run, &stops_alone);

	for (uint32_t i = 0; i < threads->n; i++)
		if (!stops_alone || has_stop(plan, i))
			put_thread(i, &threads->at[i], m, out);
	modules_free(m);
}

void replay_put_output(const char *text, const char *before, struct output *out)
{
	while (text && *text) {
		size_t length = strcspn(text, "\n");

		output_text(out, before);
		harmless_put(out, text, length);
		output_char(out, '\n');
		text += length + (text[length] == '\n');
	}
}

/* JSON */

static void put_thread_json(uint32_t number, const struct replay_thread *t, struct modules *m,
			    struct json *json)
{
	struct frames frames = {.thread = t, .modules = m};
	struct location l;
	char text[32];

	json_open(json, NULL, '{');
	json_string(json, "thread", replay_thread_name(number, text, sizeof(text)));
	json_string(json, "where", where_name(t->where));
	json_string(json, "op", replay_tell_kind(t->kind));
	json_u64(json, "step", t->step);
	if (t->address) {
		json_u64(json, "address", t->address);
		json_u64(json, "size", t->size);
		json_u64(json, "value", t->value);
	}
	if (t->object)
		json_u64(json, "object", t->object);
	json_open(json, "stack", '[');
	while (next_frame(&frames, &l))
		json_string(json, NULL, frames.location);
	json_close(json, ']');
	json_close(json, '}');
}

void replay_put_json(const struct replay_plan *plan, const struct recorded *recorded,
		     const struct replay_run *run, struct json *json)
{
	struct modules *m = modules_new(run->modules ? run->modules : "");
	bool stops_alone;
	const replay_threads *threads = threads_to_show(plan, run, &stops_alone);
	char text[4096];

	json_open(json, NULL, '{');
	if (run->end != PLAN_ALL)
		json_string(json, "order", run->end == PLAN_BA ? "ba" : "ab");
	json_string(json, "result", replay_outcome_text[run->outcome]);
	replay_tell_result(plan, run, text, sizeof(text));
	json_string(json, "text", text);
	json_u64(json, "taken", run->state.turn);
	json_u64(json, "inputs_given", run->ended.given);
	json_u64(json, "inputs_asked", run->ended.asked);
	json_bool(json, "killed", run->killed);
	if (!run->killed) {
		json_i64(json, "status", run->ended.status);
		json_i64(json, "signal", run->ended.signal);
	}
	if (run->blocked_for > 0)
		json_double(json, "blocked_for", run->blocked_for);
	json_bool(json, "differs", end_differs(recorded, run));
	replay_tell_end(recorded, run, text, sizeof(text));
	json_string(json, "end", text);
	json_string(json, "output", run->output ? run->output : "");
	json_string(json, "errors", run->errors ? run->errors : "");
	json_open(json, "threads", '[');
	for (uint32_t i = 0; i < threads->n; i++)
		if (!stops_alone || has_stop(plan, i))
			put_thread_json(i, &threads->at[i], m, json);
	json_close(json, ']');
	json_close(json, '}');
	modules_free(m);
}
