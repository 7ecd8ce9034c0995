#include "trace/binary.h"

#include "trace/binary_layout.h"
#include "trace/expr.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

/* Room to read a whole word behind a column's last number. */
#define SLACK 8

struct block {
	uint64_t offset, first;
	uint32_t type, count;
};

struct binary_source {
	struct source source;
	VEC(struct block) blocks; /* of events alone, in order */
	size_t next_block;
	VEC(uint32_t) roots; /* threads that nobody forks; known with the index */
	bool has_index;
	char cut[160]; /* why the file ends early, or "" */
	ZSTD_DCtx *zstd;
	VEC(uint8_t) stored; /* the payload of the block being read */
	VEC(uint8_t) planes; /* a column's planes, decompressed */
	VEC(uint8_t) ops;
	VEC(uint8_t) bytes;                    /* COLUMN_MORE, or the records of symbols */
	VEC(uint32_t) numbers[COLUMN_COUNT];   /* the columns that hold objects */
	VEC(uint64_t) values;
	VEC(struct event) events;
	VEC(uint32_t) last_location; /* of each thread, in the block */
	uint64_t access;           /* counts those with parts; an event may be read again */
	VEC(uint64_t) last_access; /* of each variable: no access names it twice */
	struct arena more;
};

static int corrupt(const struct binary_source *b, uint64_t offset, const char *what,
		   struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: byte %llu: %s", input_name(b->source.in),
		       (unsigned long long)offset, what);
}

/* Reading a payload: after a step beyond the end, `bad` stays set and all is 0. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t take_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->bad = true;
	return 0;
}

static uint8_t take_byte(struct cursor *c)
{
	if (c->at < c->end)
		return *c->at++;
	c->bad = true;
	return 0;
}

static const uint8_t *take_bytes(struct cursor *c, uint64_t size)
{
	const uint8_t *at = c->at;

	if (size > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return NULL;
	}
	c->at += size;
	return at;
}

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Decodes a plane of `size` bytes to `to`. */
static void take_plane(struct binary_source *b, struct cursor *c, uint8_t *to, size_t size)
{
	switch (take_byte(c)) {
	case PLANE_SAME: memset(to, take_byte(c), size); return;
	case PLANE_RAW: {
		const uint8_t *data = take_bytes(c, size);

		if (data)
			memcpy(to, data, size);
		return;
	}
	case PLANE_ZSTD: {
		uint64_t packed = take_varint(c);
		const uint8_t *data = take_bytes(c, packed);

		if (data && ZSTD_decompressDCtx(b->zstd, to, size, data, packed) != size)
			c->bad = true;
		return;
	}
	}
	c->bad = true;
}

/* The planes of a column with `count` numbers, one after the other. Returns the width. */
static unsigned take_planes(struct binary_source *b, struct cursor *c, size_t count,
			    unsigned most_width)
{
	if (take_varint(c) != count)
		c->bad = true;
	unsigned width = take_byte(c);

	if (width > most_width)
		c->bad = true;
	if (c->bad)
		return 0;
	vec_reserve(&b->planes, width * count + SLACK);
	for (unsigned p = 0; p < width; p++)
		take_plane(b, c, b->planes.at + p * count, count);
	return width;
}

/* Puts the bytes of the planes together again, in loops that the compiler makes vectors of. */
#ifdef __clang__
#define VECTORS
#else
#define VECTORS __attribute__((optimize("O3")))
#endif
#define JOIN_PLANES(to, type, expression)                                                          \
	for (size_t i = 0; i < count; i++)                                                         \
		(to)[i] = (type)(expression);

VECTORS static void join_u32(uint32_t *restrict to, const uint8_t *restrict p, size_t count, unsigned width)
{
	const uint8_t *q = p + count, *r = q + count, *s = r + count;

	switch (width) {
	case 0: memset(to, 0, count * sizeof(*to)); break;
	case 1: JOIN_PLANES(to, uint32_t, p[i]) break;
	case 2: JOIN_PLANES(to, uint32_t, p[i] | q[i] << 8) break;
	case 3: JOIN_PLANES(to, uint32_t, p[i] | q[i] << 8 | r[i] << 16) break;
	case 4:
		JOIN_PLANES(to, uint32_t, p[i] | q[i] << 8 | r[i] << 16 | (uint32_t)s[i] << 24)
		break;
	}
}

