/* SPDX-License-Identifier: MIT */
#include "trace/binary.h"

#include "trace/binary_layout.h"
#include "trace/expr_build.h"

#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#define BLOCK_EVENTS_DEFAULT 32768
#define VARINT_MOST 10 /* bytes */
#define SYMBOLS_BLOCK_SIZE ((size_t)1 << 20)
/* Level 1 is within 2% of level 3 on columns like ours and takes half the time. */
#define ZSTD_LEVEL 1

struct bytes {
	VEC(uint8_t) v;
};

#define THREAD_RUNS 1
#define THREAD_FORKED 2

struct index_entry {
	uint32_t type, count;
	uint64_t offset, first;
};

struct binary_sink {
	struct sink sink;
	uint32_t block_events;
	uint64_t next_number; /* of the first event of the block being filled */
	uint32_t count;	      /* events in it */
	bool skips;	      /* some event in it has skip= */
	uint32_t last_thread;
	VEC(uint32_t) last_location;	     /* of each thread, in this block */
	VEC(uint64_t) columns[COLUMN_COUNT]; /* all but COLUMN_MORE */
	struct bytes more;
	struct bytes payload;
	struct bytes packed;
	uint8_t *plane;
	size_t plane_size;
	ZSTD_CCtx *zstd;
	VEC(struct index_entry) index;
	VEC(uint8_t) threads; /* THREAD_RUNS, THREAD_FORKED */
	/* symbols that are in the file already */
	size_t written[CLASS_COUNT], locations, bases, metas, constants;
};

static void put_byte(struct bytes *to, uint8_t byte)
{
	vec_push(&to->v, byte);
}

static void put_raw(struct bytes *to, const void *data, size_t size)
{
	vec_reserve(&to->v, to->v.n + size);
	if (size)
		memcpy(to->v.at + to->v.n, data, size);
	to->v.n += size;
}

/* Where `most` more bytes can be written, and up to where they were. */
static uint8_t *begin_writing(struct bytes *to, size_t most)
{
	vec_reserve(&to->v, to->v.n + most);
	return to->v.at + to->v.n;
}

static void end_writing(struct bytes *to, const uint8_t *at)
{
	to->v.n = (size_t)(at - to->v.at);
}

/* Returns what is behind it. */
static inline uint8_t *write_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

static void put_varint(struct bytes *to, uint64_t value)
{
	end_writing(to, write_varint(begin_writing(to, VARINT_MOST), value));
}

static uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static void put_text(struct bytes *to, const char *text, size_t length)
{
	put_varint(to, length);
	put_raw(to, text, length);
}

/* Blocks */

static void write_block(struct binary_sink *b, enum block_type type, uint64_t first, uint32_t count)
{
	struct block_header header = {.magic = BLOCK_MAGIC,
				      .type = type,
				      .first = first,
				      .count = count,
				      .stored_size = (uint32_t)b->payload.v.n};
	struct index_entry entry = {
		.type = type, .count = count, .offset = output_size(b->sink.out), .first = first};

	ASSERT(b->payload.v.n <= BLOCK_STORED_MAX);
	header.payload_hash = XXH3_64bits(b->payload.v.at, b->payload.v.n);
	header.header_hash = XXH3_64bits(&header, offsetof(struct block_header, header_hash));
	output_bytes(b->sink.out, &header, sizeof(header));
	output_bytes(b->sink.out, b->payload.v.at, b->payload.v.n);
	vec_push(&b->index, entry);
	b->payload.v.n = 0;
}

/* Appends `size` bytes as a plane. What hardly shrinks is read faster as it is. */
static void put_plane(struct binary_sink *b, const uint8_t *data, size_t size)
{
	if (!memcmp(data, data + 1, size - 1)) {
		put_byte(&b->payload, PLANE_SAME);
		put_byte(&b->payload, data[0]);
		return;
	}
	vec_reserve(&b->packed.v, ZSTD_compressBound(size));
	size_t packed = ZSTD_compressCCtx(b->zstd, b->packed.v.at, b->packed.v.capacity, data, size,
					  ZSTD_LEVEL);

	if (ZSTD_isError(packed) || packed >= size - size / 4) {
		put_byte(&b->payload, PLANE_RAW);
		put_raw(&b->payload, data, size);
	} else {
		put_byte(&b->payload, PLANE_ZSTD);
		put_varint(&b->payload, packed);
		put_raw(&b->payload, b->packed.v.at, packed);
	}
}

