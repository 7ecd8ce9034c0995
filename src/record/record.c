/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "record/inputs.h"
#include "record/seal.h"
#include "record/write/seen.h"
#include "record/keep/survey.h"
#include "record/keep/unseen.h"
#include "runtime/known.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PROGRESS_RECORDS 65536

struct recording {
	struct raw_log *log;
	struct merge *merge;
	struct tables sites;
	struct modules *modules;
	struct symbols symbols;
	struct places places;
	struct layout layout;
	struct sync_facts facts;
	struct image image;
	bool late; /* it began while the program ran */
	bool host; /* likewise; nothing that has hooks ran before */
	struct lookups lookups;
	const struct record_options *options;
};

static void open_recording(struct recording *r, const struct record_input *in)
{
	r->log = in->log;
	r->image = in->image;
	r->late = r->log->run.begin == LOG_LATE;
	r->host = r->log->run.host != LOG_PROGRAM;
	if (r->late)
		image_sort(&r->image);
	r->merge = merge_new(r->log);
	symbols_init(&r->symbols);
	tables_init(&r->sites, in->sites, in->sites_size, &r->symbols.constants);
	r->modules = modules_new(in->modules);
	r->lookups = (struct lookups){r->modules, &r->image, &r->symbols.constants, 0};
	places_init(&r->places, &r->sites, r->modules, &r->symbols);
}

static void close_recording(struct recording *r)
{
	merge_free(r->merge);
	tables_release(&r->sites);
	if (r->options->again)
		modules_keep(r->modules);
	else
		modules_free(r->modules);
	places_release(&r->places);
	symbols_release(&r->symbols);
	layout_release(&r->layout);
	vec_release(&r->facts.at);
	image_release_index(&r->image);
}

/* So many more are done. */
static void show_progress(const struct record_options *o, int pass, uint64_t *records, uint64_t n)
{
	uint64_t before = *records;

	*records += n;
	if (o->progress && before / PROGRESS_RECORDS != *records / PROGRESS_RECORDS)
		o->progress(o->context, pass, *records);
}

static uint32_t thread_count(const struct recording *r)
{
	size_t n = r->log->threads.n;
	uint32_t count = n ? r->log->threads.at[n - 1].number + 1 : 1;

	/* those that were forked and never came to log anything */
	if (r->log->run.threads > count && r->log->run.threads < count + (1u << 20))
		count = r->log->run.threads;
	return count;
}

static void survey_log(struct recording *r, bool early, struct handed *handed)
{
	struct survey *s =
		survey_new(&r->layout, &r->facts, thread_count(r), r->options->keep_all, early,
			   r->log->run.marks ? r->modules : NULL, &r->image, handed);
	struct merged record;
	struct stretch stretch;
	uint64_t records = 0;

	r->layout.late = r->late;
	r->layout.has_past = r->late || r->host;
	merge_skip_depends(r->merge);
	while (merge_next(r->merge, &record)) {
		survey_follow(s, &record);
		bool more = !r->options->eager && merge_take(r->merge, &stretch);

		if (more)
			survey_pass(s, &stretch);
		show_progress(r->options, 1, &records, more ? 1 + stretch.records : 1);
	}
	survey_finish(s);
	survey_free(s);
	r->merge = merge_again(r->merge);
}

static void forget_survey(struct recording *r)
{
	layout_release(&r->layout);
	memset(&r->layout, 0, sizeof(r->layout));
	vec_release(&r->facts.at);
	memset(&r->facts, 0, sizeof(r->facts));
}

static void make_layout(struct recording *r)
{
	bool plain = r->options->keep_all || r->log->run.marks;
	struct handed handed;

	handed_init(&handed, plain ? 0 : thread_count(r));
	survey_log(r, true, &handed);
	if (r->layout.foreign) {
		handed.threads = 0;
		forget_survey(r);
		survey_log(r, false, &handed);
	} else if (handed_is_much(&handed) && handed_are_certain(&handed) && !r->options->eager) {
		layout_settle(&r->layout);
	} else if (handed_is_much(&handed)) {
		handed_again(&handed);
		forget_survey(r);
		survey_log(r, true, &handed);
	}
	handed_release(&handed);
}

