/* SPDX-License-Identifier: MIT */
#include "trace/reader.h"

#include "base/seconds.h"
#include "trace/format.h"
#include "trace/split.h"

#include <string.h>

struct reader {
	struct input *in;
	struct symbols symbols;
	const struct format *format;
	struct source *source;
	struct split *split; /* NULL: no variables overlap */
	struct batch rest;   /* of the source's batch, what is not cut yet */
	struct batch first;  /* read by open already, so that all memory is declared */
	int first_state;     /* what reading it returned; 2: it was handed out */
	struct err first_err;
	uint64_t from; /* seek: drop what comes before */
	uint64_t last; /* handed out */
	double deadline;
};

/* All but the first n. */
static void drop_events(struct batch *batch, size_t n)
{
	batch->at += n;
	batch->n -= n;
	batch->first += n;
	if (batch->lines)
		batch->lines += n;
}

static int cut_rest(struct reader *r, struct batch *batch, struct err *err)
{
	*batch = r->rest;
	if (split_batch(r->split, batch, err) < 0)
		return err->code;
	drop_events(&r->rest, batch->n);
	return 1;
}

static int read_batch(struct reader *r, struct batch *batch, struct err *err)
{
	if (r->rest.n)
		return cut_rest(r, batch, err);
	int got = r->source->ops->next(r->source, batch, err);

	if (got <= 0 || !r->split)
		return got;
	r->rest = *batch;
	return cut_rest(r, batch, err);
}

/* Variables that overlap are cut into ranges, which get names. */
static void cut_variables(struct reader *r, struct err *err)
{
	r->split = split_new(&r->symbols, input_name(r->in));
	if (!r->split || reader_names(r, err) < 0 ||
	    split_variables(r->split, &r->symbols, err) < 0 || !r->first_state)
		return;
	r->rest = r->first;
	cut_rest(r, &r->first, err);
}

static struct source *open_source(struct reader *r, bool unnamed, struct err *err)
{
	if (unnamed && r->format->open_unnamed)
		return r->format->open_unnamed(r->in, &r->symbols, err);
	return r->format->open_source(r->in, &r->symbols, err);
}

static struct reader *open_reader(struct input *in, const char *format, bool unnamed,
				  struct err *err)
{
	struct reader *r = mem_alloc_zero(1, sizeof(*r));
	const char *head;

	r->in = in;
	symbols_init(&r->symbols);
	err->code = 0;
	size_t size = input_peek(in, &head, FORMAT_PROBE_SIZE, err);

	if (!err->code) {
		r->format = format ? format_by_name(format) : format_by_content(head, size);
		if (!r->format && format)
			err_set(err, ERR_USAGE, "there is no format '%s'", format);
		else if (!r->format)
			err_set(err, ERR_INPUT,
				"%s: byte 0: this is not a trace of a known format (see --from)",
				input_name(in));
	}
	if (!err->code && r->format)
		r->source = open_source(r, unnamed, err);
	if (r->source) {
		/* an error in the first batch is for reader_next: events before it can be used */
		r->first_state = r->source->ops->next(r->source, &r->first, &r->first_err);
		if (r->first_state >= 0)
			cut_variables(r, err);
	}
	if (err->code) {
		reader_close(r);
		return NULL;
	}
	return r;
}

struct reader *reader_open_input(struct input *in, const char *format, struct err *err)
{
	return open_reader(in, format, false, err);
}

struct reader *reader_open_input_unnamed(struct input *in, const char *format, struct err *err)
{
	return open_reader(in, format, true, err);
}

struct reader *reader_open_unnamed(const char *path, const char *format, struct err *err)
{
	struct input *in = input_open(path, err);

	return in ? reader_open_input_unnamed(in, format, err) : NULL;
}

struct reader *reader_open(const char *path, const char *format, struct err *err)
{
	struct input *in = input_open(path, err);

	return in ? reader_open_input(in, format, err) : NULL;
}

struct reader *reader_open_memory(const void *data, size_t size, const char *name,
				  const char *format, struct err *err)
{
	return reader_open_input(input_open_memory(data, size, name), format, err);
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	if (r->source)
		r->source->ops->close(r->source);
	split_free(r->split);
	symbols_release(&r->symbols);
	input_close(r->in);
	mem_free(r);
}

static int next_batch(struct reader *r, struct batch *batch, struct err *err)
{
	if (r->first_state == 2)
		return read_batch(r, batch, err);
	if (r->first_state < 0) {
		*err = r->first_err;
		return err->code;
	}
	int got = r->first_state;

	if (got) {
		*batch = r->first;
		r->first_state = 2;
	}
	return got;
}

void reader_set_deadline(struct reader *r, double deadline)
{
	r->deadline = deadline;
}

int reader_next(struct reader *r, struct batch *batch, struct err *err)
{
	int got;

	while ((got = next_batch(r, batch, err)) > 0) {
		if (r->deadline > 0 && seconds_now() >= r->deadline)
			return err_set(err, ERR_LIMIT,
				       "the time was used up when %llu events of %s were read: "
				       "nothing was looked at",
				       (unsigned long long)batch->first - 1, reader_name(r));
		if (batch->first + batch->n <= r->from)
			continue;
		if (batch->first < r->from)
			drop_events(batch, (size_t)(r->from - batch->first));
		r->last = batch->first + batch->n - 1;
		return got;
	}
	return got;
}

int reader_seek(struct reader *r, uint64_t event, struct err *err)
{
	if (r->source->ops->seek) {
		int code = r->source->ops->seek(r->source, event, err);

		if (code < 0)
			return code;
		r->first_state = 2;
		r->rest.n = 0;
	} else if (r->first_state == 2) {
		return err_set(err, ERR_USAGE, "%s: this format cannot be read from the middle",
			       input_name(r->in));
	}
	r->from = event;
	return 0;
}

int reader_names(struct reader *r, struct err *err)
{
	return r->source->ops->names ? r->source->ops->names(r->source, err) : 0;
}

void reader_skip_values(struct reader *r)
{
	/* values of variables that overlap are checked against their sizes */
	if (r->source->ops->skip_values && !r->split)
		r->source->ops->skip_values(r->source);
}

uint64_t reader_last_event(const struct reader *r)
{
	return r->last;
}

const struct symbols *reader_symbols(const struct reader *r)
{
	return &r->symbols;
}

const char *reader_name(const struct reader *r)
{
	return input_name(r->in);
}

const char *reader_format(const struct reader *r)
{
	return r->format->name;
}

const uint32_t *reader_roots(const struct reader *r, size_t *n)
{
	return r->source->ops->roots ? r->source->ops->roots(r->source, n) : NULL;
}

const char *reader_cut(const struct reader *r)
{
	return r->source->ops->cut ? r->source->ops->cut(r->source) : NULL;
}

const char *reader_mended(const struct reader *r)
{
	return r->source->ops->mended ? r->source->ops->mended(r->source) : NULL;
}