VECTORS static void join_u64(uint64_t *restrict to, const uint8_t *restrict p, size_t count, unsigned width)
{
	const uint8_t *q = p + count;

	switch (width) {
	case 0: memset(to, 0, count * sizeof(*to)); return;
	case 1: JOIN_PLANES(to, uint64_t, p[i]) return;
	case 2: JOIN_PLANES(to, uint64_t, p[i] | q[i] << 8) return;
	}
	JOIN_PLANES(to, uint64_t, p[i] | q[i] << 8)
	for (unsigned plane = 2; plane < width; plane++) {
		const uint8_t *next = p + plane * count;

		for (size_t i = 0; i < count; i++)
			to[i] |= (uint64_t)next[i] << (8 * plane);
	}
}

/* Numbers below `limit`. */
static const uint32_t *take_numbers(struct binary_source *b, struct cursor *c, enum column column,
				    size_t count, size_t limit)
{
	unsigned width = take_planes(b, c, count, 4);
	uint32_t most = 0;

	vec_reserve(&b->numbers[column], count + SLACK);
	uint32_t *numbers = b->numbers[column].at;

	if (c->bad)
		return numbers;
	join_u32(numbers, b->planes.at, count, width);
	for (size_t i = 0; i < count; i++)
		most = numbers[i] > most ? numbers[i] : most;
	if (count && most >= limit)
		c->bad = true;
	return numbers;
}

/* Blocks */

static int read_at(struct binary_source *b, uint64_t offset, void *to, size_t size,
		   struct err *err)
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

/* Reads the block at offset into b->stored and gives a cursor over it. */
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
	vec_reserve(&b->stored, header->stored_size + SLACK);
	int64_t size = input_read(b->source.in, b->stored.at, header->stored_size, err);

	if (size < 0)
		return (int)size;
	if ((uint64_t)size != header->stored_size ||
	    !hash_fits(header->payload_hash, b->stored.at, header->stored_size))
		return corrupt(b, offset, "the block does not fit its checksum: the file is damaged",
			       err);
	*c = (struct cursor){b->stored.at, b->stored.at + header->stored_size, false};
	return 0;
}

/* Symbols */

static bool take_name(struct cursor *c, const char **text, size_t *length)
{
	*length = take_varint(c);
	*text = (const char *)take_bytes(c, *length);
	return *text && symbols_name_is_good(*text, *length);
}

static bool take_object(struct cursor *c, struct symbols *symbols, enum object_class class)
{
	const char *text;
	size_t length, known = symbols_count(symbols, class);

	if (!take_name(c, &text, &length) || symbols_add(symbols, class, text, length) != known)
		return false;
	if (class == CLASS_VARIABLE) {
		struct variable *v = &symbols->variables.at[known];

		v->flags = take_byte(c);
		if (v->flags & ~(VARIABLE_INIT | VARIABLE_VOLATILE | VARIABLE_MEMORY))
			return false;
		if (v->flags & VARIABLE_INIT)
			v->init = unzigzag(take_varint(c));
		if (v->flags & VARIABLE_MEMORY) {
			uint64_t base = take_varint(c);

			v->address = take_varint(c);
			v->size = take_varint(c);
			v->base = (uint32_t)base;
			if (base >= symbols->bases.strings.n || !v->size ||
			    v->size > UINT64_MAX - v->address)
				return false;
		}
	} else if (class == CLASS_SEMAPHORE) {
		uint64_t count = take_varint(c);

		if (count > (uint64_t)INT32_MAX + 1)
			return false;
		symbols->semaphores.at[known].declared = count > 0;
		symbols->semaphores.at[known].count = count ? count - 1 : 0;
	} else if (class == CLASS_BARRIER) {
		uint64_t parties = take_varint(c);

		if (parties > INT32_MAX)
			return false;
		symbols->barriers.at[known].parties = (uint32_t)parties;
	}
	return true;
}

static bool meta_text_is_good(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
			return false;
	return !length || (!strchr(" \t", text[0]) && !strchr(" \t", text[length - 1]));
}