/* Byte `plane` of each number. */
VECTORS static void split_plane(uint8_t *restrict to, const uint64_t *restrict numbers,
				size_t count, unsigned plane)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (uint8_t)(numbers[i] >> (8 * plane));
}

VECTORS static uint64_t united(const uint64_t *numbers, size_t count)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all |= numbers[i];
	return all;
}

static void put_column(struct binary_sink *b, const uint64_t *numbers, size_t count)
{
	uint8_t width = 0;

	for (uint64_t all = united(numbers, count); all; all >>= 8)
		width++;
	put_varint(&b->payload, count);
	put_byte(&b->payload, width);
	if (b->plane_size < count) {
		b->plane_size = count;
		b->plane = mem_resize(b->plane, count);
	}
	for (uint8_t p = 0; p < width; p++) {
		split_plane(b->plane, numbers, count, p);
		put_plane(b, b->plane, count);
	}
}

/* Symbols */

static void put_object(struct bytes *to, const struct symbols *symbols, enum object_class class,
		       size_t number)
{
	const struct interned *name = symbols_text(symbols, class, number);

	put_byte(to, (uint8_t) class);
	put_text(to, name->text, name->length);
	if (class == CLASS_VARIABLE) {
		const struct variable *v = symbols_variable(symbols, number);

		put_byte(to, v->flags);
		if (v->flags & VARIABLE_INIT)
			put_varint(to, zigzag(v->init));
		if (v->flags & VARIABLE_MEMORY) {
			put_varint(to, v->base);
			put_varint(to, v->address);
			put_varint(to, v->size);
		}
	} else if (class == CLASS_SEMAPHORE) {
		const struct semaphore *s = &symbols->semaphores.at[number];

		put_varint(to, s->declared ? s->count + 1 : 0);
	} else if (class == CLASS_BARRIER) {
		put_varint(to, symbols->barriers.at[number].parties);
	}
}

/* Compresses the records gathered in b->more as one plane and writes them as a block. */
static void write_symbols_block(struct binary_sink *b, struct bytes *records, uint32_t *count)
{
	if (!*count)
		return;
	put_varint(&b->payload, records->v.n);
	put_plane(b, records->v.at, records->v.n);
	write_block(b, BLOCK_SYMBOLS, 0, *count);
	records->v.n = 0;
	*count = 0;
}

static void write_new_symbols(struct binary_sink *b)
{
	const struct symbols *symbols = b->sink.symbols;
	struct bytes records = {{0}};
	uint32_t count = 0;

#define PUT_RECORD(...)                                           \
	do {                                                      \
		__VA_ARGS__;                                      \
		count++;                                          \
		if (records.v.n >= SYMBOLS_BLOCK_SIZE)            \
			write_symbols_block(b, &records, &count); \
	} while (0)

	for (; b->metas < symbols->metas.n; b->metas++) {
		const struct meta *meta = &symbols->metas.at[b->metas];

		PUT_RECORD(put_byte(&records, TAG_META);
			   put_text(&records, meta->key, strlen(meta->key));
			   put_text(&records, meta->value, strlen(meta->value)));
	}
	for (; b->constants < symbols->constants.ranges.n; b->constants++) {
		const struct constant *range = &symbols->constants.ranges.at[b->constants];

		PUT_RECORD(put_byte(&records, TAG_CONSTANT); put_varint(&records, range->address);
			   put_text(&records, (const char *)range->bytes, range->size));
	}
	for (; b->bases < symbols->bases.strings.n; b->bases++) {
		const struct interned *name = &symbols->bases.strings.at[b->bases];

		PUT_RECORD(put_byte(&records, TAG_BASE);
			   put_text(&records, name->text, name->length));
	}
	for (; b->locations < symbols->locations.strings.n; b->locations++) {
		const struct interned *name = &symbols->locations.strings.at[b->locations];

		PUT_RECORD(put_byte(&records, TAG_LOCATION);
			   put_text(&records, name->text, name->length));
	}
	for (int class = 0; class < CLASS_COUNT; class ++)
		for (; b->written[class] < symbols_count(symbols, class); b->written[class]++)
			PUT_RECORD(put_object(&records, symbols, class, b->written[class]));
#undef PUT_RECORD
	write_symbols_block(b, &records, &count);
	vec_release(&records.v);
}

