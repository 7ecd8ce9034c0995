/* SPDX-License-Identifier: MIT */
/*
 * Which of the proved findings the recorded run had as well: races whose places its happens-before
 * leaves unordered, deadlocks that it ended in.
 */
#include "order/order.h"
#include "predict/predict.h"

#include <string.h>

static bool is_at(const struct prediction *p, uint64_t event, const char *site)
{
	uint32_t location = p->index->events[event].location;

	return location && !strcmp(intern_text(&p->index->symbols->locations, location), site);
}

/* What is freed later was not used after it was freed. */
static bool has_no_free(const struct prediction *p, const struct finding *f)
{
	for (size_t i = 0; i < f->witness.bug_events.n; i++)
		if (p->index->events[f->witness.bug_events.at[i]].kind == EV_FREE)
			return false;
	return true;
}

static bool is_nominated(const struct prediction *p, const struct finding *f,
			 const struct order_report *report)
{
	uint64_t a = f->witness.bug_events.at[0], b = f->witness.bug_events.at[1];

	for (size_t i = 0; i < report->signatures.n; i++) {
		const struct signature *s = &report->signatures.at[i];
		const char *one = intern_text(&report->sites, s->site[0]);
		const char *other = intern_text(&report->sites, s->site[1]);

		if ((is_at(p, a, one) && is_at(p, b, other)) ||
		    (is_at(p, b, one) && is_at(p, a, other)))
			return true;
	}
	return false;
}

static bool waits_at(const struct prediction *p, const struct seen *f, uint64_t event)
{
	for (size_t i = 0; i < f->steps.n; i++)
		if (seen_is_main(f, i) && f->steps.at[i].location &&
		    is_at(p, event, f->steps.at[i].location))
			return true;
	return false;
}

static bool is_seen_deadlock(const struct prediction *p, const struct finding *f)
{
	for (size_t i = 0; i < p->seen.at.n; i++) {
		const struct seen *seen = &p->seen.at.at[i];
		size_t k = 0;

		if (seen->kind != SEEN_DEADLOCK)
			continue;
		while (k < f->witness.bug_events.n &&
		       waits_at(p, seen, f->witness.bug_events.at[k]))
			k++;
		if (k == f->witness.bug_events.n)
			return true;
	}
	return false;
}

/* The recorded order itself is not allowed. */
static bool is_broken_as_recorded(const struct prediction *p, const struct finding *f)
{
	struct monitor *m = f->witness.monitor;
	uint32_t state = monitor_start(m);
	struct err err;

	for (uint32_t n = 1; n <= p->index->count && state != MONITOR_BAD; n++)
		if (monitor_after(m, state, n, &state, &err) < 0)
			return false;
	return state == MONITOR_BAD;
}

/* The recorded run has the three accesses in that order. */
static bool is_as_recorded(const struct prediction *p, const struct finding *f)
{
	const uint64_t *events = f->witness.bug_events.at;

	(void)p;
	return events[0] < events[1] && events[1] < events[2];
}

/* How that is known of a kind of bug; NULL: it is not. */
static const struct {
	bool (*by_seen)(const struct prediction *p, const struct finding *f); /* by p->seen */
	bool (*by_order)(const struct prediction *p, const struct finding *f,
			 const struct order_report *report);
	/* Which findings the order can tell of. */
	bool (*is_for_order)(const struct prediction *p, const struct finding *f);
} kinds[] = {
	[BUG_RACE] = {.by_order = is_nominated, .is_for_order = has_no_free},
	[BUG_DEADLOCK] = {.by_seen = is_seen_deadlock},
	[BUG_STUCK] = {0},
	[BUG_PROPERTY] = {.by_seen = is_broken_as_recorded},
	[BUG_ATOMICITY] = {.by_seen = is_as_recorded},
	[BUG_CHOICE] = {0},
};
BUG_ROWS_ARE_ALL(kinds);

static bool asks_order(const struct prediction *p, const struct finding *f)
{
	return kinds[f->witness.bug].by_order && kinds[f->witness.bug].is_for_order(p, f);
}

int seen_mark(struct prediction *p, const struct predict_options *o, struct err *err)
{
	const struct order_kind *hb = order_by_name("hb");
	const struct order_limits limits = {.bytes = o->order_bytes};
	struct order_report report = {0};
	size_t asked = 0;

	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		f->seen = kinds[f->witness.bug].by_seen && kinds[f->witness.bug].by_seen(p, f);
		asked += asks_order(p, f);
	}
	struct reader *r = asked ? o->open(o->context, err) : NULL;

	if (!r)
		return asked ? err->code : 0;
	int code = order_stream(r, &hb, 1, &limits, &report, err);

	/* an order that forgot something nominates too much */
	for (size_t i = 0; !code && !report.forgot && i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (asks_order(p, f))
			f->seen = kinds[f->witness.bug].by_order(p, f, &report);
	}
	order_report_release(&report);
	reader_close(r);
	return code;
}
