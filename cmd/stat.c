/* SPDX-License-Identifier: MIT */
#include "cmd/stat.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define THREADS_IN_TEXT 20

/* Bytes of an access; 0 if `memory` does not tell of all its variables. */
static uint64_t access_size(const struct symbols *symbols, const struct event *e)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		const struct variable *v = symbols_variable(symbols, event_part(e, i).variable);

		if (!(v->flags & VARIABLE_MEMORY))
			return 0;
		size += v->size;
	}
	return size;
}

static const char *const depends_text[STAT_DEPENDS] = {
	[STAT_BRANCHES] = "branches",
	[STAT_WRITES] = "writes",
};

static const char *const known_text[STAT_KNOWN] = {
	[STAT_EXPRESSION] = "expression",
	[STAT_OPAQUE] = "opaque",
	[STAT_READS] = "reads=",
	[STAT_ALL] = "all reads",
};

/* For JSON */
static const char *const known_key[STAT_KNOWN] = {
	[STAT_EXPRESSION] = "expression",
	[STAT_OPAQUE] = "opaque",
	[STAT_READS] = "reads",
	[STAT_ALL] = "all",
};

static enum stat_known how_known(const struct event_more *more)
{
	if (more && more->expr)
		return more->opaque ? STAT_OPAQUE : STAT_EXPRESSION;
	return more && more->reads_given ? STAT_READS : STAT_ALL;
}

void stat_count(struct stat_counts *counts, const struct symbols *symbols, const struct event *e)
{
	counts->events++;
	counts->kinds[e->kind]++;
	vec_extend(&counts->threads, (size_t)e->thread + 1);
	counts->threads.at[e->thread]++;
	if (e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW) {
		uint64_t size = access_size(symbols, e);

		counts->sizes[size > STAT_SIZE_MAX ? STAT_SIZE_MAX + 1 : size]++;
	}
	counts->several += event_part_count(e) > 1;
	counts->atomic += e->order != ORDER_PLAIN;
	counts->located += e->location != 0;
	if (event_is(e, EV_DEPENDS))
		counts->depends[e->kind == EV_BRANCH ? STAT_BRANCHES : STAT_WRITES]
			       [how_known(e->more)]++;
	if (!e->more)
		return;
	counts->expressions += e->more->expr != NULL;
	counts->reads += e->more->reads_given;
	counts->at += e->more->at_count > 0;
}

/* 0: it has none that we could know, as a pipe. */
static uint64_t file_size(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
									    : 0;
}

static void print_row(struct output *out, const char *name, uint64_t count)
{
	output_text(out, name);
	for (size_t used = strlen(name); used < 20; used++)
		output_char(out, ' ');
	output_format(out, " %12llu\n", (unsigned long long)count);
}

static void print_nonzero(struct output *out, const char *name, uint64_t count)
{
	if (count)
		print_row(out, name, count);
}

static void print_threads(const struct stat_counts *counts, const struct symbols *symbols,
			  struct output *out)
{
	size_t shown = counts->threads.n;

	if (shown > THREADS_IN_TEXT)
		shown = THREADS_IN_TEXT;
	output_text(out, "\nby thread\n");
	for (size_t i = 0; i < shown; i++)
		print_row(out, symbols_name(symbols, CLASS_THREAD, (uint32_t)i),
			  counts->threads.at[i]);
	if (shown < counts->threads.n)
		output_format(out, "and %zu more\n", counts->threads.n - shown);
}

static void print_sizes(const struct stat_counts *counts, struct output *out)
{
	char name[40];

	for (size_t size = 1; size <= STAT_SIZE_MAX; size++) {
		snprintf(name, sizeof(name), "%zu byte%s", size, size == 1 ? "" : "s");
		print_nonzero(out, name, counts->sizes[size]);
	}
	print_nonzero(out, "more", counts->sizes[STAT_SIZE_MAX + 1]);
	print_nonzero(out, "size unknown", counts->sizes[0]);
}

static void print_depends(const struct stat_counts *counts, struct output *out)
{
	output_format(out, "\n%-20s", "what they depend on");
	for (int known = 0; known < STAT_KNOWN; known++)
		output_format(out, " %12s", known_text[known]);
	output_char(out, '\n');
	for (int kind = 0; kind < STAT_DEPENDS; kind++) {
		output_format(out, "%-20s", depends_text[kind]);
		for (int known = 0; known < STAT_KNOWN; known++)
			output_format(out, " %12llu",
				      (unsigned long long)counts->depends[kind][known]);
		output_char(out, '\n');
	}
}

static void print_file(const struct reader *r, const char *path, uint64_t events,
		       struct output *out)
{
	uint64_t size = file_size(path);

	output_format(out, "%-20s %12s\n", "format", reader_format(r));
	print_nonzero(out, "file bytes", size);
	if (size && events)
		output_format(out, "%-20s %12.2f\n", "bytes an event",
			      (double)size / (double)events);
}

