/* SPDX-License-Identifier: MIT */
#include "trace/binary_decode.h"

#include "base/err.h"
#include "trace/expr.h"

#include <string.h>

void decoder_plane(struct decoder *d, struct cursor *c, uint8_t *to, size_t size)
{
	switch (take_byte(c)) {
	case PLANE_SAME: {
		uint8_t byte = take_byte(c);

		if (to)
			memset(to, byte, size);
		return;
	}
	case PLANE_RAW: {
		const uint8_t *data = take_bytes(c, size);

		if (data && to)
			memcpy(to, data, size);
		return;
	}
	case PLANE_ZSTD: {
		uint64_t packed = take_varint(c);
		const uint8_t *data = take_bytes(c, packed);

		if (data && to && ZSTD_decompressDCtx(d->zstd, to, size, data, packed) != size)
			c->bad = true;
		return;
	}
	}
	c->bad = true;
}

/* The planes of a column with `count` numbers, one after the other. Returns the width. */
static unsigned take_planes(struct decoder *d, struct cursor *c, size_t count, unsigned most_width,
			    bool skip)
{
	if (take_varint(c) != count)
		c->bad = true;
	unsigned width = take_byte(c);

	if (width > most_width)
		c->bad = true;
	if (c->bad)
		return 0;
	if (!skip)
		vec_reserve(&d->planes, width * count + SLACK);
	for (unsigned p = 0; p < width; p++)
		decoder_plane(d, c, skip ? NULL : d->planes.at + p * count, count);
	return width;
}

/* Puts the bytes of the planes together again. */
#define JOIN_PLANES(to, type, expression)  \
	for (size_t i = 0; i < count; i++) \
		(to)[i] = (type)(expression);

VECTORS static void join_u32(uint32_t *restrict to, const uint8_t *restrict p, size_t count,
			     unsigned width)
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

VECTORS static void join_u64(uint64_t *restrict to, const uint8_t *restrict p, size_t count,
			     unsigned width)
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

VECTORS static uint32_t greatest(const uint32_t *numbers, size_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++)
		most = numbers[i] > most ? numbers[i] : most;
	return most;
}

/* Numbers below `limit`. */
static const uint32_t *take_numbers(struct decoder *d, struct cursor *c, enum column column,
				    size_t count, size_t limit)
{
	unsigned width = take_planes(d, c, count, 4, false);

	vec_reserve(&d->numbers[column], count + SLACK);
	uint32_t *numbers = d->numbers[column].at;

	if (c->bad)
		return numbers;
	join_u32(numbers, d->planes.at, count, width);
	/* so few bytes may not reach it */
	if (count && limit < (uint64_t)1 << (8 * width) && greatest(numbers, count) >= limit)
		c->bad = true;
	return numbers;
}

/* The column of values; NULL if they are skipped. */
static const uint64_t *take_values(struct decoder *d, struct cursor *c, size_t count)
{
	unsigned width = take_planes(d, c, count, 8, d->skip_values);

	if (d->skip_values)
		return NULL;
	vec_reserve(&d->values, count + SLACK);
	if (!c->bad)
		join_u64(d->values.at, d->planes.at, count, width);
	return d->values.at;
}

/* The column of skip=; NULL if the block has none. */
static const uint32_t *take_skips(struct decoder *d, struct cursor *c, size_t n)
{
	struct cursor ahead = *c;

	if (d->version < 2)
		return NULL;
	size_t count = take_varint(&ahead) ? n : 0;
	const uint32_t *skips = take_numbers(d, c, COLUMN_SKIP, count, (size_t)EVENT_NO_RECORD + 1);

	return count ? skips : NULL;
}

/* More */

