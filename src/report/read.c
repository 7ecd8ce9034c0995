/* SPDX-License-Identifier: MIT */
#include "report/read.h"

#include "base/json_scan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct reported *to;
	uint64_t wanted;
	uint64_t findings;	  /* so far */
	uint64_t events;	  /* of the run, whether or not they are there */
	reported_spans *open;	  /* the list that has the first of a pair, or NULL */
	bool is_report, is_known; /* of a version that we know */
};

static char *text_copy(const char *text)
{
	return memcpy(mem_alloc(strlen(text) + 1), text, strlen(text) + 1);
}

static int bug_by_name(const char *name)
{
	for (int bug = 0; bug < BUG_COUNT; bug++)
		if (!strcmp(bug_kind_text[bug], name))
			return bug;
	return -1;
}

static void take_head(struct reading *r, const char *member, const char *text)
{
	if (!strcmp(member, "format"))
		r->is_report = !strcmp(text, "norn-report");
	else if (!strcmp(member, "version"))
		r->is_known = !strcmp(text, "2") || !strcmp(text, "3");
	else if (!strcmp(member, "trace") && !r->to->trace)
		r->to->trace = text_copy(text);
	else if (!strcmp(member, "trace_digest") && !r->to->digest)
		r->to->digest = text_copy(text);
}

/* It is certified by another trace than the one that was predicted from. */
static void take_evidence(struct reported *to, const char *trace)
{
	mem_free(to->trace);
	mem_free(to->digest);
	to->trace = text_copy(trace);
	to->digest = NULL;
}

/* A number alone, or (in pairs) the first and the last of a span. */
static bool take_span(struct reading *r, const char *member, const char *list, reported_spans *to,
		      uint64_t number)
{
	size_t length = strlen(list);
	struct reported_span span = {number, number};

	if (strncmp(member, list, length) != 0 ||
	    (strcmp(member + length, "[]") != 0 && strcmp(member + length, "[][]") != 0))
		return false;
	bool is_pair = !strcmp(member + length, "[][]");
	bool is_last = is_pair && r->open == to;

	if (is_last)
		to->at[to->n - 1].last = number;
	else
		vec_push(to, span);
	r->open = is_pair && !is_last ? to : NULL;
	return true;
}

/* Of the finding that is wanted. */
static void take_member(struct reading *r, const char *member, const char *text)
{
	struct witness *w = &r->to->witness;
	uint64_t number = strtoull(text, NULL, 10);

	if (!strcmp(member, "bug") && bug_by_name(text) >= 0)
		w->bug = (enum bug_kind)bug_by_name(text);
	else if (!strcmp(member, "witness.model") && model_by_name(text) >= 0)
		w->model = (enum model)model_by_name(text);
	else if (!strcmp(member, "evidence"))
		take_evidence(r->to, text);
	else if (!strcmp(member, "evidence_digest") && !r->to->digest)
		r->to->digest = text_copy(text);
	else if (!strcmp(member, "witness.bug_events[]"))
		vec_push(&w->bug_events, number);
	else if (!strcmp(member, "witness.script"))
		witness_set_breaks(w, text, w->assertion);
	else if (!strcmp(member, "witness.assertion"))
		w->assertion = (uint32_t)number;
	else if (!strcmp(member, "witness.events"))
		r->events = number;
	else if (!strcmp(member, "witness.recorded"))
		w->recorded = number;
	else if (!take_span(r, member, "witness.run", &r->to->run, number))
		take_span(r, member, "witness.rest", &r->to->rest, number);
}

static void take_scalar(void *context, const char *path, const char *text)
{
	static const char in_finding[] = "findings[].";
	struct reading *r = context;

	if (strncmp(path, in_finding, strlen(in_finding)) != 0) {
		take_head(r, path, text);
		return;
	}
	const char *member = path + strlen(in_finding);

	r->findings += !strcmp(member, "bug"); /* its first member */
	if (r->findings == r->wanted)
		take_member(r, member, text);
}

static int judge(const struct reading *r, const char *path, struct err *err)
{
	const struct witness *w = &r->to->witness;

	if (!r->is_report || !r->to->trace)
		return err_set(err, ERR_INPUT, "%s: not a report of norn predict --json", path);
	if (!r->is_known)
		return err_set(err, ERR_INPUT, "%s: a report of another version: predict again",
			       path);
	if (!r->wanted || r->wanted > r->findings)
		return err_set(err, ERR_INPUT,
			       "%s: there is no finding %" PRIu64 ", there are %" PRIu64, path,
			       r->wanted, r->findings);
	if (!w->bug_events.n && !bug_facts[w->bug].past)
		return err_set(
			err, ERR_INPUT,
			"%s: written by an older Norn, without what replay needs: predict again",
			path);
	if (w->recorded < r->events && !r->to->run.n)
		return err_set(err, ERR_INPUT,
			       "%s: the schedule of finding %" PRIu64
			       " is too long for a report: norn predict --witness DIR writes it",
			       path, r->wanted);
	return 0;
}

int reported_read(struct reported *to, const char *path, uint64_t number, struct err *err)
{
	struct reading r = {.to = to, .wanted = number};
	FILE *in = fopen(path, "re");

	*to = (struct reported){0};
	if (!in)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	bool good = json_scan(in, take_scalar, &r);

	fclose(in);
	if (!good)
		return err_set(err, ERR_INPUT, "%s: not JSON, or cut short", path);
	return judge(&r, path, err);
}

typedef VEC(uint32_t) thread_list;

static int spell_spans(const thread_list *threads, const struct reported_span *spans, size_t n,
		       struct witness *w, bool rest, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!spans[i].first || spans[i].last > threads->n || spans[i].first > spans[i].last)
			return err_set(err, ERR_INPUT,
				       "the schedule names an event that the trace does not have");
		for (uint64_t e = spans[i].first; e <= spans[i].last; e++) {
			if (threads->at[e - 1] != threads->at[spans[i].first - 1])
				continue;
			if (rest)
				vec_push(&w->rest, e);
			else
				vec_push(&w->run, e);
		}
	}
	return 0;
}

int reported_spell(struct reported *r, struct reader *trace, struct err *err)
{
	thread_list threads = {0}; /* of each event */
	struct batch batch;
	int got;

	while ((got = reader_next(trace, &batch, err)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			vec_push(&threads, batch.at[i].thread);
	if (!got)
		got = spell_spans(&threads, r->run.at, r->run.n, &r->witness, false, err);
	if (!got)
		got = spell_spans(&threads, r->rest.at, r->rest.n, &r->witness, true, err);
	r->run.n = r->rest.n = 0;
	vec_release(&threads);
	return got;
}

void reported_release(struct reported *r)
{
	vec_release(&r->run);
	vec_release(&r->rest);
	mem_free(r->trace);
	mem_free(r->digest);
	witness_release(&r->witness);
}

bool report_is_json(const char *path)
{
	FILE *in = fopen(path, "re");
	int c = EOF;

	if (!in)
		return false;
	do
		c = getc(in);
	while (c != EOF && isspace(c));
	fclose(in);
	return c == '{';
}
