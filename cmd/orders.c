/* SPDX-License-Identifier: MIT */
/*
 * norn orders TRACE: what each order nominates, in one pass over a trace of any length, and
 * what that costs.
 */
#include "base/near.h"
#include "cmd/trace_file.h"
#include "cmd/verbs.h"
#include "order/order.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WIDEST_SITE 40

struct orders_options {
	struct option_list names; /* each may be several, with commas between them */
	bool signatures, json, no_check;
	struct order_limits limits;
};

struct orders {
	const struct orders_options *options;
	struct trace_file file;
	VEC(const struct order_kind *) kinds;
	VEC(struct order_report) reports; /* one a kind */
	struct reader *reader;
	uint64_t events;
	bool checked;
};

/* Which orders */

static int unknown_order(const char *name, struct err *err)
{
	struct near near = {.word = name};
	char names[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < order_kind_count; i++) {
		near_try(&near, order_name(order_kinds[i]));
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 order_name(order_kinds[i]));
		ASSERT(used < sizeof(names));
	}
	if (near.best)
		return err_set(err, ERR_USAGE, "no order %s; did you mean %s?", name, near.best);
	return err_set(err, ERR_USAGE, "no order \"%s\"; the orders are %s", name, names);
}

static int add_order(struct orders *s, const char *name, struct err *err)
{
	const struct order_kind *kind = order_by_name(name);

	if (!kind)
		return unknown_order(name, err);
	for (size_t i = 0; i < s->kinds.n; i++)
		if (s->kinds.at[i] == kind)
			return err_set(err, ERR_USAGE, "--order has %s twice", name);
	vec_push(&s->kinds, kind);
	return 0;
}

/* Adds the orders of "a,b". */
static int add_list(struct orders *s, const char *list, struct err *err)
{
	char name[64];

	for (;;) {
		size_t length = strcspn(list, ",");

		snprintf(name, sizeof(name), "%.*s", (int)(length < 60 ? length : 60), list);
		if (add_order(s, name, err) < 0)
			return err->code;
		if (!list[length])
			return 0;
		list += length + 1;
	}
}

static int choose_orders(struct orders *s, struct err *err)
{
	const struct option_list *names = &s->options->names;

	for (size_t i = 0; i < names->n; i++)
		if (add_list(s, names->at[i], err) < 0)
			return err->code;
	for (size_t i = 0; !names->n && i < order_kind_count; i++)
		vec_push(&s->kinds, order_kinds[i]);
	return 0;
}

/* The passes */

/* Orders take it that the trace is consistent, and do not look. */
static int check_first(struct orders *s, struct err *err)
{
	struct reader *r = trace_file_open(&s->file, err);
	uint64_t events;
	int code = r ? cmd_check_events(r, &events, err) : err->code;

	reader_close(r);
	s->checked = !code;
	return code;
}

static int run_passes(struct orders *s, struct err *err)
{
	if (!s->options->no_check && check_first(s, err) < 0)
		return err->code;
	s->reader = trace_file_open_unnamed(&s->file, err);
	if (!s->reader)
		return err->code;
	struct order_report *reports = mem_alloc_zero(s->kinds.n, sizeof(*reports));
	int code =
		order_stream(s->reader, s->kinds.at, s->kinds.n, &s->options->limits, reports, err);

	s->reports.at = reports;
	s->reports.n = code < 0 ? 0 : s->kinds.n;
	s->events = reader_last_event(s->reader);
	return code;
}

static uint64_t count_pairs(const struct order_report *report)
{
	uint64_t pairs = 0;

	for (size_t i = 0; i < report->signatures.n; i++)
		pairs += report->signatures.at[i].pairs;
	return pairs;
}

/* 0 if it took no time that we could measure. */
static double events_a_second(const struct orders *s, const struct order_report *report)
{
	return report->seconds > 0 ? (double)s->events / report->seconds : 0;
}

/* Text */