static bool take_record(struct cursor *c, struct symbols *symbols)
{
	const char *text, *value;
	size_t length, value_length;
	uint8_t tag = take_byte(c);

	if (tag < CLASS_COUNT)
		return take_object(c, symbols, tag);
	if (!take_name(c, &text, &length))
		return false;
	switch (tag) {
	case TAG_LOCATION: {
		size_t known = symbols->locations.strings.n;

		return intern_add(&symbols->locations, text, length) == known;
	}
	case TAG_BASE: {
		size_t known = symbols->bases.strings.n;

		return intern_add(&symbols->bases, text, length) == known;
	}
	case TAG_META:
		value_length = take_varint(c);
		value = (const char *)take_bytes(c, value_length);
		if (!value || !meta_text_is_good(value, value_length))
			return false;
		symbols_add_meta(symbols, text, length, value, value_length);
		return true;
	}
	return false;
}

static int read_symbols(struct binary_source *b, uint64_t offset, struct err *err)
{
	struct block_header header;
	struct cursor c;

	if (read_block(b, offset, &header, &c, err) < 0)
		return err->code;
	uint64_t size = take_varint(&c);

	/* a plane shrinks at most to a few bytes, but no writer puts so much into one block */
	if (size > BLOCK_STORED_MAX / 16)
		c.bad = true;
	if (c.bad)
		size = 0;
	vec_reserve(&b->bytes, size + SLACK);
	if (size)
		take_plane(b, &c, b->bytes.at, size);
	struct cursor records = {b->bytes.at, b->bytes.at + size, c.bad};

	for (uint32_t i = 0; i < header.count && !records.bad; i++)
		if (!take_record(&records, b->source.symbols))
			records.bad = true;
	if (records.bad || records.at != records.end || c.at != c.end)
		return corrupt(b, offset, "the block of symbols makes no sense", err);
	return 0;
}

/* More */

static bool take_distances(struct binary_source *b, struct cursor *c, uint64_t here, bool itself,
			   const uint64_t **numbers, uint32_t *count)
{
	uint64_t n = take_varint(c);

	if (n > (uint64_t)(c->end - c->at))
		return false; /* each takes a byte at least */
	uint64_t *to = arena_alloc(&b->more, n * sizeof(*to));

	for (uint64_t i = 0; i < n; i++) {
		uint64_t distance = take_varint(c);

		if (distance >= here || (!distance && !itself))
			return false;
		to[i] = here - distance;
	}
	*numbers = to;
	*count = (uint32_t)n;
	return !c->bad;
}

static const struct expr *take_expr(struct binary_source *b, struct cursor *c, uint64_t here,
				    bool itself)
{
	uint64_t count = take_varint(c);
	uint64_t wanted = 1; /* expressions still to come */

	if (!count || count > EXPR_NODES_MAX)
		return NULL;
	struct expr *expr = arena_alloc(&b->more, sizeof(*expr) + count * sizeof(*expr->nodes));

	expr->count = (uint32_t)count;
	for (uint64_t i = 0; i < count; i++) {
		struct expr_node *node = &expr->nodes[i];

		*node = (struct expr_node){.op = take_byte(c)};
		if (node->op >= OP_COUNT || !wanted)
			return NULL;
		if (node->op == OP_CONST) {
			node->value = (uint64_t)unzigzag(take_varint(c));
		} else if (node->op == OP_READ) {
			uint64_t distance = take_varint(c);

			if (distance >= here || (!distance && !itself))
				return NULL;
			node->value = here - distance;
		} else {
			node->args = take_byte(c);
			if (!expr_arity_fits(node->op, node->args))
				return NULL;
		}
		wanted += node->args;
		wanted--;
	}
	return wanted || c->bad ? NULL : expr;
}

static bool note_access(struct binary_source *b, uint32_t variable)
{
	vec_extend(&b->last_access, (size_t)variable + 1);
	bool fresh = b->last_access.at[variable] != b->access;

	b->last_access.at[variable] = b->access;
	return fresh;
}

static bool take_parts(struct binary_source *b, struct cursor *c, const struct event *e,
		       struct event_more *more)
{
	uint64_t n = take_varint(c);

	if (!n || n > (uint64_t)(c->end - c->at))
		return false;
	struct part *parts = arena_alloc(&b->more, n * sizeof(*parts));

	b->access++;
	note_access(b, e->object);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t variable = take_varint(c);

		if (variable >= symbols_count(b->source.symbols, CLASS_VARIABLE) ||
		    !note_access(b, (uint32_t)variable))
			return false;
		parts[i] = (struct part){.variable = (uint32_t)variable};
		if (event_is(e, EV_VALUE))
			parts[i].value = unzigzag(take_varint(c));
		if (e->kind == EV_RMW)
			parts[i].written = unzigzag(take_varint(c));
	}
	more->part_count = (uint32_t)n;
	more->parts = parts;
	return true;
}

