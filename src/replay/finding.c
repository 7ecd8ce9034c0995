/* SPDX-License-Identifier: MIT */
#include "replay/finding.h"

#include "record/seal.h"
#include "replay/kind.h"
#include "replay/tell.h"

#include <stdio.h>
#include <string.h>

static bool goes(const struct replay_plan *plan, enum replay_orders orders, uint32_t i,
		 enum plan_end *end)
{
	if (!replay_kind_of(plan)->pair) {
		*end = PLAN_ALL;
		return i == 0;
	}
	*end = orders == REPLAY_BA || i ? PLAN_BA : PLAN_AB;
	return i < (orders == REPLAY_BOTH ? 2 : 1);
}

/* A reason why it went another way that can be removed. */
static void add_missing_inputs(struct finding_replay *f, const struct replay_run *run)
{
	size_t length = strlen(f->text);
	uint32_t asked = run->ended.asked;

	if (f->shown || !asked)
		return;
	snprintf(f->text + length, sizeof(f->text) - length,
		 "; %u calls needed inputs (time, random numbers and so on) that %s", asked,
		 f->recorded.inputs.cut ? "were not kept (norn record --max-input)"
					: "are not in the trace");
}

static int run_orders(struct finding_replay *f, enum replay_orders orders,
		      struct replay_options options, struct err *err)
{
	f->shown = true;
	for (uint32_t i = 0; f->shown && !f->interrupted && goes(&f->plan, orders, i, &options.end);
	     i++) {
		f->run_count = i + 1;
		if (replay_once(&f->plan, &f->recorded, &options, &f->runs[i], err) < 0)
			return err->code;
		f->shown = f->runs[i].outcome == REPLAY_SHOWN;
		f->interrupted = f->runs[i].interrupted;
		f->shown_count += f->shown;
		replay_tell_result(&f->plan, &f->runs[i], f->text, sizeof(f->text));
		add_missing_inputs(f, &f->runs[i]);
	}
	return 0;
}

static int check_trust(const struct finding_replay *f, const struct replay_options *options,
		       struct err *err)
{
	if (options->trust || seal_is_ours(f->plan.symbols))
		return 0;
	return err_set(err, ERR_INPUT,
		       "%s was not recorded by this user on this machine: norn replay "
		       "--show-command prints what it would run, and --trust runs it",
		       reader_name(f->plan.reader));
}

/* code: what making the plan has returned. */
static int run_plan(struct finding_replay *f, int code, enum replay_orders orders,
		    const struct replay_options *options, struct err *err)
{
	if (code < 0)
		return code;
	if (code > 0) {
		snprintf(f->text, sizeof(f->text), "%s", err->message);
		return 0;
	}
	if (recorded_read(&f->recorded, f->plan.symbols, reader_name(f->plan.reader), err) < 0 ||
	    check_trust(f, options, err) < 0 ||
	    recorded_check(&f->recorded, f->plan.symbols, err) < 0)
		return err->code;
	return run_orders(f, orders, *options, err);
}

int finding_replay(struct finding_replay *f, struct reader *r, const struct witness *w,
		   enum replay_orders orders, const struct replay_options *options, struct err *err)
{
	*f = (struct finding_replay){0};
	return run_plan(f, replay_plan_make(&f->plan, r, w, err), orders, options, err);
}

int recorded_replay(struct finding_replay *f, struct reader *r, uint64_t last,
		    const struct replay_options *options, struct err *err)
{
	*f = (struct finding_replay){0};
	return run_plan(f, replay_plan_recorded(&f->plan, r, last, err), REPLAY_AB, options, err);
}

void finding_replay_release(struct finding_replay *f)
{
	for (uint32_t i = 0; i < f->run_count; i++)
		replay_run_release(&f->runs[i]);
	recorded_release(&f->recorded);
	replay_plan_release(&f->plan);
}

/* What the program asked for was not kept, so that nobody knows what it had to be given. */
static bool lacks_inputs(const struct finding_replay *f, const struct replay_run *run)
{
	return f->recorded.inputs.cut && run->ended.asked;
}

bool finding_replay_went_another_way(const struct finding_replay *f)
{
	/* one order is enough to show a race */
	if (!f->run_count || f->shown_count)
		return false;
	const struct replay_run *run = &f->runs[0];

	switch (run->outcome) {
	case REPLAY_OTHER_WAY:
	case REPLAY_ELSEWHERE:
	case REPLAY_EARLY_END: return !lacks_inputs(f, run);
	case REPLAY_STALLED: return run->waits_unseen && !lacks_inputs(f, run);
	case REPLAY_WENT_ON: return !(run->blocked_for > 0);
	default: return false;
	}
}

bool finding_replay_outputs_differ(const struct finding_replay *f)
{
	const struct replay_run *a = &f->runs[0], *b = &f->runs[1];

	return f->run_count == 2 && a->output && b->output &&
	       (strcmp(a->output, b->output) || strcmp(a->errors, b->errors));
}
