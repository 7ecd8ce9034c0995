/* SPDX-License-Identifier: MIT */
#include "cmd/predict_replay.h"

#include "base/scratch.h"
#include "cmd/cmd.h"
#include "cmd/recording.h"
#include "replay/finding.h"
#include "replay/tell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURN_LEAST 2 /* seconds */
#define NOT_HERE "replay is not possible here: "

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

/* One order is enough to show a race; the other one may go another way. */
static char *what_follows(const struct finding_replay *r, uint32_t i)
{
	return r->runs[i].outcome == REPLAY_SHOWN ? end_of(r, i)
						  : text_of("not in the other order: %s", r->text);
}

void predict_replay_note(struct finding *f, const struct finding_replay *r)
{
	char shown[2400];

	f->replayed.tried = true;
	f->replayed.shown = r->shown_count > 0;
	if (!f->replayed.shown) {
		f->replayed.text = text_of("%s", r->text);
		return;
	}
	replay_tell_result(&r->plan, &r->runs[0], shown, sizeof(shown));
	f->replayed.text = text_of("%s", shown);
	/* what Norn has ended, it was shown to block, or to have done what it may not */
	for (uint32_t i = 0; i < r->run_count; i++)
		if (!bug_facts[f->witness.bug].blocks && !bug_facts[f->witness.bug].past &&
		    !r->runs[i].interrupted)
			f->replayed.follows[i] = what_follows(r, i);
	if (r->shown && finding_replay_outputs_differ(r))
		f->replayed.follows[2] = text_of("the two orders print different output");
}

int predict_replay_record(const struct finding_replay *r, uint32_t run, const char *path,
			  struct err *err)
{
	const struct recording_options options = {0};
	struct symbols metas;

	symbols_init(&metas);
	recorded_copy(&metas, r->plan.symbols, &r->runs[run].ended);
	int code = recording_merge(r->runs[run].directory, path, &metas, &options, err);

	symbols_release(&metas);
	return code;
}

/* The recorded schedule */

/* Not what a second chance has found: that was replayed. */
static bool is_to_be_replayed(const struct finding *f)
{
	return !f->suppressed && !f->evidence;
}

static uint64_t last_event(const struct prediction *p)
{
	uint64_t last = 0;

	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (!is_to_be_replayed(f))
			continue;
		finding_open(f);
		uint64_t own = finding_last_event(f);

		finding_close(f);
		last = own > last ? own : last;
	}
	return last;
}

struct replaying {
	const struct predict_replay_options *options;
	struct replay_options run;
	uint64_t last; /* event of all witnesses */
	/* Whether the recorded schedule can be replayed, once that is asked for. */
	bool asked, can;
	double rested;	/* then: the longest time in which nothing moved */
	char why[2400]; /* else: why it cannot */
};

static int replay_recorded(struct replaying *r, struct err *err)
{
	struct finding_replay recorded = {0};
	struct reader *reader = r->options->open(r->options->context, err);

	if (!reader)
		return err->code;
	if (recorded_replay(&recorded, reader, r->last, &r->run, err) < 0)
		snprintf(r->why, sizeof(r->why), "%s", err->message);
	else
		snprintf(r->why, sizeof(r->why), "%s", recorded.text);
	r->can = recorded.shown;
	if (recorded.run_count && recorded.runs[0].rested > r->rested)
		r->rested = recorded.runs[0].rested;
	finding_replay_release(&recorded);
	return 0;
}

/* Twice, as the finding: a program that throws dice may come through it once. */
static int ask_recorded(struct replaying *r, struct err *err)
{
	r->asked = true;
	if (replay_recorded(r, err) < 0)
		return err->code;
	return r->can ? replay_recorded(r, err) : 0;
}

/* Findings */

/* That it cannot be run is a reason like others: what was proved stays proved. */
static int try_once(const struct replaying *r, const struct finding *f, double turn,
		    struct finding_replay *to, struct err *err)
{
	struct replay_options options = r->run;
	struct reader *reader = r->options->open(r->options->context, err);

	if (!reader)
		return err->code;
	options.turn = turn;
	*err = (struct err){0};
	int code = finding_replay(to, reader, &f->witness, REPLAY_BOTH, &options, err);

	if (code < 0 || !to->run_count) {
		to->shown = false;
		snprintf(to->text, sizeof(to->text), NOT_HERE "%s", err->message);
	}
	return 0;
}

static bool has_stalled(const struct finding_replay *f)
{
	return f->run_count && f->runs[f->run_count - 1].outcome == REPLAY_STALLED;
}