/* As the text format would hold them: words with one blank between, the last no location. */
static bool args_are_good(const char *args, size_t length, bool located)
{
	const char *last = args;

	for (size_t i = 0; i < length; i++) {
		if (args[i] != ' ')
			continue;
		if (!symbols_name_is_good(last, (size_t)(args + i - last)))
			return false;
		last = args + i + 1;
	}
	size_t last_length = (size_t)(args + length - last);

	return symbols_name_is_good(last, last_length) &&
	       (located || last[0] != '@' || last_length == 1);
}

static bool take_more(struct binary_source *b, struct cursor *c, struct event *e, uint64_t here)
{
	struct event_more *more = arena_alloc(&b->more, sizeof(*more));
	uint64_t flags = take_varint(c);
	bool itself = e->kind == EV_RMW;
	bool depends = event_is(e, EV_DEPENDS);
	uint64_t fit = (e->kind == EV_READ || e->kind == EV_WRITE || itself ? MORE_ORDER : 0u) |
		       (itself ? MORE_WRITTEN : 0u) |
		       (e->kind == EV_WAIT || e->kind == EV_WOKEN ? MORE_WAIT : 0u) |
		       (event_is(e, EV_ACCESS) ? MORE_PARTS : 0u) |
		       (depends ? MORE_EXPR | MORE_READS : 0u) |
		       (e->kind == EV_MARK ? MORE_ARGS : MORE_AT);
	uint64_t must = fit & (MORE_WRITTEN | MORE_WAIT);

	memset(more, 0, sizeof(*more));
	e->more = more;
	if (!flags || flags & ~fit || (flags & must) != must ||
	    (flags & MORE_EXPR && flags & MORE_READS))
		return false;
	if (flags & MORE_ORDER) {
		e->order = take_byte(c);
		if (!e->order || e->order >= ORDER_COUNT)
			return false;
		if (flags == MORE_ORDER)
			e->more = NULL;
	}
	if (flags & MORE_WRITTEN)
		more->written = unzigzag(take_varint(c));
	if (flags & MORE_WAIT) {
		uint64_t lock = take_varint(c), back = take_varint(c);

		if (lock >= symbols_count(b->source.symbols, CLASS_LOCK) || back >= here ||
		    (back && e->kind == EV_WAIT))
			return false;
		more->lock = (uint32_t)lock;
		more->by = back ? here - back : 0;
	}
	if (flags & MORE_PARTS && !take_parts(b, c, e, more))
		return false;
	if (flags & MORE_EXPR && !(more->expr = take_expr(b, c, here, itself)))
		return false;
	if (flags & MORE_READS) {
		more->reads_given = true;
		if (!take_distances(b, c, here, itself, &more->reads, &more->read_count))
			return false;
	}
	if (flags & MORE_AT &&
	    (!take_distances(b, c, here, false, &more->at, &more->at_count) || !more->at_count))
		return false;
	if (flags & MORE_ARGS) {
		uint64_t length = take_varint(c);
		const char *args = (const char *)take_bytes(c, length);

		if (!args || !args_are_good(args, length, e->location != 0))
			return false;
		char *copy = arena_alloc(&b->more, length + 1);

		memcpy(copy, args, length);
		copy[length] = '\0';
		more->args = copy;
		more->args_length = (uint32_t)length;
	}
	return !c->bad;
}

/* Events */

/* How many numbers each column has, from the ops; false if an op is none. */
static bool count_columns(const uint8_t *ops, size_t n, size_t counts[COLUMN_COUNT])
{
	size_t by_op[256] = {0};

	for (size_t i = 0; i < n; i++)
		by_op[ops[i]]++;
	memset(counts, 0, COLUMN_COUNT * sizeof(*counts));
	for (unsigned op = 0; op < 256; op++) {
		unsigned kind = op & OP_KIND;

		if (!by_op[op])
			continue;
		/* these always have something behind them */
		if (kind >= EV_COUNT || ((kind == EV_RMW || kind == EV_WAIT || kind == EV_WOKEN) &&
					 !(op & OP_MORE_BIT)))
			return false;
		if (!(op & OP_SAME_THREAD))
			counts[COLUMN_THREAD] += by_op[op];
		if (op & OP_LOCATION)
			counts[COLUMN_LOCATION] += by_op[op];
		if (event_kind_flags[kind] & EV_VALUE)
			counts[COLUMN_VALUE] += by_op[op];
		if (event_kind_flags[kind] & EV_ACCESS)
			counts[COLUMN_VARIABLE] += by_op[op];
		else if (event_kind_class[kind] != CLASS_NONE)
			counts[COLUMN_OBJECT] += by_op[op];
	}
	return true;
}

