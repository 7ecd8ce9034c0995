/* SPDX-License-Identifier: MIT */
#include "trace/binary.h"

#include "base/sorted.h"
#include "trace/binary_decode.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct block {
	uint64_t offset, first;
	uint32_t type, count;
};

struct binary_source {
	struct source source;
	VEC(struct block) blocks; /* of events alone, in order */
	size_t next_block;
	VEC(uint64_t) symbol_blocks; /* where they are */
	bool unnamed;		     /* opening leaves out the names of variables */
	VEC(uint32_t) roots;	     /* threads that nobody forks; known with the index */
	bool has_index;
	char cut[160]; /* why the file ends early, or "" */
	struct decoder decoder;
};

static int corrupt(const struct binary_source *b, uint64_t offset, const char *what,
		   struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: byte %llu: %s", input_name(b->source.in),
		       (unsigned long long)offset, what);
}

/* Blocks */

static int read_at(struct binary_source *b, uint64_t offset, void *to, size_t size, struct err *err)
{
	if (input_seek(b->source.in, offset, err) < 0)
		return err->code;
	int64_t got = input_read(b->source.in, to, size, err);

	return got < 0 ? (int)got : (size_t)got == size;
}

static bool hash_fits(uint64_t said, const void *data, size_t size)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)said, (void)data, (void)size;
	return true;
#else
	return said == XXH3_64bits(data, size);
#endif
}

static bool header_is_good(const struct block_header *h)
{
	return h->magic == BLOCK_MAGIC && h->stored_size <= BLOCK_STORED_MAX &&
	       hash_fits(h->header_hash, h, offsetof(struct block_header, header_hash));
}

/* The block at offset, and a cursor over it, which holds until more is read. */
static int read_block(struct binary_source *b, uint64_t offset, struct block_header *header,
		      struct cursor *c, struct err *err)
{
	int got = read_at(b, offset, header, sizeof(*header), err);

	if (got < 0)
		return got;
	if (!got || !header_is_good(header))
		return corrupt(b, offset, "no block starts here: the file is damaged", err);
	uint64_t file_size;

	input_seekable(b->source.in, &file_size);
	if (header->stored_size > file_size - offset)
		return corrupt(b, offset, "the block is longer than the file", err);
	const char *stored;
	size_t size = input_peek(b->source.in, &stored, header->stored_size, err);

	if (size < header->stored_size && err->code)
		return err->code;
	if (size < header->stored_size || !hash_fits(header->payload_hash, stored, size))
		return corrupt(b, offset,
			       "the block does not match its checksum: the file is damaged", err);
	*c = (struct cursor){(const uint8_t *)stored, (const uint8_t *)stored + size, false};
	return 0;
}

static int read_symbols(struct binary_source *b, uint64_t offset, enum symbols_part part,
			struct err *err)
{
	struct block_header header;
	struct cursor c;

	if (read_block(b, offset, &header, &c, err) < 0)
		return err->code;
	if (!decoder_symbols(&b->decoder, &c, header.count, part))
		return corrupt(b, offset, "the block of symbols is invalid", err);
	return 0;
}

static int check_symbols(struct binary_source *b, struct err *err)
{
	if (symbols_check(b->source.symbols))
		return 0;
	return corrupt(b, sizeof(struct file_header), "two symbols have the same name", err);
}

static int binary_names(struct source *s, struct err *err)
{
	struct binary_source *b = (struct binary_source *)s;
	int code = 0;

	if (symbols_are_named(s->symbols))
		return 0;
	err->code = 0;
	symbols_reserve_names(s->symbols, symbols_count(s->symbols, CLASS_VARIABLE));
	for (size_t i = 0; !code && i < b->symbol_blocks.n; i++)
		code = read_symbols(b, b->symbol_blocks.at[i], SYMBOLS_NAMES, err);
	if (!code && !symbols_are_named(s->symbols))
		code = err_set(err, ERR_INPUT, "%s: the file was changed while it was read",
			       input_name(s->in));
	if (!code)
		code = check_symbols(b, err);
	if (code)
		symbols_forget_names(s->symbols);
	return code;
}

/* Events */

