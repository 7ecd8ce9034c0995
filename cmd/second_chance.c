/* SPDX-License-Identifier: MIT */
#include "cmd/second_chance.h"

#include "base/scratch.h"
#include "base/seconds.h"
#include "cmd/cmd.h"
#include "cmd/predict_replay.h"
#include "predict/around.h"
#include "predict/tune.h"
#include "replay/finding.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct chance {
	struct prediction *p;
	const struct second_chance_options *options;
	struct replay_options replay;
	uint64_t kept; /* traces */
};

/* TRACE.second1.norn, without the .norn that TRACE may end in; the caller frees it. */
static char *trace_name(const struct chance *c, uint64_t number)
{
	const char *trace = c->options->trace;
	size_t length = strlen(trace), room = length + 40;
	char *name = mem_alloc(room);

	if (length > 5 && !strcmp(trace + length - 5, ".norn"))
		length -= 5;
	snprintf(name, room, "%.*s.second%llu.norn", (int)length, trace,
		 (unsigned long long)number);
	return name;
}

/* Certifying */

static struct reader *open_named(void *context, struct err *err)
{
	return reader_open(context, NULL, err);
}

/* Where the accesses of the held candidate are; the texts are the index's. */
static void places_of(const struct chance *c, const struct finding *f, struct places_asked *to)
{
	const struct index *index = c->p->index;

	*to = (struct places_asked){0};
	for (size_t i = 0; i < f->witness.bug_events.n && i < EVENT_SET_MAX; i++) {
		uint32_t location = index->events[f->witness.bug_events.at[i]].location;

		to->at[to->count++] =
			location ? intern_text(&index->symbols->locations, location) : "";
	}
}

/* Takes the finding out of what was predicted from the new trace; false: there is none. */
static bool take_finding(struct prediction *from, struct finding *to)
{
	if (!from->findings.n)
		return false;
	*to = from->findings.at[0];
	memset(&from->findings.at[0], 0, sizeof(from->findings.at[0]));
	return true;
}

/* 1: the race is certified on the trace, and found is it; 0: it is not there. */
static int certify(const struct chance *c, const struct finding *held, const char *trace,
		   struct finding *found, struct err *err)
{
	struct places_asked places;
	struct predict_options options = {.model = c->p->model,
					  .bugs = BUG_BIT(held->witness.bug),
					  .infer = true,
					  .budget = c->options->budget,
					  .jobs = 1,
					  .solver = "solver",
					  .only = &places,
					  .open = open_named,
					  .context = (void *)trace};
	struct prediction new;
	struct reader *r = reader_open(trace, NULL, err);
	struct index *index = r ? index_new(r, err) : NULL;

	if (!index)
		return err->code;
	places_of(c, held, &places);
	struct evidence evidence = {.index = index};
	int code = digest_file(trace, evidence.digest, err);

	if (code) {
		index_free(index);
		return code;
	}
	code = predict(index, &options, &new, err);
	if (!code && take_finding(&new, found)) {
		evidence.trace = memcpy(mem_alloc(strlen(trace) + 1), trace, strlen(trace) + 1);
		found->evidence = mem_alloc(sizeof(*found->evidence));
		*found->evidence = evidence;
		index = NULL;
		code = 1;
	}
	if (code >= 0)
		prediction_release(&new);
	index_free(index);
	return code;
}

/* Replaying */

/* Is it on the trace of the run as well? 1: then the trace is kept. */
static int prove(struct chance *c, const struct finding *held, const struct finding_replay *run,
		 struct finding *found, struct err *err)
{
	char *trace = trace_name(c, c->kept + 1);
	int code = predict_replay_record(run, 0, trace, err);

	if (!code)
		code = certify(c, held, trace, found, err);
	if (code > 0)
		c->kept++;
	else
		unlink(trace);
	mem_free(trace);
	return code;
}

/* Negative: the program cannot be run here. */
static int replay(const struct chance *c, const struct witness *w, struct finding_replay *run,
		  struct err *err)
{
	struct reader *reader = c->options->open(c->options->context, err);