static bool take_distances(struct decoder *d, struct cursor *c, uint64_t here, bool itself,
			   const uint64_t **numbers, uint32_t *count)
{
	uint64_t n = take_varint(c);

	if (n > (uint64_t)(c->end - c->at))
		return false; /* each takes a byte at least */
	uint64_t *to = arena_alloc(&d->more, n * sizeof(*to));

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

/* The operators whose last argument has been read. */
static bool close_complete(struct decoder *d)
{
	struct expr_reader *r = &d->expr;

	while (r->open.n && expr_read_args(r) == r->open.at[r->open.n - 1].label) {
		if (!expr_arity_fits(r->open.at[r->open.n - 1].op, expr_read_args(r)))
			return false;
		expr_read_close(r);
	}
	return true;
}

static bool take_part(struct decoder *d, struct cursor *c, uint64_t here, bool itself)
{
	uint8_t op = take_byte(c);
	uint64_t number = take_varint(c);

	if (c->bad)
		return false;
	if (op == EXPR_AGAIN_CODE) {
		if (number >= d->expr.nodes.n)
			return false;
		expr_read_again(&d->expr, (uint32_t)(d->expr.nodes.n - 1 - number));
	} else if (op == OP_CONST) {
		expr_read_atom(&d->expr, OP_CONST, (uint64_t)unzigzag(number));
	} else if (op == OP_READ) {
		if (number >= here || (!number && !itself))
			return false;
		expr_read_atom(&d->expr, OP_READ, here - number);
	} else if (op < OP_COUNT && number && number < EXPR_NODES_MAX) {
		expr_read_open(&d->expr, op, number);
	} else {
		return false;
	}
	return close_complete(d);
}

static const struct expr *take_expr(struct decoder *d, struct cursor *c, uint64_t here, bool itself)
{
	uint64_t count = take_varint(c);

	if (!count || count > EXPR_NODES_MAX)
		return NULL;
	expr_reader_start(&d->expr);
	for (uint64_t i = 0; i < count; i++)
		if ((i && !d->expr.open.n) || !take_part(d, c, here, itself))
			return NULL;
	return d->expr.open.n ? NULL : expr_read_end(&d->expr, &d->more);
}

static bool note_access(struct decoder *d, uint32_t variable)
{
	vec_extend(&d->last_access, (size_t)variable + 1);
	bool fresh = d->last_access.at[variable] != d->access;

	d->last_access.at[variable] = d->access;
	return fresh;
}

static bool take_parts(struct decoder *d, struct cursor *c, const struct event *e,
		       struct event_more *more)
{
	uint64_t n = take_varint(c);

	if (!n || n > (uint64_t)(c->end - c->at))
		return false;
	struct part *parts = arena_alloc(&d->more, n * sizeof(*parts));

	d->access++;
	note_access(d, e->object);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t variable = take_varint(c);

		if (variable >= symbols_count(d->symbols, CLASS_VARIABLE) ||
		    !note_access(d, (uint32_t)variable))
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

/* As the text format would hold them: words with one blank between, the last no annotation. */
static bool args_are_good(const char *args, size_t length, const struct event *e)
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
	       (e->location || last[0] != '@' || last_length == 1) &&
	       (e->skip || last_length < 5 || memcmp(last, "skip=", 5) != 0);
}

static bool take_more(struct decoder *d, struct cursor *c, struct event *e, uint64_t here)
{
	struct event_more *more = arena_alloc(&d->more, sizeof(*more));
	uint64_t flags = take_varint(c);
	bool itself = e->kind == EV_RMW;
	bool depends = event_is(e, EV_DEPENDS);
	bool tries = event_is(e, EV_BLOCKS);
	uint64_t fit =
		(e->kind == EV_READ || e->kind == EV_WRITE || itself || tries ? MORE_ORDER : 0u) |
		(itself ? MORE_WRITTEN : 0u) |
		(e->kind == EV_WAIT || e->kind == EV_WOKEN ? MORE_WAIT : 0u) |
		(event_is(e, EV_ACCESS) ? MORE_PARTS : 0u) |
		(depends ? MORE_EXPR | MORE_READS : 0u) |
		(e->kind == EV_BRANCH ? MORE_SCOPE | MORE_OPAQUE : 0u) |
		(e->kind == EV_MARK ? MORE_ARGS : MORE_AT);
	uint64_t must = fit & (MORE_WRITTEN | MORE_WAIT);

	memset(more, 0, sizeof(*more));
	e->more = more;
	if (!flags || flags & ~fit || (flags & must) != must ||
	    (flags & MORE_EXPR && flags & MORE_READS) ||
	    (flags & MORE_SCOPE && (!(flags & MORE_EXPR) || flags & MORE_OPAQUE)))
		return false;
	if (flags & MORE_ORDER) {
		e->order = take_byte(c);
		if (!e->order || e->order >= ORDER_COUNT || (tries && e->order != EVENT_TRIES) ||
		    !memory_order_fits(e, e->order))
			return false;
		if (flags == MORE_ORDER)
			e->more = NULL;
	}
	if (flags & MORE_WRITTEN)
		more->written = unzigzag(take_varint(c));
	if (flags & MORE_WAIT) {
		uint64_t lock = take_varint(c), back = take_varint(c);

		if (lock >= symbols_count(d->symbols, CLASS_LOCK) || back >= here ||
		    (back && e->kind == EV_WAIT))
			return false;
		more->lock = (uint32_t)lock;
		more->by = back ? here - back : 0;
	}
	if (flags & MORE_PARTS && !take_parts(d, c, e, more))
		return false;
	if (flags & MORE_EXPR && !(more->expr = take_expr(d, c, here, itself)))
		return false;
	if (flags & MORE_READS) {
		more->reads_given = true;
		if (!take_distances(d, c, here, itself, &more->reads, &more->read_count))
			return false;
	}
	if (flags & MORE_AT &&
	    (!take_distances(d, c, here, false, &more->at, &more->at_count) || !more->at_count))
		return false;
	if (flags & MORE_ARGS) {
		uint64_t length = take_varint(c);
		const char *args = (const char *)take_bytes(c, length);

		if (!args || !args_are_good(args, length, e))
			return false;
		char *copy = arena_alloc(&d->more, length + 1);

		memcpy(copy, args, length);
		copy[length] = '\0';
		more->args = copy;
		more->args_length = (uint32_t)length;
	}
	if (flags & MORE_SCOPE) {
		uint64_t scope = take_varint(c);

		if (!scope || scope > UINT32_MAX)
			return false;
		more->scope = (uint32_t)scope;
	}
	more->opaque = flags & MORE_OPAQUE;
	return !c->bad;
}

/* Events */

/* How many numbers each column has, or records, from the ops; false if an op is none. */
static bool count_columns(const uint8_t *ops, size_t n, size_t counts[COLUMN_COUNT])
{
	size_t by_op[256] = {0}, odd[256] = {0};

	/* neighbours are often the same: two tables, that one need not wait for the other */
	for (size_t i = 0; i + 1 < n; i += 2) {
		by_op[ops[i]]++;
		odd[ops[i + 1]]++;
	}
	if (n % 2)
		by_op[ops[n - 1]]++;
	for (unsigned op = 0; op < 256; op++)
		by_op[op] += odd[op];
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
		if (op & OP_MORE_BIT)
			counts[COLUMN_MORE] += by_op[op];
		if (event_kind_flags[kind] & EV_VALUE)
			counts[COLUMN_VALUE] += by_op[op];
		if (event_kind_flags[kind] & EV_ACCESS)
			counts[COLUMN_VARIABLE] += by_op[op];
		else if (event_kind_class[kind] != CLASS_NONE)
			counts[COLUMN_OBJECT] += by_op[op];
	}
	return true;
}