static int binary_next(struct source *s, struct batch *batch, struct err *err)
{
	struct binary_source *b = (struct binary_source *)s;
	struct block_header header;
	struct cursor c;

	if (b->next_block == b->blocks.n)
		return 0;
	const struct block *block = &b->blocks.at[b->next_block];

	if (read_block(b, block->offset, &header, &c, err) < 0)
		return err->code;
	if (header.type != BLOCK_EVENTS || header.first != block->first ||
	    header.count != block->count ||
	    !decoder_events(&b->decoder, &c, header.count, header.first))
		return corrupt(b, block->offset, "the block of events is invalid", err);
	b->next_block++;
	*batch = (struct batch){
		.at = b->decoder.events.at, .n = header.count, .first = header.first};
	return 1;
}

static int binary_seek(struct source *s, uint64_t event, struct err *err)
{
	struct binary_source *b = (struct binary_source *)s;
	const struct block *blocks = b->blocks.at;

	(void)err;
	/* the first block that ends behind the event */
	b->next_block = LOWER_BOUND(i, 0, b->blocks.n, blocks[i].first + blocks[i].count <= event);
	return 0;
}

static const uint32_t *binary_roots(struct source *s, size_t *n)
{
	static const uint32_t none;
	struct binary_source *b = (struct binary_source *)s;

	*n = b->roots.n;
	return !b->has_index ? NULL : b->roots.n ? b->roots.at : &none;
}

static void binary_skip_values(struct source *s)
{
	((struct binary_source *)s)->decoder.skip_values = true;
}

static const char *binary_cut(struct source *s)
{
	struct binary_source *b = (struct binary_source *)s;

	return *b->cut ? b->cut : NULL;
}

static void binary_close(struct source *s)
{
	struct binary_source *b = (struct binary_source *)s;

	decoder_release(&b->decoder);
	vec_release(&b->blocks);
	vec_release(&b->symbol_blocks);
	vec_release(&b->roots);
	mem_free(b);
}

/* Finding the blocks */

/* Every block in turn: symbols are read, events noted. */
static int note_block(struct binary_source *b, const struct block *block, struct err *err)
{
	const struct block *last = b->blocks.n ? &b->blocks.at[b->blocks.n - 1] : NULL;
	uint64_t expected = last ? last->first + last->count : 1;

	if (block->type == BLOCK_SYMBOLS) {
		vec_push(&b->symbol_blocks, block->offset);
		return read_symbols(b, block->offset, b->unnamed ? SYMBOLS_UNNAMED : SYMBOLS_ALL,
				    err);
	}
	if (block->type != BLOCK_EVENTS)
		return corrupt(b, block->offset, "this kind of block is not known", err);
	if (block->first != expected || !block->count || block->count > BINARY_BLOCK_MAX)
		return corrupt(b, block->offset, "the events of this block have wrong numbers",
			       err);
	vec_push(&b->blocks, *block);
	return 0;
}

static int read_index(struct binary_source *b, uint64_t offset, struct err *err)
{
	struct block_header header;
	struct cursor c;
	VEC(struct block) all = {0};
	uint64_t symbols = 0, file_size;

	if (read_block(b, offset, &header, &c, err) < 0)
		return err->code;
	if (header.type != BLOCK_INDEX)
		return corrupt(b, offset, "the index is not where it should be", err);
	for (uint32_t i = 0; i < header.count && !c.bad; i++) {
		struct block block = {.type = (uint32_t)take_varint(&c)};

		block.offset = take_varint(&c);
		block.first = take_varint(&c);
		block.count = (uint32_t)take_varint(&c);
		vec_push(&all, block);
		if (block.type == BLOCK_SYMBOLS)
			symbols += block.count;
	}
	while (!c.bad && c.at != c.end) {
		uint64_t root = take_varint(&c);

		c.bad |= root >= UINT32_MAX;
		vec_push(&b->roots, (uint32_t)root);
	}
	int code = c.bad ? corrupt(b, offset, "the index is invalid", err) : 0;

	/* most are variables, of a byte at least; what else the index says will be seen */
	input_seekable(b->source.in, &file_size);
	if (!code && !b->unnamed)
		symbols_reserve_names(b->source.symbols, symbols < file_size ? symbols : file_size);
	for (size_t i = 0; !code && i < all.n; i++)
		code = note_block(b, &all.at[i], err);
	vec_release(&all);
	for (size_t i = 0; !code && i < b->roots.n; i++)
		if (b->roots.at[i] >= symbols_count(b->source.symbols, CLASS_THREAD))
			code = corrupt(b, offset, "the index names a thread that is not there",
				       err);
	b->has_index = true;
	return code;
}