/* 1.5M in steps of `unit`. */
static void print_amount(struct output *out, double amount, double unit)
{
	static const char suffixes[] = " kMGT";
	const char *suffix = suffixes;
	char text[40];

	for (; amount >= unit && suffix[1]; suffix++)
		amount /= unit;
	if (suffix == suffixes)
		snprintf(text, sizeof(text), "%.0f", amount);
	else
		snprintf(text, sizeof(text), "%.1f%c", amount, *suffix);
	output_format(out, " %10s", text);
}

static void print_row(const struct orders *s, const struct order_report *report, struct output *out)
{
	output_format(out, "%-6s %10zu %10llu %10.3f", order_name(report->kind),
		      report->signatures.n, (unsigned long long)count_pairs(report),
		      report->seconds);
	print_amount(out, events_a_second(s, report), 1000);
	print_amount(out, (double)report->bytes, 1024);
	output_char(out, '\n');
}

static size_t widest_site(const struct orders *s)
{
	size_t widest = 0;

	for (size_t i = 0; i < s->reports.n; i++) {
		const struct intern *sites = &s->reports.at[i].sites;

		for (size_t k = 0; k < sites->strings.n; k++)
			if (sites->strings.at[k].length > widest)
				widest = sites->strings.at[k].length;
	}
	return widest < WIDEST_SITE ? widest : WIDEST_SITE;
}

static void print_padded(struct output *out, const char *text, size_t width)
{
	output_text(out, text);
	for (size_t used = strlen(text); used < width; used++)
		output_char(out, ' ');
	output_text(out, "  ");
}

static void print_signatures(const struct order_report *report, size_t width, struct output *out)
{
	for (size_t i = 0; i < report->signatures.n; i++) {
		const struct signature *signature = &report->signatures.at[i];

		output_format(out, "%-6s ", order_name(report->kind));
		for (int k = 0; k < 2; k++)
			print_padded(out, intern_text(&report->sites, signature->site[k]), width);
		output_format(out, "%llu-%llu\n", (unsigned long long)signature->closest.a,
			      (unsigned long long)signature->closest.b);
	}
}

static void print_text(const struct orders *s, struct output *out)
{
	output_format(out, "%-6s %10s %10s %10s %10s %10s\n", "order", "signatures", "pairs",
		      "seconds", "events/s", "memory");
	for (size_t i = 0; i < s->reports.n; i++)
		print_row(s, &s->reports.at[i], out);
	if (!s->options->signatures)
		return;
	size_t width = widest_site(s);

	output_char(out, '\n');
	output_format(out, "%-6s ", "order");
	print_padded(out, "site", width);
	print_padded(out, "site", width);
	output_text(out, "closest pair\n");
	for (size_t i = 0; i < s->reports.n; i++)
		print_signatures(&s->reports.at[i], width, out);
}

/* JSON */

static void print_json_pair(struct json *json, const char *key, struct event_pair pair)
{
	json_open(json, key, '[');
	json_u64(json, NULL, pair.a);
	json_u64(json, NULL, pair.b);
	json_close(json, ']');
}