static bool decode_events(struct binary_source *b, struct cursor *c, size_t n, uint64_t first)
{
	const struct symbols *symbols = b->source.symbols;
	size_t counts[COLUMN_COUNT];

	vec_reserve(&b->ops, n + SLACK);
	uint8_t *ops = b->ops.at;
	unsigned width = take_planes(b, c, n, 1);

	if (c->bad)
		return false;
	if (width)
		memcpy(ops, b->planes.at, n);
	else
		memset(ops, 0, n);
	if (!count_columns(ops, n, counts) || ops[0] & OP_SAME_THREAD)
		return false;
	const uint32_t *thread = take_numbers(b, c, COLUMN_THREAD, counts[COLUMN_THREAD],
					      symbols_count(symbols, CLASS_THREAD));
	const uint32_t *variable = take_numbers(b, c, COLUMN_VARIABLE, counts[COLUMN_VARIABLE],
						symbols_count(symbols, CLASS_VARIABLE));
	const uint32_t *object =
		take_numbers(b, c, COLUMN_OBJECT, counts[COLUMN_OBJECT], SIZE_MAX);

	vec_reserve(&b->values, counts[COLUMN_VALUE] + SLACK);
	width = take_planes(b, c, counts[COLUMN_VALUE], 8);
	if (c->bad)
		return false;
	join_u64(b->values.at, b->planes.at, counts[COLUMN_VALUE], width);
	const uint64_t *value = b->values.at;
	const uint32_t *step =
		take_numbers(b, c, COLUMN_LOCATION, counts[COLUMN_LOCATION], SIZE_MAX);
	uint64_t more_size = take_varint(c);

	if (more_size > BLOCK_STORED_MAX / 16)
		return false;
	vec_reserve(&b->bytes, more_size + SLACK);
	if (more_size)
		take_plane(b, c, b->bytes.at, more_size);
	struct cursor more = {b->bytes.at, b->bytes.at + more_size, false};

	if (c->bad || c->at != c->end)
		return false;
	size_t limits[CLASS_COUNT], location_limit = symbols->locations.strings.n;

	b->last_location.n = 0;
	vec_extend(&b->last_location, symbols_count(symbols, CLASS_THREAD));
	for (int class = 0; class < CLASS_COUNT; class++)
		limits[class] = symbols_count(symbols, class);
	vec_reserve(&b->events, n);
	struct event *e = b->events.at;
	uint32_t current = 0;

	for (size_t i = 0; i < n; i++, e++) {
		uint8_t op = ops[i], kind = op & OP_KIND, flags = event_kind_flags[kind];

		if (!(op & OP_SAME_THREAD))
			current = *thread++;
		*e = (struct event){.kind = kind, .thread = current};
		if (flags & EV_ACCESS) {
			e->object = *variable++;
		} else if (event_kind_class[kind] != CLASS_NONE) {
			e->object = *object++;
			if (e->object >= limits[event_kind_class[kind]])
				return false;
		}
		if (flags & EV_VALUE)
			e->value = unzigzag(*value++);
		if (op & OP_LOCATION) {
			uint32_t *last = &b->last_location.at[current];

			*last += (*step >> 1) ^ -(*step & 1); /* modulo 2^32 */
			step++;
			e->location = *last;
			if (e->location >= location_limit || !e->location)
				return false;
		}
		if (op & OP_MORE_BIT && !take_more(b, &more, e, first + i))
			return false;
	}
	return more.at == more.end;
}

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
	arena_reset(&b->more);
	if (header.type != BLOCK_EVENTS || header.first != block->first ||
	    header.count != block->count || !decode_events(b, &c, header.count, header.first))
		return corrupt(b, block->offset, "the block of events makes no sense", err);
	b->next_block++;
	*batch = (struct batch){.at = b->events.at, .n = header.count, .first = header.first};
	return 1;
}

