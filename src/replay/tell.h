/* SPDX-License-Identifier: MIT */
/* What came of a replay, in words and as JSON. */
#ifndef REPLAY_TELL_H
#define REPLAY_TELL_H

#include "base/output.h"
#include "replay/replay.h"

/*
 * One line: "both at a.c:3 and b.c:4", or why it was not replayed: which thread did what instead of
 * what, where.
 */
void replay_tell_result(const struct replay_plan *plan, const struct replay_run *run, char *text,
			size_t room);
/* Where the threads of the bug stand: "both at a.c:3 and b.c:4". */
void replay_tell_stand(const struct replay_plan *plan, char *text, size_t room);
/* What a step is (enum log_kind): "lock", "write". */
const char *replay_tell_kind(uint32_t kind);
/* One line: how the program ended, and whether that is as it was recorded. */
void replay_tell_end(const struct recorded *recorded, const struct replay_run *run, char *text,
		     size_t room);

/* T1 first: "ab: T1 first"; "" if there is no first one. */
void replay_tell_order(const struct replay_plan *plan, const struct replay_run *run, char *text,
		       size_t room);

/* Where threads are, with their stacks: those of the bug if it was shown, else all. */
void replay_put_threads(const struct replay_plan *plan, const struct replay_run *run,
			struct output *out);
/* What the program printed, each line behind `before`. */
void replay_put_output(const char *text, const char *before, struct output *out);
/* An object of a run. */
void replay_put_json(const struct replay_plan *plan, const struct recorded *recorded,
		     const struct replay_run *run, struct json *json);

#endif