/* What is next in each column; value and skip may be NULL. */
struct columns {
	const uint32_t *thread, *variable, *object, *step, *skip;
	const uint64_t *value;
};

/* Objects have to be below these, by kind; those of accesses are checked before. */
static void object_limits(const struct symbols *symbols, size_t limits[EV_COUNT])
{
	for (int kind = 0; kind < EV_COUNT; kind++) {
		enum object_class class = event_kind_class[kind];

		limits[kind] = event_kind_flags[kind] & EV_ACCESS ? SIZE_MAX
			       : class == CLASS_NONE		  ? 1
								  : symbols_count(symbols, class);
	}
}

/* Which columns an event takes from, by its op: 0 or 1 each. */
struct op_shape {
	uint8_t kind, thread, variable, object;
};

static void shape_ops(struct op_shape shapes[256])
{
	for (unsigned op = 0; op < 256; op++) {
		unsigned kind = (op & OP_KIND) < EV_COUNT ? op & OP_KIND : 0;
		bool accesses = event_kind_flags[kind] & EV_ACCESS;

		shapes[op] = (struct op_shape){
			.kind = (uint8_t)kind,
			.thread = !(op & OP_SAME_THREAD),
			.variable = accesses,
			.object = !accesses && event_kind_class[kind] != CLASS_NONE,
		};
	}
}

/*
 * From columns to events. Which columns an event takes from is hard to predict, so that nothing
 * jumps on it: all are looked at, and those go on that it took from. They have SLACK for that.
 * plain: all events have a location, and none a value, skip= or more.
 */
static inline __attribute__((always_inline)) bool join_columns(struct decoder *d, struct columns c,
							       size_t n, uint64_t first,
							       struct cursor *more, bool plain)
{
	size_t limits[EV_COUNT], location_limit = d->symbols->locations.strings.n;
	struct op_shape shapes[256];
	const uint8_t *ops = d->ops.at;
	uint32_t *locations = d->last_location.at;
	uint32_t current = 0;
	bool good = true;