/* Without an index: from block to block, up to the last whole one. */
static int scan_blocks(struct binary_source *b, uint64_t size, struct err *err)
{
	static const struct block_header zeros;
	uint64_t offset = sizeof(struct file_header);
	struct block_header header;

	while (size - offset >= sizeof(header)) {
		int got = read_at(b, offset, &header, sizeof(header), err);

		if (got < 0)
			return got;
		if (!got || !memcmp(&header, &zeros, sizeof(zeros)))
			break;
		if (!header_is_good(&header))
			return corrupt(b, offset, "no block starts here: the file is damaged", err);
		if (header.stored_size > size - offset - sizeof(header) ||
		    header.type == BLOCK_INDEX)
			break;
		struct block block = {.offset = offset,
				      .first = header.first,
				      .type = header.type,
				      .count = header.count};
		int code = note_block(b, &block, err);

		if (code)
			return code;
		offset += sizeof(header) + header.stored_size;
	}
	const struct block *last = b->blocks.n ? &b->blocks.at[b->blocks.n - 1] : NULL;

	snprintf(b->cut, sizeof(b->cut),
		 "the file is cut short at byte %llu: events up to %llu are here",
		 (unsigned long long)offset,
		 (unsigned long long)(last ? last->first + last->count - 1 : 0));
	return 0;
}

static int find_blocks(struct binary_source *b, struct err *err)
{
	struct file_header header;
	struct file_trailer trailer;
	uint64_t size;

	input_seekable(b->source.in, &size);
	int got = read_at(b, 0, &header, sizeof(header), err);

	if (got < 0)
		return got;
	if (!got || memcmp(header.magic, BINARY_MAGIC, BINARY_MAGIC_SIZE) ||
	    header.hash != (uint32_t)XXH3_64bits(&header, offsetof(struct file_header, hash)))
		return corrupt(b, 0, "the header is damaged or cut short", err);
	if (header.version < BINARY_VERSION_FIRST || header.version > BINARY_VERSION)
		return err_set(
			err, ERR_INPUT,
			"%s: byte 8: the file has version %u of the format, this Norn reads %d "
			"to %d",
			input_name(b->source.in), header.version, BINARY_VERSION_FIRST,
			BINARY_VERSION);
	b->decoder.version = header.version;
	if (size >= sizeof(header) + sizeof(trailer)) {
		got = read_at(b, size - sizeof(trailer), &trailer, sizeof(trailer), err);
		if (got < 0)
			return got;
		if (got && !memcmp(trailer.magic, BINARY_END_MAGIC, BINARY_MAGIC_SIZE) &&
		    hash_fits(trailer.hash, &trailer, offsetof(struct file_trailer, hash)) &&
		    trailer.index_offset < size)
			return read_index(b, trailer.index_offset, err);
	}
	return scan_blocks(b, size, err);
}

static const struct source_ops binary_source_ops = {.next = binary_next,
						    .seek = binary_seek,
						    .roots = binary_roots,
						    .skip_values = binary_skip_values,
						    .names = binary_names,
						    .cut = binary_cut,
						    .close = binary_close};

static struct source *open_source(struct input *in, struct symbols *symbols, bool unnamed,
				  struct err *err)
{
	struct binary_source *b = mem_alloc_zero(1, sizeof(*b));

	b->source = (struct source){&binary_source_ops, in, symbols};
	b->unnamed = unnamed;
	if (decoder_init(&b->decoder, symbols) < 0)
		err_set(err, ERR_SYSTEM, "zstd cannot be initialised");
	else if (input_make_seekable(in, err) == 0)
		find_blocks(b, err);
	if (!err->code)
		check_symbols(b, err);
	if (err->code) {
		binary_close(&b->source);
		return NULL;
	}
	return &b->source;
}

struct source *binary_open_source(struct input *in, struct symbols *symbols, struct err *err)
{
	return open_source(in, symbols, false, err);
}

struct source *binary_open_unnamed(struct input *in, struct symbols *symbols, struct err *err)
{
	return open_source(in, symbols, true, err);
}

int binary_probe(const char *head, size_t size)
{
	/* also when damaged a little: the reader says where */
	return size >= 5 && !memcmp(head + 1, &BINARY_MAGIC[1], 4) ? 100 : 0;
}