/* Events */

static void write_events_block(struct binary_sink *b)
{
	write_new_symbols(b);
	if (!b->count)
		return;
	if (!b->skips)
		b->columns[COLUMN_SKIP].n = 0;
	b->skips = false;
	for (int column = 0; column < COLUMN_MORE; column++) {
		put_column(b, b->columns[column].at, b->columns[column].n);
		b->columns[column].n = 0;
	}
	put_varint(&b->payload, b->more.v.n);
	if (b->more.v.n)
		put_plane(b, b->more.v.at, b->more.v.n);
	b->more.v.n = 0;
	write_block(b, BLOCK_EVENTS, b->next_number, b->count);
	b->next_number += b->count;
	b->count = 0;
	b->last_thread = UINT32_MAX;
	b->last_location.n = 0;
}

static void put_distances(struct bytes *to, const uint64_t *numbers, uint32_t n, uint64_t here)
{
	put_varint(to, n);
	for (uint32_t i = 0; i < n; i++)
		put_varint(to, here - numbers[i]);
}

#define NODE_MOST (1 + VARINT_MOST) /* bytes */

static inline uint8_t *write_node(uint8_t *at, const struct expr_node *node, uint64_t here)
{
	*at++ = node->op;
	return write_varint(at, node->op == OP_CONST  ? zigzag((int64_t)node->value)
				: node->op == OP_READ ? here - node->value
						      : node->args);
}

/* A small one of which no part is there twice, as most are: there is room for it. */
static uint8_t *write_tree(uint8_t *at, const struct expr *expr, uint32_t node, uint64_t here)
{
	const struct expr_node *top = &expr->nodes[node];
	const uint32_t *operands = expr_operands(expr, top);

	at = write_node(at, top, here);
	for (uint32_t i = 0; i < top->args; i++) {
		const struct expr_node *operand = &expr->nodes[operands[i]];

		at = operand->args ? write_tree(at, expr, operands[i], here)
				   : write_node(at, operand, here);
	}
	return at;
}

/* In the order in which it is written; parts count from 1 as they are complete. */
static void put_expr(struct bytes *to, const struct expr *expr, uint64_t here)
{
	uint32_t node, complete = 0;
	enum expr_item item;
	struct expr_walk w;

	if (expr->operand_count == expr->count - 1 && expr->count <= EXPR_WALK_FEW) {
		uint8_t *at = begin_writing(to, VARINT_MOST + expr->count * NODE_MOST);

		at = write_varint(at, expr->operand_count + (uint64_t)1);
		end_writing(to, write_tree(at, expr, expr->count - 1, here));
		return;
	}
	put_varint(to, expr->operand_count + (uint64_t)1);
	expr_walk_init(&w, expr);
	while ((item = expr_walk_next(&w, &node)) != EXPR_END) {
		if (item == EXPR_CLOSE) {
			w.marks[node] = ++complete;
		} else if (item == EXPR_AGAIN) {
			put_byte(to, EXPR_AGAIN_CODE);
			put_varint(to, complete - w.marks[node]);
		} else {
			end_writing(to, write_node(begin_writing(to, NODE_MOST), &expr->nodes[node],
						   here));
			complete += item == EXPR_ATOM;
		}
	}
	expr_walk_release(&w);
}

