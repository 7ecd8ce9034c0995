/* SPDX-License-Identifier: MIT */
#include "record/inputs.h"

#include "base/base64.h"
#include "record/log/raw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define STANDARD_INPUT "stdin"
#define CUT_KEY "inputs-stopped-by"
#define PIECE ((size_t)256 << 10)
#define THREADS_MOST (1u << 20)
#define ZSTD_LEVEL 3

const char *const input_function_names[INPUT_COUNT] = {
#define NAME_ROW(name, text) [name] = text,
	LOG_INPUTS(NAME_ROW)
#undef NAME_ROW
};

/* The size of the input at `at`, with its bytes; 0: there is none. */
static size_t input_size(const uint8_t *data, size_t at, size_t size)
{
	struct log_input head;
	size_t rest = size - at;

	if (rest < sizeof(head))
		return 0;
	memcpy(&head, data + at, sizeof(head));
	size_t bytes = ((size_t)head.size + 7) / 8 * 8;

	return head.function && bytes <= rest - sizeof(head) ? sizeof(head) + bytes : 0;
}

/* Writing */

static void add_piece(struct symbols *symbols, const char *owner, const uint8_t *data, size_t size)
{
	size_t bound = ZSTD_compressBound(size);
	uint8_t *packed = mem_alloc(bound);
	size_t packed_size = ZSTD_compress(packed, bound, data, size, ZSTD_LEVEL);
	char *text = mem_alloc(base64_length(bound) + 64);

	ASSERT(!ZSTD_isError(packed_size));
	size_t length = (size_t)sprintf(text, "%s %zu ", owner, size);

	base64_encode(packed, packed_size, text + length);
	length += base64_length(packed_size);
	symbols_add_meta(symbols, INPUTS_KEY, strlen(INPUTS_KEY), text, length);
	mem_free(text);
	mem_free(packed);
}

/* An owner that has none has one piece, which is empty. */
static void add_pieces(struct symbols *symbols, const char *owner, const uint8_t *data, size_t size)
{
	size_t done = 0;

	do {
		size_t piece = size - done < PIECE ? size - done : PIECE;

		add_piece(symbols, owner, data + done, piece);
		done += piece;
	} while (done < size);
}

static uint8_t *read_file(const char *directory, const char *name, size_t *size)
{
	struct err ignored;
	char *data = raw_read_file(directory, name, size, &ignored);

	return (uint8_t *)data;
}

static void add_thread(struct symbols *symbols, const char *directory, uint32_t thread)
{
	char name[32], owner[16];
	size_t size = 0, used = 0, step;

	snprintf(name, sizeof(name), "input.%u", thread);
	snprintf(owner, sizeof(owner), "%u", thread);
	uint8_t *data = read_file(directory, name, &size);

	while (data && (step = input_size(data, used, size)))
		used += step;
	if (used)
		add_pieces(symbols, owner, data, used);
	mem_free(data);
}

void inputs_add_cut(struct symbols *symbols)
{
	static const char option[] = "--max-input";

	symbols_add_meta(symbols, CUT_KEY, strlen(CUT_KEY), option, strlen(option));
}

void inputs_add(struct symbols *symbols, const char *directory, const struct log_run *run)
{
	size_t size;
	uint8_t *data = read_file(directory, STANDARD_INPUT, &size);

	if (data)
		add_pieces(symbols, STANDARD_INPUT, data, size);
	mem_free(data);
	for (uint32_t i = 0; i < run->threads && i < THREADS_MOST; i++)
		add_thread(symbols, directory, i);
	if (run->input_bytes > run->input_limit)
		inputs_add_cut(symbols);
}

/* Reading */

/* To the number at the start of the text; returns what is behind the blank that follows, or NULL.
 */
static const char *take_number(const char *text, uint64_t most, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno || *number > most || *end != ' ' ? NULL : end + 1;
}

bool inputs_is_standard(const struct meta *meta)
{
	return !strcmp(meta->key, INPUTS_KEY) &&
	       !strncmp(meta->value, STANDARD_INPUT " ", strlen(STANDARD_INPUT) + 1);
}

