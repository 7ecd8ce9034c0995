#include "cmd/predict_replay.h"

#include "base/scratch.h"
#include "cmd/cmd.h"
#include "cmd/merge.h"
#include "replay/finding.h"
#include "replay/tell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_MS 300

static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *text_of(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	int length = vasprintf(&text, format, args);

	va_end(args);
	ASSERT(length >= 0);
	return text;
}

static char *end_of(const struct finding_replay *r, uint32_t i)
{
	char order[64], text[1200];

	replay_tell_order(&r->plan, &r->runs[i], order, sizeof(order));
	replay_tell_end(&r->recorded, &r->runs[i], text, sizeof(text));
	return text_of("%s%s%s", order, *order ? ": " : "", text);
}

static void note(struct finding *f, size_t number, const struct finding_replay *r,
		 const struct replay_findings_options *o)
{
	f->replayed.tried = true;
	f->replayed.shown = r->shown;
	f->replayed.text = text_of("%s", r->text);
	/* what Norn has ended, it was shown to block */
	for (uint32_t i = 0; r->shown && i < r->run_count; i++)
		if (f->witness.bug == BUG_RACE)
			f->replayed.follows[i] = end_of(r, i);
	if (r->shown && finding_replay_outputs_differ(r))
		f->replayed.follows[2] = text_of("the two orders print different things");
	if (r->shown && o->keep)
		f->replayed.again = text_of("norn replay %s#%zu", o->trace, number);
}

static int record_runs(const struct finding_replay *r, size_t number, const char *prefix,
		       struct err *err)
{
	static const char *const suffixes[] = {
		[PLAN_AB] = "-ab", [PLAN_BA] = "-ba", [PLAN_ALL] = ""};
	const struct merge_options options = {0};
	int code = 0;

	for (uint32_t i = 0; !code && i < r->run_count; i++) {
		const struct replay_run *run = &r->runs[i];
		char *path = text_of("%s%zu%s.norn", prefix, number, suffixes[run->end]);
		struct symbols metas;

		symbols_init(&metas);
		recorded_copy(&metas, r->plan.symbols, &run->ended);
		code = merge_recording(run->directory, path, &metas, &options, err);
		symbols_release(&metas);
		free(path);
	}
	return code;
}

/* That it cannot be run is a reason like others: what was proved stays proved. */
static int replay_one(struct finding *f, size_t number, const struct replay_findings_options *o,
		      struct err *err)
{
	const struct replay_options options = {
		.timeout = (double)o->timeout, .grace = GRACE_MS, .scratch = scratch_directory()};
	struct finding_replay r = {0};
	struct reader *reader = o->open(o->context, err);

	if (!reader)
		return err->code;
	if (finding_replay(&r, reader, &f->witness, REPLAY_BOTH, &options, err) < 0) {
		r.shown = false;
		snprintf(r.text, sizeof(r.text), "%s", err->message);
	}
	note(f, number, &r, o);
	int code = o->record ? record_runs(&r, number, o->record, err) : 0;

	finding_replay_release(&r);
	return code;
}

int replay_findings(struct prediction *p, const struct replay_findings_options *o, struct err *err)
{
	int code = scratch_open("norn-replay", err);

	if (code < 0)
		return code;
	for (size_t i = 0; !code && i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (f->suppressed)
			continue;
		finding_open(f);
		code = replay_one(f, i + 1, o, err);
		finding_close(f);
	}
	scratch_close();
	return code;
}

int keep_witnesses(struct prediction *p, const char *trace, struct err *err)
{
	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];
		char *path = text_of("%s.%zu.witness", trace, i + 1);
		struct output *out = output_open(path, OUTPUT_REPLACE, err);

		free(path);
		if (!out)
			return err->code;
		finding_open(f);
		witness_write(&f->witness, out);
		finding_close(f);
		if (output_close(out, err) < 0)
			return err->code;
	}
	return 0;
}