static uint32_t more_flags(const struct event *e)
{
	const struct event_more *more = e->more;
	uint32_t flags = (e->order ? MORE_ORDER : 0u) | (e->kind == EV_RMW ? MORE_WRITTEN : 0u) |
			 (e->kind == EV_WAIT || e->kind == EV_WOKEN ? MORE_WAIT : 0u);

	if (!more)
		return flags;
	return flags | (more->part_count ? MORE_PARTS : 0u) | (more->expr ? MORE_EXPR : 0u) |
	       (more->reads_given ? MORE_READS : 0u) | (more->at_count ? MORE_AT : 0u) |
	       (more->args_length ? MORE_ARGS : 0u) | (event_scope(e) ? MORE_SCOPE : 0u) |
	       (more->opaque ? MORE_OPAQUE : 0u);
}

static void put_parts(struct bytes *to, const struct event *e)
{
	const struct event_more *more = e->more;
	bool values = event_is(e, EV_VALUE), rmw = e->kind == EV_RMW;
	uint8_t *at = begin_writing(to, VARINT_MOST * (1 + 3 * (size_t)more->part_count));

	at = write_varint(at, more->part_count);
	for (uint32_t i = 0; i < more->part_count; i++) {
		at = write_varint(at, more->parts[i].variable);
		if (values)
			at = write_varint(at, zigzag(more->parts[i].value));
		if (rmw)
			at = write_varint(at, zigzag(more->parts[i].written));
	}
	end_writing(to, at);
}

static void put_more(struct binary_sink *b, const struct event *e, uint32_t flags, uint64_t here)
{
	const struct event_more *more = e->more;
	struct bytes *to = &b->more;

	put_varint(to, flags);
	if (flags & MORE_ORDER)
		put_byte(to, e->order);
	if (flags & MORE_WRITTEN)
		put_varint(to, zigzag(more->written));
	if (flags & MORE_WAIT) {
		put_varint(to, more->lock);
		put_varint(to, more->by ? here - more->by : 0);
	}
	if (flags & MORE_PARTS)
		put_parts(to, e);
	if (flags & MORE_EXPR)
		put_expr(to, more->expr, here);
	if (flags & MORE_READS)
		put_distances(to, more->reads, more->read_count, here);
	if (flags & MORE_AT)
		put_distances(to, more->at, more->at_count, here);
	if (flags & MORE_ARGS)
		put_text(to, more->args, more->args_length);
	if (flags & MORE_SCOPE)
		put_varint(to, more->scope);
}

static void note_thread(struct binary_sink *b, uint32_t thread, uint8_t what)
{
	vec_extend(&b->threads, (size_t)thread + 1);
	b->threads.at[thread] |= what;
}

/* There is room for all events of a block. */
static inline void put_in_column(struct binary_sink *b, unsigned column, uint64_t number)
{
	b->columns[column].at[b->columns[column].n++] = number;
}

static void make_room(struct binary_sink *b)
{
	for (int column = 0; column < COLUMN_MORE; column++)
		vec_reserve(&b->columns[column], b->block_events);
}

static void put_event(struct binary_sink *b, const struct event *e)
{
	uint32_t flags = more_flags(e);
	uint64_t op = e->kind;

	if (e->kind == EV_FORK)
		note_thread(b, e->object, THREAD_FORKED);

	if (e->thread == b->last_thread) {
		op |= OP_SAME_THREAD;
	} else {
		note_thread(b, e->thread, THREAD_RUNS);
		put_in_column(b, COLUMN_THREAD, e->thread);
		b->last_thread = e->thread;
	}
	if (event_is(e, EV_ACCESS))
		put_in_column(b, COLUMN_VARIABLE, e->object);
	else if (event_kind_class[e->kind] != CLASS_NONE)
		put_in_column(b, COLUMN_OBJECT, e->object);
	if (event_is(e, EV_VALUE))
		put_in_column(b, COLUMN_VALUE, zigzag(e->value));
	if (e->location) {
		vec_extend(&b->last_location, (size_t)e->thread + 1);
		uint32_t *last = &b->last_location.at[e->thread];

		op |= OP_LOCATION;
		put_in_column(b, COLUMN_LOCATION, zigzag((int64_t)e->location - *last));
		*last = e->location;
	}
	if (flags) {
		op |= OP_MORE_BIT;
		put_more(b, e, flags, b->next_number + b->count);
	}
	put_in_column(b, COLUMN_SKIP, e->skip);
	b->skips |= e->skip != 0;
	put_in_column(b, COLUMN_OP, op);
	b->count++;
}

