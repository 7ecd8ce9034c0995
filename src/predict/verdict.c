/* SPDX-License-Identifier: MIT */
#include "predict/predict.h"

const char *const verdict_text[VERDICT_COUNT] = {
	[VERDICT_CONFIRMED] = "confirmed",
	[VERDICT_CERTIFIED] = "certified",
	[VERDICT_CONDITIONAL] = "conditional",
};

enum verdict finding_verdict(const struct finding *f)
{
	if (f->replayed.shown)
		return VERDICT_CONFIRMED;
	return f->replayed.other_way || f->relies ? VERDICT_CONDITIONAL : VERDICT_CERTIFIED;
}

static uint64_t last_of(const uint64_t *events, size_t n)
{
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++)
		last = events[i] > last ? events[i] : last;
	return last;
}

uint64_t finding_last_event(const struct finding *f)
{
	const struct witness *w = &f->witness;
	uint64_t run = last_of(w->run.at, w->run.n),
		 bug = last_of(w->bug_events.at, w->bug_events.n);

	run = w->recorded > run ? w->recorded : run;
	return run > bug ? run : bug;
}