static int binary_seek(struct source *s, uint64_t event, struct err *err)
{
	struct binary_source *b = (struct binary_source *)s;
	size_t low = 0, high = b->blocks.n;

	(void)err;
	while (low < high) { /* the first block that ends behind the event */
		size_t middle = (low + high) / 2;
		const struct block *block = &b->blocks.at[middle];

		if (block->first + block->count <= event)
			low = middle + 1;
		else
			high = middle;
	}
	b->next_block = low;
	return 0;
}

static const uint32_t *binary_roots(struct source *s, size_t *n)
{
	static const uint32_t none;
	struct binary_source *b = (struct binary_source *)s;

	*n = b->roots.n;
	return !b->has_index ? NULL : b->roots.n ? b->roots.at : &none;
}

static const char *binary_cut(struct source *s)
{
	struct binary_source *b = (struct binary_source *)s;

	return *b->cut ? b->cut : NULL;
}

static void binary_close(struct source *s)
{
	struct binary_source *b = (struct binary_source *)s;

	ZSTD_freeDCtx(b->zstd);
	vec_release(&b->blocks);
	vec_release(&b->roots);
	vec_release(&b->stored);
	vec_release(&b->planes);
	vec_release(&b->ops);
	vec_release(&b->bytes);
	for (int column = 0; column < COLUMN_COUNT; column++)
		vec_release(&b->numbers[column]);
	vec_release(&b->values);
	vec_release(&b->events);
	vec_release(&b->last_location);
	vec_release(&b->last_access);
	arena_release(&b->more);
	mem_free(b);
}

/* Finding the blocks */

/* Every block in turn: symbols are read, events noted. */
static int note_block(struct binary_source *b, const struct block *block, struct err *err)
{
	const struct block *last = b->blocks.n ? &b->blocks.at[b->blocks.n - 1] : NULL;
	uint64_t expected = last ? last->first + last->count : 1;

	if (block->type == BLOCK_SYMBOLS)
		return read_symbols(b, block->offset, err);
	if (block->type != BLOCK_EVENTS)
		return corrupt(b, block->offset, "this kind of block is not known", err);
	if (block->first != expected || !block->count || block->count > BINARY_BLOCK_MAX)
		return corrupt(b, block->offset, "the events of this block have wrong numbers", err);
	vec_push(&b->blocks, *block);
	return 0;
}

static int read_index(struct binary_source *b, uint64_t offset, struct err *err)
{
	struct block_header header;
	struct cursor c;
	VEC(struct block) all = {0};

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
	}
	while (!c.bad && c.at != c.end) {
		uint64_t root = take_varint(&c);

		c.bad |= root >= UINT32_MAX;
		vec_push(&b->roots, (uint32_t)root);
	}
	int code = c.bad ? corrupt(b, offset, "the index makes no sense", err) : 0;

	for (size_t i = 0; !code && i < all.n; i++)
		code = note_block(b, &all.at[i], err);
	vec_release(&all);
	for (size_t i = 0; !code && i < b->roots.n; i++)
		if (b->roots.at[i] >= symbols_count(b->source.symbols, CLASS_THREAD))
			code = corrupt(b, offset, "the index names a thread that is not there", err);
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
		struct block block = {
			.offset = offset, .first = header.first, .type = header.type,
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
	if (header.version != BINARY_VERSION)
		return err_set(err, ERR_INPUT,
			       "%s: byte 8: the file has version %u of the format, this Norn reads %d",
			       input_name(b->source.in), header.version, BINARY_VERSION);
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

static const struct source_ops binary_source_ops = {
	.next = binary_next, .seek = binary_seek, .roots = binary_roots, .cut = binary_cut, .close = binary_close};

struct source *binary_open_source(struct input *in, struct symbols *symbols, struct err *err)
{
	struct binary_source *b = mem_alloc_zero(1, sizeof(*b));

	b->source = (struct source){&binary_source_ops, in, symbols};
	b->zstd = ZSTD_createDCtx();
	if (!b->zstd)
		err_set(err, ERR_SYSTEM, "zstd does not start");
	else if (input_make_seekable(in, err) == 0)
		find_blocks(b, err);
	if (err->code) {
		binary_close(&b->source);
		return NULL;
	}
	return &b->source;
}

int binary_probe(const char *head, size_t size)
{
	/* also when damaged a little: the reader says where */
	return size >= 5 && !memcmp(head + 1, &BINARY_MAGIC[1], 4) ? 100 : 0;
}