static inputs_bytes *owner_of(struct inputs *in, const struct meta *meta, const char **rest)
{
	uint64_t number;

	if (inputs_is_standard(meta)) {
		in->saved = true;
		*rest = meta->value + strlen(STANDARD_INPUT) + 1;
		return &in->standard_input;
	}
	*rest = take_number(meta->value, THREADS_MOST - 1, &number);
	if (!*rest)
		return NULL;
	vec_extend(&in->threads, (size_t)number + 1);
	return &in->threads.at[number];
}

static bool unpack(inputs_bytes *to, size_t size, const char *text)
{
	size_t length = strlen(text), packed_size;
	uint8_t *packed = mem_alloc(length / 4 * 3 + 1);
	bool good = base64_decode(text, length, packed, &packed_size);

	vec_reserve(to, to->n + size + 1);
	if (good)
		good = ZSTD_decompress(to->at + to->n, size, packed, packed_size) == size;
	to->n += good ? size : 0;
	mem_free(packed);
	return good;
}

static bool read_piece(struct inputs *in, const struct meta *meta, uint64_t *total)
{
	const char *rest;
	inputs_bytes *to = owner_of(in, meta, &rest);
	uint64_t size;

	if (!to || !(rest = take_number(rest, PIECE, &size)))
		return false;
	*total += size;
	return *total <= 2 * INPUTS_MOST && unpack(to, (size_t)size, rest);
}

static bool is_whole(const inputs_bytes *bytes)
{
	size_t used = 0, step;

	while ((step = input_size(bytes->at, used, bytes->n)))
		used += step;
	return used == bytes->n;
}

static bool read_all(struct inputs *in, const struct symbols *symbols)
{
	uint64_t total = 0;

	for (size_t i = 0; i < symbols->metas.n; i++) {
		const struct meta *meta = &symbols->metas.at[i];

		if (!strcmp(meta->key, INPUTS_KEY) && !read_piece(in, meta, &total))
			return false;
		in->cut |= !strcmp(meta->key, CUT_KEY);
	}
	for (size_t i = 0; i < in->threads.n; i++)
		if (!is_whole(&in->threads.at[i]))
			return false;
	return true;
}

int inputs_read(struct inputs *in, const struct symbols *symbols, const char *trace,
		struct err *err)
{
	*in = (struct inputs){0};
	if (read_all(in, symbols))
		return 0;
	return err_set(err, ERR_INPUT, "%s: the inputs in it are damaged; record the program again",
		       trace);
}

void inputs_release(struct inputs *in)
{
	for (size_t i = 0; i < in->threads.n; i++)
		vec_release(&in->threads.at[i]);
	vec_release(&in->threads);
	vec_release(&in->standard_input);
}

/* Giving back */

int inputs_write(const struct inputs *in, const char *directory, struct err *err)
{
	char path[4096 + 32];

	for (size_t i = 0; i < in->threads.n; i++) {
		const inputs_bytes *bytes = &in->threads.at[i];

		if (!bytes->n)
			continue;
		snprintf(path, sizeof(path), "%s/given.%zu", directory, i);
		FILE *f = fopen(path, "wb");
		bool written = f && fwrite(bytes->at, 1, bytes->n, f) == bytes->n;

		if (f && fclose(f))
			written = false;
		if (!written)
			return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	}
	return 0;
}

void inputs_count(const struct inputs *in, struct inputs_count counts[INPUT_COUNT])
{
	memset(counts, 0, INPUT_COUNT * sizeof(*counts));
	for (size_t i = 0; i < in->threads.n; i++) {
		const inputs_bytes *bytes = &in->threads.at[i];
		size_t used = 0, step;

		for (; (step = input_size(bytes->at, used, bytes->n)); used += step) {
			struct log_input head;

			memcpy(&head, bytes->at + used, sizeof(head));
			if (head.function >= INPUT_COUNT)
				continue; /* of a later version */
			counts[head.function].calls++;
			counts[head.function].bytes += head.size;
		}
	}
}

bool inputs_have_sockets(const struct inputs *in)
{
	static const enum log_input_function any[] = {INPUT_RECEIVE, INPUT_SEND, INPUT_ACCEPT,
						      INPUT_SETTING, INPUT_READY};
	struct inputs_count counts[INPUT_COUNT];
	uint64_t calls = 0;

	inputs_count(in, counts);
	for (size_t i = 0; i < sizeof(any) / sizeof(*any); i++)
		calls += counts[any[i]].calls;
	return calls && !counts[INPUT_ITSELF].calls;
}