static void print_json_signature(struct json *json, const struct order_report *report,
				 const struct signature *signature)
{
	json_open(json, NULL, '{');
	json_open(json, "sites", '[');
	for (int k = 0; k < 2; k++)
		json_string(json, NULL, intern_text(&report->sites, signature->site[k]));
	json_close(json, ']');
	json_u64(json, "pairs", signature->pairs);
	print_json_pair(json, "first", signature->first);
	print_json_pair(json, "closest", signature->closest);
	json_open(json, "random", '[');
	for (uint32_t i = 0; i < signature->random_count; i++)
		print_json_pair(json, NULL, signature->random[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void print_json_report(const struct orders *s, struct json *json,
			      const struct order_report *report)
{
	json_open(json, NULL, '{');
	json_string(json, "order", order_name(report->kind));
	json_u64(json, "pairs", count_pairs(report));
	json_double(json, "seconds", report->seconds);
	json_double(json, "events_per_second", events_a_second(s, report));
	json_u64(json, "bytes", report->bytes);
	if (report->forgot)
		json_string(json, "forgot", report->forgot);
	json_open(json, "signatures", '[');
	for (size_t i = 0; i < report->signatures.n; i++)
		print_json_signature(json, report, &report->signatures.at[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void print_json(const struct orders *s, struct output *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "trace", reader_name(s->reader));
	json_u64(&json, "events", s->events);
	json_bool(&json, "checked", s->checked);
	if (reader_cut(s->reader))
		json_string(&json, "cut", reader_cut(s->reader));
	json_u64(&json, "max_memory", s->options->limits.bytes);
	json_u64(&json, "window", s->options->limits.window);
	json_open(&json, "orders", '[');
	for (size_t i = 0; i < s->reports.n; i++)
		print_json_report(s, &json, &s->reports.at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
}

static int print_reports(const struct orders *s)
{
	struct output *out = cmd_open_output();
	bool any = false;

	(s->options->json ? print_json : print_text)(s, out);
	output_flush(out); /* the notes stand below */
	for (size_t i = 0; i < s->reports.n; i++) {
		const struct order_report *report = &s->reports.at[i];

		any = any || report->signatures.n;
		if (report->forgot)
			say("%s forgot %s", order_name(report->kind), report->forgot);
	}
	return cmd_close_output(out, any ? EXIT_FINDINGS : 0);
}

static int run_orders(const void *options, char **operands)
{
	struct orders s = {.options = options};
	struct err err = {0};
	int status = 0;

	if (choose_orders(&s, &err) < 0) {
		say("orders: %s", err.message);
		status = EXIT_USAGE;
	} else if (trace_file_init(&s.file, operands[0], &err) < 0 || run_passes(&s, &err) < 0) {
		status = say_failure(&err);
	} else {
		status = say_if_cut(s.reader, !s.events);
		if (!status)
			status = print_reports(&s);
	}
	for (size_t i = 0; i < s.reports.n; i++)
		order_report_release(&s.reports.at[i]);
	vec_release(&s.reports);
	vec_release(&s.kinds);
	reader_close(s.reader);
	trace_file_release(&s.file);
	return status;
}

static bool choose_order(size_t i, struct option_choice *choice)
{
	if (i >= order_kind_count)
		return false;
	*choice = (struct option_choice){order_name(order_kinds[i]), order_title(order_kinds[i])};
	return true;
}

static const struct option orders_rows[] = {
	{.name = "order",
	 .letter = 'o',
	 .argument = "ORDERS",
	 .help = "only these orders, separated by commas; all by default",
	 .kind = OPTION_LIST,
	 .choices = choose_order,
	 .offset = offsetof(struct orders_options, names)},
	{.name = "signatures",
	 .letter = 's',
	 .help = "also list the signatures, each with its closest pair of events",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct orders_options, signatures)},
	{.name = "max-memory",
	 .argument = "SIZE",
	 .help = "memory for critical sections, per order; 1G by default, 0: no limit",
	 .kind = OPTION_SIZE,
	 .offset = offsetof(struct orders_options, limits.bytes)},
	{.name = "window",
	 .argument = "N",
	 .help = "events in one window of cp; 10000 by default, 0: all",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct orders_options, limits.window)},
	{.name = "no-check",
	 .help = "do not check that the trace is consistent",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct orders_options, no_check)},
	{.name = "json",
	 .help = "print the result as JSON, with the signatures",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct orders_options, json)},
	{0},
};

const struct command orders_command = {
	.name = "orders",
	.summary = "Count the candidates of each partial order, on a trace of any length.",
	.usage = "[--order ORDERS] [--signatures] [--json] [--max-memory SIZE]\n"
		 "                   [--window N] [--no-check] TRACE",
	.details =
		"A signature is a pair of places in the source. A candidate may be a race. It is\n"
		"not a finding until a witness proves it.\n"
		"Exit status: 0 no candidates, 66 candidates.\n",
	.options = orders_rows,
	.options_size = sizeof(struct orders_options),
	.defaults = &(const struct orders_options){.limits = {.bytes = (uint64_t)1 << 30,
							      .window = 10000}},
	.operands_least = 1,
	.operands_most = 1,
	.run = run_orders,
};