/* All of it, to nowhere: what code without hooks may have changed. */
static int rehearse(struct recording *r, uint32_t threads, struct unseen *unseen, struct err *err)
{
	struct writer *w =
		writer_new(&r->places, &r->lookups, &r->layout, &r->facts, NULL, threads, unseen);
	size_t facts = r->facts.at.n;
	struct merged record;
	int code = 0;

	while (!code && merge_next(r->merge, &record)) {
		uint32_t more;

		code = writer_follow(w, &record, err);
		if (!code && !r->options->eager)
			code = writer_go_on(w, record.thread, r->merge, &more, err);
	}
	unseen_sort(unseen);
	kept_prepare(&unseen->kept, &unseen->order);
	r->facts.at.n = facts; /* without those that a writer adds */
	writer_free(w);
	r->merge = merge_again(r->merge);
	return code;
}

/* Whether each thread's last record is the last thing that it did. */
static bool is_whole(const struct recording *r, const struct record_result *result)
{
	uint32_t why = r->log->run.why;

	return (why == LOG_GOES_ON || why == LOG_HANG) && !result->left && !result->damaged;
}

static int write_rehearsed(struct recording *r, struct sink *sink, struct unseen *unseen,
			   struct record_result *result, struct err *err)
{
	struct merge *m = r->merge;
	struct writer *w = writer_new(&r->places, &r->lookups, &r->layout, &r->facts, sink,
				      result->threads, unseen);
	struct merged record;
	uint64_t records = 0;
	int code = 0;

	while (!code && merge_next(m, &record)) {
		uint32_t more = 0;

		code = writer_follow(w, &record, err);
		if (!code && !r->options->eager)
			code = writer_go_on(w, record.thread, m, &more, err);
		show_progress(r->options, 2, &records, 1 + more);
	}
	if (!code)
		code = writer_finish(w, &result->counts, err);
	result->left = merge_left(m);
	result->damaged = merge_damaged(m);
	result->most_pending = merge_most_pending(m);
	if (!code && is_whole(r, result))
		writer_add_waits(w, r->log->run.why == LOG_HANG, r->log->run.mode == LOG_REPLAY);
	result->unsettled = r->facts.unsettled;
	writer_free(w);
	return code;
}

/* A host may have loaded anything since, unless it said at its end what it has. */
static enum libraries_host host_kind(const struct log_run *run)
{
	if (run->host == LOG_PROGRAM)
		return LIBRARIES_PROGRAM;
	return run->listed ? LIBRARIES_LISTED : LIBRARIES_UNKNOWN;
}

static int write_log(struct recording *r, struct sink *sink, struct record_result *result,
		     struct err *err)
{
	struct unseen unseen;

	if (!r->log->run.marks)
		return write_rehearsed(r, sink, NULL, result, err);
	struct libraries *libraries =
		libraries_new(r->modules, r->options->scanner, host_kind(&r->log->run));

	unseen_init(&unseen, result->threads, r->layout.variables.n, libraries);
	unseen.image = &r->image;
	unseen.kept.has_past = r->layout.has_past;
	if (r->host)
		kept_host(&unseen.kept);
	if (r->layout.has_past) /* what such code was given before is not known */
		reached_note_anything(&unseen.reached, 0);
	int code = rehearse(r, result->threads, &unseen, err);

	if (!code)
		code = write_rehearsed(r, sink, &unseen, result, err);
	unseen_release(&unseen);
	libraries_free(libraries);
	return code;
}

/* Facts about the run */