	int code = reader ? finding_replay(run, reader, w, REPLAY_AB, &c->replay, err) : err->code;

	*c->options->stop |= run->interrupted;
	return code;
}

/*
 * A run that ends in a deadlock has no event for a lock that nobody got: what it has shown is
 * looked for on the traces of runs that come close to it, and get past.
 */
static int prove_around(struct chance *c, const struct finding *held, struct finding *found,
			struct err *err)
{
	struct schedules around = {0};
	int code = 0;

	around_list(c->p->index, &held->witness, &around);
	for (size_t i = 0;
	     !code && i < around.at.n && i < predict_tune.chance_around && !*c->options->stop;
	     i++) {
		struct finding_replay run = {0};

		code = replay(c, &around.at.at[i], &run, err);
		if (code >= 0)
			code = run.shown ? prove(c, held, &run, found, err) : 0;
		finding_replay_release(&run);
	}
	schedules_release(&around);
	return code;
}

/* 1: found is a finding. 0: the program goes another way, or c->p->second.why tells. */
static int try_one(struct chance *c, struct finding *held, struct finding *found, struct err *err)
{
	struct finding_replay run = {0};

	finding_open(held);
	int code = replay(c, &held->witness, &run, err);

	if (code < 0) {
		/* the program is not there, or is another one */
		snprintf(c->p->second.why, sizeof(c->p->second.why), "%.290s", err->message);
		*err = (struct err){0};
		code = 0;
	} else {
		c->p->second.tried++;
		if (run.shown)
			code = bug_facts[held->witness.bug].blocks
				       ? prove_around(c, held, found, err)
				       : prove(c, held, &run, found, err);
		if (code > 0)
			predict_replay_note(found, &run);
	}
	finding_close(held);
	finding_replay_release(&run);
	return code;
}

static void add_finding(struct prediction *p, const struct finding *held, struct finding *found)
{
	found->instances = held->instances;
	found->seen = false; /* that would be of the run that was recorded first */
	vec_push(&p->findings, *found);
	p->kinds[found->witness.bug].refuted--;
	p->second.confirmed++;
}

static int try_all(struct chance *c, struct err *err)
{
	struct prediction *p = c->p;
	double deadline = seconds_now() + predict_tune.chance_seconds;
	size_t kept = 0;
	int code = 0;

	for (size_t i = 0; i < p->held.n; i++) {
		struct finding *held = &p->held.at[i], found = {0};
		bool over = p->second.tried >= predict_tune.chances || seconds_now() >= deadline ||
			    *c->options->stop;

		if (code < 0 || *p->second.why)
			code = code < 0 ? code : 0;
		else if (over)
			p->second.left++;
		else
			code = try_one(c, held, &found, err);
		if (code > 0) {
			add_finding(p, held, &found);
			finding_release(held);
			code = 0;
		} else {
			p->held.at[kept++] = *held;
		}
	}
	p->held.n = kept;
	return code;
}

/* Traces of an earlier call would be taken for ours. */
static void remove_old(const struct chance *c)
{
	bool there = true;

	for (uint64_t i = c->kept + 1; there; i++) {
		char *trace = trace_name(c, i);
		size_t room = strlen(trace) + 20;
		char *witness = mem_alloc(room);

		snprintf(witness, room, "%s.1.witness", trace);
		there = !unlink(trace);
		if (there)
			unlink(witness);
		mem_free(witness);
		mem_free(trace);
	}
}

int second_chance(struct prediction *p, const struct second_chance_options *o, struct err *err)
{
	struct chance c = {.p = p, .options = o};

	if (!p->held.n) {
		remove_old(&c);
		return 0;
	}
	if (scratch_open("norn-second", err) < 0)
		return err->code;
	p->second.asked_for = true;
	c.replay = (struct replay_options){.timeout = (double)o->timeout,
					   .turn = predict_tune.chance_turn,
					   .grace = REPLAY_GRACE_MS,
					   .trust = o->trust,
					   .goes_on = true,
					   .scratch = scratch_directory()};
	int code = try_all(&c, err);

	scratch_close();
	remove_old(&c);
	prediction_sort(p);
	return code;
}