/*
 * How long nothing may move: much longer than in the recorded schedule, if that is known. 0: as
 * long as the user says.
 */
static double turn_of(const struct replaying *r)
{
	double turn = r->rested * 20 > TURN_LEAST ? r->rested * 20 : TURN_LEAST;

	return r->can && turn < r->run.timeout ? turn : 0;
}

static int first_try(const struct replaying *r, const struct finding *f, struct finding_replay *to,
		     struct err *err)
{
	double turn = turn_of(r);
	int code = try_once(r, f, turn, to, err);

	if (code < 0 || !turn || !has_stalled(to) || finding_replay_went_another_way(to) ||
	    to->interrupted)
		return code;
	/* who knows why: it may need its time */
	finding_replay_release(to);
	return try_once(r, f, 0, to, err);
}

/*
 * It went another way. Is that since the program always does, or since the record lacks something?
 * Then it does so again, and the recorded schedule can be replayed.
 */
static int second_try(struct replaying *r, const struct finding *f, struct finding_replay *tries,
		      bool *other_way, struct err *err)
{
	if (!r->asked && ask_recorded(r, err) < 0)
		return err->code;
	if (!r->can) {
		snprintf(tries[0].text, sizeof(tries[0].text),
			 NOT_HERE "the recorded schedule cannot be replayed either: %.2000s",
			 r->why);
		return 0;
	}
	/* nothing moves for as long in the recorded schedule */
	if (has_stalled(&tries[0]) && r->rested > r->run.timeout / 4)
		return 0;
	if (try_once(r, f, turn_of(r), &tries[1], err) < 0)
		return err->code;
	*other_way = finding_replay_went_another_way(&tries[1]);
	return 0;
}

/* What the program did says nothing: it may have had the signal, too. */
static void note_stop(struct finding *f)
{
	f->replayed.tried = true;
	f->replayed.other_way = false;
	f->replayed.text = text_of("Norn was stopped");
}

static int replay_one(struct replaying *r, struct finding *f, struct err *err)
{
	struct finding_replay tries[2] = {0};
	int code = first_try(r, f, &tries[0], err);

	*r->options->stop |= tries[0].interrupted;
	if (!code && finding_replay_went_another_way(&tries[0]) && !*r->options->stop)
		code = second_try(r, f, tries, &f->replayed.other_way, err);
	const struct finding_replay *last = &tries[tries[1].run_count > 0];

	*r->options->stop |= last->interrupted;
	if (!code && *r->options->stop && !last->shown_count)
		note_stop(f);
	else if (!code)
		predict_replay_note(f, last);
	finding_replay_release(&tries[0]);
	finding_replay_release(&tries[1]);
	return code;
}

static void tell_how_to_see_again(struct prediction *p, const char *trace)
{
	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (f->replayed.shown)
			f->replayed.again =
				f->evidence ? text_of("norn replay %s#1", f->evidence->trace)
					    : text_of("norn replay %s#%zu", trace, i + 1);
	}
}

int predict_replay_findings(struct prediction *p, const struct predict_replay_options *o,
			    struct err *err)
{
	int code = scratch_open("norn-replay", err);

	if (code < 0)
		return code;
	struct replaying r = {.options = o,
			      .last = last_event(p),
			      .run = {.timeout = (double)o->timeout,
				      .grace = REPLAY_GRACE_MS,
				      .trust = o->trust,
				      .scratch = scratch_directory()}};

	for (size_t i = 0; !code && i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (!is_to_be_replayed(f))
			continue;
		if (*o->stop) {
			note_stop(f);
			continue;
		}
		finding_open(f);
		code = replay_one(&r, f, err);
		finding_close(f);
	}
	scratch_close();
	prediction_sort(p);
	if (!code && o->keep)
		tell_how_to_see_again(p, o->trace);
	return code;
}

static int write_witness(struct finding *f, const char *path, struct err *err)
{
	struct output *out = output_open(path, OUTPUT_REPLACE, err);

	if (!out)
		return err->code;
	finding_open(f);
	witness_write(&f->witness, out);
	finding_close(f);
	return output_close(out, err);
}

int predict_keep_witnesses(struct prediction *p, const char *trace, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];
		char *path = text_of("%s.%zu.witness", trace, i + 1);
		char *apart = f->evidence ? text_of("%s.1.witness", f->evidence->trace) : NULL;

		if (apart)
			unlink(path); /* of an earlier call */
		code = write_witness(f, apart ? apart : path, err);
		free(path);
		free(apart);
	}
	return code;
}