static void add_meta(struct symbols *symbols, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_meta(struct symbols *symbols, const char *key, const char *format, ...)
{
	char text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	while (length && text[length - 1] == ' ')
		length--;
	symbols_add_meta(symbols, key, strlen(key), text, length);
}

static void add_build_ids(struct recording *r)
{
	const char *path;
	char id[128];

	for (size_t i = 0; modules_build_id(r->modules, i, &path, id, sizeof(id)); i++)
		add_meta(&r->symbols, "module", "%s %s", *id ? id : "-", path);
}

static bool is_known(const char *name)
{
	static const char *const known[] = {
#define NAME_ROW(function) #function,
		NORN_REPLACED(NAME_ROW) NORN_INTERPOSED(NAME_ROW) NORN_QUIET(NAME_ROW)
#undef NAME_ROW
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

static void add_unknown(struct symbols *symbols, const char *name)
{
	char plain[2048];

	modules_demangle(name, plain, sizeof(plain));
	add_meta(symbols, "unknown-function", "%s", plain);
}

static void add_unknown_functions(struct recording *r)
{
	const struct intern *called = &r->sites.called;

	for (size_t i = 0; i < called->strings.n; i++) {
		const struct interned *name = &called->strings.at[i];

		if (intern_find(&r->sites.defined, name->text, name->length) == INTERN_NONE &&
		    !is_known(name->text))
			add_unknown(&r->symbols, name->text);
	}
}

static void add_event(struct recording *r, const struct site_info *info, struct intern *known)
{
	const char *name = tables_text(&r->sites, info, info->site->name);
	size_t before = known->strings.n;

	if (intern_add(known, name, strlen(name)) == before)
		add_meta(&r->symbols, "event", "%s %u", name, info->site->size);
}

static void add_word(struct recording *r, const struct site_info *info, struct intern *known)
{
	char text[1000];
	size_t before = known->strings.n;

	snprintf(text, sizeof(text), "%s %u %s", tables_text(&r->sites, info, info->site->function),
		 info->site->size, tables_text(&r->sites, info, info->site->name));
	if (intern_add(known, text, strlen(text)) == before)
		add_meta(&r->symbols, "word", "%s", text);
}

/* The events that files of events name, and their words, whether or not they happened. */
static void add_events(struct recording *r)
{
	struct intern known = {0};

	for (uint32_t i = 0; i < r->sites.at.n; i++) {
		const struct site_info *info = tables_get(&r->sites, i);

		if (info && info->site->kind == SITE_EVENT)
			add_event(r, info, &known);
		if (info && info->site->kind == SITE_WORD)
			add_word(r, info, &known);
	}
	intern_release(&known);
}

static void add_counts(struct symbols *symbols, const struct record_result *result)
{
	const struct writer_counts *c = &result->counts;
	const struct {
		const char *key;
		uint64_t count;
	} rows[] = {{"records", c->records},	       {"dropped-private", c->private},
		    {"dropped-constant", c->constant}, {"dropped-branches", c->branches},
		    {"dropped-spins", c->spins},       {"dropped-misfits", c->misfits},
		    {"left-out", result->left},	       {"damaged-threads", result->damaged},
		    {"external", c->external},	       {"wrong-expressions", c->wrong_expressions},
		    {"cut-dependences", c->cut},       {"use-after-free", result->dangling}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].count || !i)
			add_meta(symbols, rows[i].key, "%" PRIu64, rows[i].count);
}

static void tell_dangling(struct recording *r, struct record_result *result)
{
	size_t used = 0;

	result->dangling = r->layout.dangling_count;
	for (size_t i = 0; i < r->layout.dangling.n; i++) {
		const struct layout_dangling *d = &r->layout.dangling.at[i];
		uint32_t location =
			d->site ? places_site(&r->places, d->site) : places_call(&r->places, d->pc);
		const char *text = location ? intern_text(&r->symbols.locations, location)
					    : "an unknown place";

		if (strstr(result->dangling_places, text) ||
		    used + strlen(text) + 3 > sizeof(result->dangling_places))
			continue;
		used += (size_t)snprintf(result->dangling_places + used,
					 sizeof(result->dangling_places) - used, "%s%s",
					 used ? ", " : "", text);
	}
}

static void copy_metas(struct symbols *to, const struct symbols *from)
{
	for (size_t i = 0; from && i < from->metas.n; i++) {
		const struct meta *meta = &from->metas.at[i];

		if (!strcmp(meta->key, "command"))
			add_meta(to, meta->key, "%s", meta->value);
		else /* may be long, and is plain already */
			symbols_add_meta(to, meta->key, strlen(meta->key), meta->value,
					 strlen(meta->value));
	}
}

/* Threads have written blocks that are not there, or what is there does not fit together. */
static bool is_damaged(const struct raw_log *log, const struct record_result *result)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < log->threads.n; i++)
		blocks += log->threads.at[i].blocks;
	return result->left || result->damaged || log->lost_tails || blocks < log->run.blocks;
}