	shape_ops(shapes);
	object_limits(d->symbols, limits);
	for (size_t i = 0; i < n && good; i++) {
		struct event *e = &d->events.at[i];
		struct op_shape s = shapes[ops[i]];
		uint32_t location = 0;

		current ^= (current ^ *c.thread) & -(uint32_t)s.thread;
		uint32_t object =
			(*c.variable & -(uint32_t)s.variable) | (*c.object & -(uint32_t)s.object);

		c.thread += s.thread;
		c.variable += s.variable;
		c.object += s.object;
		good = object < limits[s.kind];
		if (plain || ops[i] & OP_LOCATION) {
			location = locations[current] += (*c.step >> 1) ^ -(*c.step & 1);
			c.step++; /* modulo 2^32 */
			good &= location - 1 < location_limit - 1;
		}
		*e = (struct event){
			.kind = s.kind, .thread = current, .object = object, .location = location};
		if (plain)
			continue;
		if (c.skip)
			e->skip = (uint16_t)c.skip[i];
		if (c.value && event_is(e, EV_VALUE))
			e->value = unzigzag(*c.value++);
		if (ops[i] & OP_MORE_BIT && !take_more(d, more, e, first + i))
			return false;
	}
	return good && more->at == more->end;
}

bool decoder_events(struct decoder *d, struct cursor *c, size_t n, uint64_t first)
{
	arena_reset(&d->more);
	const struct symbols *symbols = d->symbols;
	struct columns columns;
	size_t counts[COLUMN_COUNT];

	vec_reserve(&d->ops, n + SLACK);
	uint8_t *ops = d->ops.at;
	unsigned width = take_planes(d, c, n, 1, false);

	if (c->bad)
		return false;
	if (width)
		memcpy(ops, d->planes.at, n);
	else
		memset(ops, 0, n);
	if (!count_columns(ops, n, counts) || ops[0] & OP_SAME_THREAD)
		return false;
	columns.thread = take_numbers(d, c, COLUMN_THREAD, counts[COLUMN_THREAD],
				      symbols_count(symbols, CLASS_THREAD));
	columns.variable = take_numbers(d, c, COLUMN_VARIABLE, counts[COLUMN_VARIABLE],
					symbols_count(symbols, CLASS_VARIABLE));
	columns.object = take_numbers(d, c, COLUMN_OBJECT, counts[COLUMN_OBJECT], SIZE_MAX);
	columns.value = take_values(d, c, counts[COLUMN_VALUE]);
	columns.step = take_numbers(d, c, COLUMN_LOCATION, counts[COLUMN_LOCATION], SIZE_MAX);
	columns.skip = take_skips(d, c, n);
	uint64_t more_size = take_varint(c);

	if (more_size > BLOCK_STORED_MAX / 16)
		return false;
	vec_reserve(&d->bytes, more_size + SLACK);
	if (more_size)
		decoder_plane(d, c, d->bytes.at, more_size);
	struct cursor more = {d->bytes.at, d->bytes.at + more_size, false};

	if (c->bad || c->at != c->end)
		return false;
	d->last_location.n = 0;
	vec_extend(&d->last_location, symbols_count(symbols, CLASS_THREAD));
	vec_reserve(&d->events, n);
	bool plain = counts[COLUMN_LOCATION] == n && !columns.skip && !columns.value &&
		     !counts[COLUMN_MORE];

	return plain ? join_columns(d, columns, n, first, &more, true)
		     : join_columns(d, columns, n, first, &more, false);
}

int decoder_init(struct decoder *d, struct symbols *symbols)
{
	memset(d, 0, sizeof(*d));
	d->symbols = symbols;
	d->expr.constants = &symbols->constants;
	d->version = BINARY_VERSION;
	d->zstd = ZSTD_createDCtx();
	return d->zstd ? 0 : -1;
}

void decoder_release(struct decoder *d)
{
	ZSTD_freeDCtx(d->zstd);
	vec_release(&d->planes);
	vec_release(&d->ops);
	vec_release(&d->bytes);
	for (int column = 0; column < COLUMN_COUNT; column++)
		vec_release(&d->numbers[column]);
	vec_release(&d->values);
	vec_release(&d->events);
	vec_release(&d->last_location);
	vec_release(&d->last_access);
	expr_reader_release(&d->expr);
	arena_release(&d->more);
}