/* Inputs take many bytes, which tell nobody anything here. */
#define FACT_SHOWN 1000

static void print_fact(const struct meta *meta, struct output *out)
{
	size_t length = strlen(meta->value);

	if (length > FACT_SHOWN)
		output_format(out, "%s %.*s… (%zu bytes)\n", meta->key, 40, meta->value, length);
	else
		output_format(out, "%s %s\n", meta->key, meta->value);
}

void stat_print(const struct stat_counts *counts, const struct reader *r, const char *path,
		bool all, struct output *out)
{
	const struct symbols *symbols = reader_symbols(r);

	print_file(r, path, all ? counts->events : 0, out);
	print_row(out, "events", counts->events);
	for (int class = 0; class < CLASS_COUNT; class ++)
		print_nonzero(out, object_class_plural[class],
			      symbols_count(symbols, (enum object_class) class));
	output_text(out, "\nby kind\n");
	for (int kind = 0; kind < EV_COUNT; kind++)
		print_nonzero(out, event_kind_text[kind], counts->kinds[kind]);
	print_threads(counts, symbols, out);
	output_text(out, "\nreads, writes and rmws by size\n");
	print_sizes(counts, out);
	output_text(out, "\nevents with\n");
	print_row(out, "several variables", counts->several);
	print_row(out, "order=", counts->atomic);
	print_row(out, "an expression", counts->expressions);
	print_row(out, "reads=", counts->reads);
	print_row(out, "at=", counts->at);
	print_row(out, "a location", counts->located);
	print_depends(counts, out);
	if (symbols->metas.n)
		output_text(out, "\nmeta\n");
	for (size_t i = 0; i < symbols->metas.n; i++)
		if (strcmp(symbols->metas.at[i].key, META_FRAMES) &&
		    strcmp(symbols->metas.at[i].key, META_STACKS))
			print_fact(&symbols->metas.at[i], out);
}

static void print_json_threads(const struct stat_counts *counts, const struct symbols *symbols,
			       struct json *json)
{
	json_open(json, "by_thread", '[');
	for (size_t i = 0; i < counts->threads.n; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", symbols_name(symbols, CLASS_THREAD, (uint32_t)i));
		json_u64(json, "events", counts->threads.at[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_json_sizes(const struct stat_counts *counts, struct json *json)
{
	char key[24];

	json_open(json, "by_size", '{');
	for (size_t size = 1; size <= STAT_SIZE_MAX; size++) {
		snprintf(key, sizeof(key), "%zu", size);
		if (counts->sizes[size])
			json_u64(json, key, counts->sizes[size]);
	}
	json_u64(json, "more", counts->sizes[STAT_SIZE_MAX + 1]);
	json_u64(json, "unknown", counts->sizes[0]);
	json_close(json, '}');
}

static void print_json_depends(const struct stat_counts *counts, struct json *json)
{
	json_open(json, "depends", '{');
	for (int kind = 0; kind < STAT_DEPENDS; kind++) {
		json_open(json, depends_text[kind], '{');
		for (int known = 0; known < STAT_KNOWN; known++)
			json_u64(json, known_key[known], counts->depends[kind][known]);
		json_close(json, '}');
	}
	json_close(json, '}');
}

void stat_print_json(const struct stat_counts *counts, const struct reader *r, const char *path,
		     struct output *out)
{
	const struct symbols *symbols = reader_symbols(r);
	struct json json = {.out = out};
	uint64_t size = file_size(path);

	json_open(&json, NULL, '{');
	json_string(&json, "trace", reader_name(r));
	json_string(&json, "format", reader_format(r));
	if (size)
		json_u64(&json, "file_bytes", size);
	if (reader_cut(r))
		json_string(&json, "cut", reader_cut(r));
	json_u64(&json, "events", counts->events);
	json_open(&json, "objects", '{');
	for (int class = 0; class < CLASS_COUNT; class ++)
		json_u64(&json, object_class_plural[class],
			 symbols_count(symbols, (enum object_class) class));
	json_close(&json, '}');
	json_open(&json, "by_kind", '{');
	for (int kind = 0; kind < EV_COUNT; kind++)
		json_u64(&json, event_kind_text[kind], counts->kinds[kind]);
	json_close(&json, '}');
	print_json_threads(counts, symbols, &json);
	print_json_sizes(counts, &json);
	json_open(&json, "with", '{');
	json_u64(&json, "several_variables", counts->several);
	json_u64(&json, "order", counts->atomic);
	json_u64(&json, "expression", counts->expressions);
	json_u64(&json, "reads", counts->reads);
	json_u64(&json, "at", counts->at);
	json_u64(&json, "location", counts->located);
	json_close(&json, '}');
	print_json_depends(counts, &json);
	json_open(&json, "meta", '[');
	for (size_t i = 0; i < symbols->metas.n; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "key", symbols->metas.at[i].key);
		json_string(&json, "value", symbols->metas.at[i].value);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
}

void stat_release(struct stat_counts *counts)
{
	vec_release(&counts->threads);
}