static int write_trace(struct recording *r, const char *directory, const struct symbols *metas,
		       struct output *out, struct record_result *result, struct err *err)
{
	make_layout(r);
	result->threads = thread_count(r);
	result->variables = r->layout.variables.n;
	result->sites = (uint32_t)r->sites.at.n;
	copy_metas(&r->symbols, metas);
	if (directory)
		inputs_add(&r->symbols, directory, &r->log->run);
	add_build_ids(r);
	seal_add(&r->symbols);
	add_unknown_functions(r);
	add_events(r);
	names_add_threads(&r->symbols, result->threads);
	if (directory)
		names_add_given(&r->symbols, directory);
	names_add_variables(&r->places, &r->layout);
	struct sink *sink = format_by_name("binary")->open_sink(out, &r->symbols, err);

	if (!sink)
		return err->code;
	int code = write_log(r, sink, result, err);

	if (code < 0) {
		sink->ops->abandon(sink);
		return code;
	}
	tell_dangling(r, result);
	seen_add_accidents(&r->places, &r->layout, r->log->run.unlogged);
	add_counts(&r->symbols, result);
	uint32_t exited = r->log->run.exited;

	if (exited == 1)
		add_meta(&r->symbols, META_EXIT, "main");
	else if (exited && exited <= result->threads)
		add_meta(&r->symbols, META_EXIT, "T%u", exited - 1);
	stops_find(&result->stops, &r->log->run, is_damaged(r->log, result));
	for (size_t i = 0; i < result->stops.n; i++)
		add_meta(&r->symbols, META_STOPPED_BY, "%s", result->stops.text[i]);
	if (r->late)
		add_meta(&r->symbols, META_BEGUN, "while the program ran");
	if (r->log->run.twofold)
		add_meta(&r->symbols, META_RELIES_ON, "%s", "memory that has two names");
	if (r->host)
		add_meta(&r->symbols, META_HOST, "without hooks");
	if (r->log->run.host == LOG_HOST_THREADS)
		add_meta(&r->symbols, META_RELIES_ON, "%s",
			 "what the program's threads did before it loaded code with hooks");
	result->host = r->host;
	result->bad_templates = r->sites.bad_templates;
	return sink->ops->finish(sink, err);
}

int record_merge(const struct record_input *in, const struct record_options *options,
		 const struct symbols *metas, struct output *out, struct record_result *result,
		 struct err *err)
{
	struct recording r = {.options = options, .facts.guesses = options->guesses};

	memset(result, 0, sizeof(*result));
	open_recording(&r, in);
	int code = write_trace(&r, in->directory, metas, out, result, err);

	close_recording(&r);
	return code;
}

int record_write(const char *directory, const struct record_options *options,
		 const struct symbols *metas, struct output *out, struct record_result *result,
		 struct err *err)
{
	struct raw_log log;
	struct err ignored;
	size_t modules_size;
	int code = raw_open(&log, directory, err);

	if (!code) {
		struct record_input in = {.log = &log, .directory = directory};
		/* a program that ended at once may have neither */
		char *modules = raw_read_file(directory, "modules", &modules_size, &ignored);
		char *image = raw_read_file(directory, "image", &in.image.size, &ignored);

		in.modules = modules ? modules : "";
		in.image.at = image;
		if (!image)
			in.image.size = 0;
		in.sites = raw_read_file(directory, "sites", &in.sites_size, &ignored);
		if (!in.sites)
			in.sites_size = 0;
		code = record_merge(&in, options, metas, out, result, err);
		mem_free(modules);
		mem_free(image);
	}
	raw_release(&log);
	return code;
}
