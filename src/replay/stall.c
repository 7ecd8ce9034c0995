/* SPDX-License-Identifier: MIT */
#include "replay/stall.h"

#include "runtime/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whose step is next; behind the last, who does not stand at its stop. */
static uint32_t who_holds_up(const struct replay_plan *plan, const struct replay_state *state,
			     const struct replay_thread *threads)
{
	uint32_t turn = state->turn, first_stop = (uint32_t)plan->steps.n - plan->stops;

	if (turn < first_stop)
		return plan->steps.at[turn].thread;
	for (uint32_t i = first_stop; i < plan->steps.n; i++)
		if (threads[plan->steps.at[i].thread].where != REPLAY_AT_STOP)
			return plan->steps.at[i].thread;
	return PLAN_NONE;
}

/* It is not the runtime that keeps it; nor a handler, for which it waits in the runtime, too. */
static bool is_on_its_own(const struct replay_thread *t)
{
	return t->tid && (t->where == REPLAY_RUNS || t->where == REPLAY_BLOCKED);
}

/* S, R and so on, and how many ticks it has had; 0: there is no such thread. */
static char look_at(pid_t program, uint32_t tid, uint64_t *ticks)
{
	char path[64], text[1024];
	unsigned long long user = 0, system = 0;
	char state = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/stat", (int)program, tid);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (file)
		fclose(file);
	text[length] = '\0';
	/* the name of the program may hold anything, and a bracket is behind it */
	const char *behind = strrchr(text, ')');

	if (!behind || sscanf(behind + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
			      &state, &user, &system) != 3)
		return 0;
	*ticks = user + system;
	return state;
}

void stall_look(struct stall *s, pid_t program, const struct replay_plan *plan,
		const struct replay_state *state, const struct replay_thread *threads)
{
	s->thread = who_holds_up(plan, state, threads);
	s->ticks = 0;
	if (s->thread != PLAN_NONE)
		look_at(program, threads[s->thread].tid, &s->ticks);
}

/* A tenth of what it could have had. */
static bool has_spun(uint64_t ticks, double seconds)
{
	return (double)ticks >= seconds * (double)sysconf(_SC_CLK_TCK) / 10;
}

bool stall_is_unseen(const struct stall *s, double seconds, pid_t program,
		     const struct replay_plan *plan, const struct replay_state *state,
		     const struct replay_thread *threads)
{
	uint32_t thread = who_holds_up(plan, state, threads);
	uint64_t ticks;

	if (thread == PLAN_NONE || thread != s->thread || !is_on_its_own(&threads[thread]))
		return false;
	switch (look_at(program, threads[thread].tid, &ticks)) {
	case 'S': return true;
	case 'R': return has_spun(ticks - s->ticks, seconds);
	default: return false;
	}
}