static int binary_put(struct sink *s, const struct batch *batch, struct err *err)
{
	struct binary_sink *b = (struct binary_sink *)s;

	(void)err; /* a failed write is remembered by the output */
	make_room(b);
	for (size_t i = 0; i < batch->n; i++) {
		put_event(b, &batch->at[i]);
		/* events with much behind them fill a block before its count does */
		if (b->count == b->block_events || b->more.v.n > SYMBOLS_BLOCK_SIZE * 16)
			write_events_block(b);
	}
	return 0;
}

static void write_index(struct binary_sink *b)
{
	struct file_trailer trailer = {.magic = {0}, .index_offset = output_size(b->sink.out)};
	size_t count = b->index.n;

	for (size_t i = 0; i < count; i++) {
		const struct index_entry *entry = &b->index.at[i];

		put_varint(&b->payload, entry->type);
		put_varint(&b->payload, entry->offset);
		put_varint(&b->payload, entry->first);
		put_varint(&b->payload, entry->count);
	}
	for (size_t t = 0; t < b->threads.n; t++)
		if (b->threads.at[t] == THREAD_RUNS)
			put_varint(&b->payload, t);
	write_block(b, BLOCK_INDEX, 0, (uint32_t)count);
	memcpy(trailer.magic, BINARY_END_MAGIC, BINARY_MAGIC_SIZE);
	trailer.events = b->next_number - 1;
	trailer.hash = XXH3_64bits(&trailer, offsetof(struct file_trailer, hash));
	output_bytes(b->sink.out, &trailer, sizeof(trailer));
}

static void binary_abandon(struct sink *s)
{
	struct binary_sink *b = (struct binary_sink *)s;

	for (int column = 0; column < COLUMN_COUNT; column++)
		vec_release(&b->columns[column]);
	vec_release(&b->last_location);
	vec_release(&b->more.v);
	vec_release(&b->payload.v);
	vec_release(&b->packed.v);
	vec_release(&b->index);
	vec_release(&b->threads);
	mem_free(b->plane);
	ZSTD_freeCCtx(b->zstd);
	mem_free(b);
}

static int binary_finish(struct sink *s, struct err *err)
{
	struct binary_sink *b = (struct binary_sink *)s;

	(void)err;
	write_events_block(b);
	write_index(b);
	binary_abandon(s);
	return 0;
}

static const struct sink_ops binary_sink_ops = {
	.put = binary_put, .finish = binary_finish, .abandon = binary_abandon};

struct sink *binary_open_sink(struct output *out, const struct symbols *symbols, struct err *err)
{
	struct binary_sink *b = mem_alloc_zero(1, sizeof(*b));
	struct file_header header = {.version = BINARY_VERSION};

	b->sink = (struct sink){&binary_sink_ops, out, symbols};
	b->block_events = BLOCK_EVENTS_DEFAULT;
	b->next_number = 1;
	b->last_thread = UINT32_MAX;
	b->locations = 1; /* the empty one is always there */
	b->zstd = ZSTD_createCCtx();
	if (!b->zstd) {
		mem_free(b);
		err_set(err, ERR_SYSTEM, "zstd cannot be initialised");
		return NULL;
	}
	memcpy(header.magic, BINARY_MAGIC, BINARY_MAGIC_SIZE);
	header.hash = (uint32_t)XXH3_64bits(&header, offsetof(struct file_header, hash));
	output_bytes(out, &header, sizeof(header));
	return &b->sink;
}

void binary_set_block(struct sink *s, uint32_t events)
{
	ASSERT(s->ops == &binary_sink_ops && events && events <= BINARY_BLOCK_MAX);
	((struct binary_sink *)s)->block_events = events;
}
