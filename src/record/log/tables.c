/* SPDX-License-Identifier: MIT */
#include "record/log/tables.h"

#include "base/sorted.h"
#include "record/log/raw.h"
#include "trace/expr_build.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MAX (1u << 24)

static void add_names(struct intern *to, const uint32_t *offsets, uint32_t n, const char *text,
		      uint32_t size)
{
	for (uint32_t i = 0; i < n; i++)
		if (offsets[i] < size)
			intern_add(to, text + offsets[i], strlen(text + offsets[i]));
}

/* False if the table makes no sense. */
static bool add_table(struct tables *s, const char *data, uint64_t length, uint32_t base)
{
	const struct site_table *t = (const void *)data;

	if (length < sizeof(*t) || t->magic != SITE_MAGIC || t->version != SITE_VERSION)
		return false;
	uint64_t names = ((uint64_t)t->defined + t->called) * sizeof(uint32_t);
	uint64_t need = sizeof(*t) + (uint64_t)t->sites * sizeof(struct site) + names + t->text;
	const struct site *sites = (const void *)(t + 1);
	const uint32_t *offsets = (const void *)(sites + t->sites);
	const char *text = (const char *)(offsets + t->defined + t->called);

	uint64_t addresses = (need + 7) & ~(uint64_t)7;

	if (t->addresses)
		need = addresses + (uint64_t)t->addresses * sizeof(struct site_address);
	if (need > length || !base || t->sites > SITES_MAX || base > SITES_MAX - t->sites ||
	    !t->text || text[t->text - 1])
		return false;
	vec_extend(&s->at, (size_t)base + t->sites);
	for (uint32_t i = 0; i < t->sites; i++)
		s->at.at[base + i] =
			(struct site_info){.site = &sites[i], .table = (uint32_t)s->texts.n};
	vec_push(&s->texts, text);
	vec_push(&s->text_sizes, t->text);
	const char *directory = t->directory < t->text ? text + t->directory : "";

	vec_push(&s->directories, directory);
	vec_push(&s->addresses, (const struct site_address *)(const void *)(data + addresses));
	vec_push(&s->address_counts, t->addresses);
	add_names(&s->defined, offsets, t->defined, text, t->text);
	add_names(&s->called, offsets + t->defined, t->called, text, t->text);
	return true;
}

void tables_init(struct tables *s, char *data, size_t size, const struct constants *constants)
{
	size_t at = 0;

	*s = (struct tables){.data = data, .constants = constants, .exprs.constants = constants};
	while (size - at >= sizeof(struct log_table)) {
		const struct log_table *head = (const void *)(data + at);

		at += sizeof(*head);
		if (head->magic != LOG_MAGIC || head->length > size - at ||
		    !add_table(s, data + at, head->length, head->base))
			return;
		uint64_t padded = (head->length + 7) & ~(uint64_t)7;

		if (padded > size - at)
			return;
		at += padded;
	}
}

void tables_release(struct tables *s)
{
	mem_free(s->data);
	vec_release(&s->texts);
	vec_release(&s->text_sizes);
	vec_release(&s->directories);
	vec_release(&s->addresses);
	vec_release(&s->address_counts);
	vec_release(&s->wanted);
	vec_release(&s->at);
	intern_release(&s->defined);
	intern_release(&s->called);
	arena_release(&s->memory);
	expr_builder_release(&s->exprs);
}

const char *tables_text(const struct tables *s, const struct site_info *info, uint32_t offset)
{
	return offset < s->text_sizes.at[info->table] ? s->texts.at[info->table] + offset : "";
}

bool tables_location(const struct tables *s, const struct site_info *info, char *text, size_t room)
{
	const struct site *site = info->site;
	const char *file = tables_text(s, info, site->file);
	const char *function = tables_text(s, info, site->function);
	int used;

	if (!*file)
		return false;
	if (site->line && site->column)
		used = snprintf(text, room, "%s:%u:%u", file, site->line, site->column);
	else if (site->line)
		used = snprintf(text, room, "%s:%u", file, site->line);
	else
		used = snprintf(text, room, "%s", file);
	if (*function && site->line && used > 0 && (size_t)used < room)
		snprintf(text + used, room - (size_t)used, ":%s", function);
	return true;
}

void tables_callers(const struct tables *s, uint32_t number,
		    bool (*frame)(void *context, const char *text), void *context)
{
	const struct site_info *info = tables_get(s, number);
	const char *at = info ? tables_text(s, info, info->site->callers) : "";
	char text[1024];

	while (*at) {
		size_t n = strcspn(at, " ");

		if (n && n < sizeof(text)) {
			memcpy(text, at, n);
			text[n] = '\0';
			if (!frame(context, text))
				return;
		}
		at += n + (at[n] == ' ');
	}
}

/* Templates */

struct parser {
	struct tables *s;
	uint32_t table;
	bool reads; /* the template is the address of a read */
	const char *c;
	struct expr_reader expr;
};

static void skip_blanks(struct parser *p)
{
	while (*p->c == ' ')
		p->c++;
}

static unsigned open_loads(const struct parser *p)
{
	unsigned n = p->reads;

	for (size_t i = 0; i < p->expr.open.n; i++)
		n += expr_op_loads(p->expr.open.at[i].op) > 0;
	return n;
}

/* @N */
static bool parse_address(struct parser *p)
{
	char *end;
	unsigned long number = strtoul(p->c + 1, &end, 10);
	unsigned loads = open_loads(p);

	if (end == p->c + 1 || number >= p->s->address_counts.at[p->table])
		return false;
	const struct site_address *a = &p->s->addresses.at[p->table][number];
	struct site_constant wanted = {a->address, a->size, loads - 1};

	if (loads && a->size)
		vec_push(&p->s->wanted, wanted);
	expr_read_atom(&p->expr, OP_CONST, a->address);
	p->c = end;
	return true;
}

static bool parse_atom(struct parser *p)
{
	char *end;

	if (*p->c == '@')
		return parse_address(p);
	if (p->c[0] == '%' && p->c[1] == 's') {
		expr_read_atom(&p->expr, OP_READ, SITE_ITSELF);
		p->c += 2;
		return true;
	}
	if (p->c[0] == '%' && p->c[1] >= '0' && p->c[1] < '0' + SITE_DEPENDS_MAX) {
		expr_read_atom(&p->expr, OP_READ, (uint64_t)(p->c[1] - '0'));
		p->c += 2;
		return true;
	}
	bool negative = *p->c == '-';

	if (!isdigit((unsigned char)p->c[negative]))
		return false;
	uint64_t value = strtoull(p->c + negative, &end, 0);

	expr_read_atom(&p->expr, OP_CONST, negative ? -value : value);
	p->c = end;
	return true;
}

static int find_operator(const char *word, size_t length)
{
	for (int op = OP_READ + 1; op < OP_COUNT; op++)
		if (strlen(expr_op_text[op]) == length && !memcmp(word, expr_op_text[op], length))
			return op;
	return -1;
}

static bool open_part(struct parser *p)
{
	p->c++;
	skip_blanks(p);
	size_t length = strcspn(p->c, " ()");
	int op = find_operator(p->c, length);

	p->c += length;
	if (op >= 0)
		expr_read_open(&p->expr, (enum expr_op)op, 0);
	return op >= 0;
}

static bool close_part(struct parser *p)
{
	struct expr_reader *r = &p->expr;

	p->c++;
	if (!r->open.n || !expr_arity_fits(r->open.at[r->open.n - 1].op, expr_read_args(r)))
		return false;
	expr_read_close(r);
	return true;
}

static bool parse(struct parser *p)
{
	do {
		skip_blanks(p);
		if (!(*p->c == ')' ? close_part(p) : *p->c == '(' ? open_part(p) : parse_atom(p)))
			return false;
	} while (p->expr.open.n);
	skip_blanks(p);
	return !*p->c;
}

const struct expr *tables_template(struct tables *s, struct site_info *info)
{
	if (info->parsed)
		return info->template;
	struct parser p = {.s = s,
			   .table = info->table,
			   .reads = info->site->kind == SITE_READ,
			   .c = tables_text(s, info, info->site->expression),
			   .expr.constants = s->constants};

	info->parsed = true;
	if (!info->site->expression || !*p.c)
		return NULL;
	if (parse(&p))
		info->template = expr_read_end(&p.expr, &s->memory);
	else
		s->bad_templates++;
	expr_reader_release(&p.expr);
	return info->template;
}

/* Ways */

struct ways {
	VEC(struct site_way) values;
	uint32_t count;
};

/* "1 4-6 / 9" */
static bool parse_ways(const char *text, struct ways *ways)
{
	char *end;

	for (ways->count = 1; *text; text = end) {
		struct site_way value = {.low = strtoull(text, &end, 10), .way = ways->count};

		value.high = value.low;
		if (end == text)
			return false;
		if (*end == '-')
			value.high = strtoull(end + 1, &end, 10);
		vec_push(&ways->values, value);
		end += strspn(end, " ");
		if (*end == '/') {
			ways->count++;
			end++;
		}
	}
	ways->count++;
	return true;
}

static int compare_ways(const void *a, const void *b)
{
	const struct site_way *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* Without ways each value goes one of its own, as far as is known. */
static void find_ways(struct tables *s, struct site_info *info)
{
	struct ways ways = {0};

	if (!parse_ways(tables_text(s, info, info->site->ways), &ways)) {
		s->bad_templates++;
		ways.values.n = 0;
	}
	qsort(ways.values.at, ways.values.n, sizeof(*ways.values.at), compare_ways);
	info->value_count = (uint32_t)ways.values.n;
	info->values =
		arena_copy(&s->memory, ways.values.at, ways.values.n * sizeof(*ways.values.at));
	info->ways = arena_alloc(&s->memory, ways.count * sizeof(*info->ways));
	memset(info->ways, 0, ways.count * sizeof(*info->ways));
	vec_release(&ways.values);
}

static uint32_t find_way(const struct site_info *info, uint64_t value)
{
	uint32_t at = LOWER_BOUND(i, 0u, info->value_count, info->values[i].high < value);

	return at < info->value_count && value >= info->values[at].low ? info->values[at].way : 0;
}

static uint32_t itself(void *context, uint64_t read)
{
	return expr_add_read(context, read);
}

static uint32_t add_range(struct expr_builder *b, uint32_t value, const struct site_way *w)
{
	uint32_t low = expr_add_const(b, (int64_t)w->low);
	uint32_t high = expr_add_const(b, (int64_t)w->high);

	return expr_add2(b, OP_AND, expr_add2(b, OP_GE_U, value, low),
			 expr_add2(b, OP_LE_U, value, high));
}

/* One of those of this way; the default one: of none. */
static const struct expr *make_way(struct tables *s, const struct site_info *info, uint32_t way)
{
	struct expr_builder *b = &s->exprs;
	VEC(uint32_t) single = {0}, parts = {0};

	expr_builder_reset(b);
	vec_push(&single, expr_add_all(b, info->template, itself, b));
	for (uint32_t i = 0; i < info->value_count; i++) {
		const struct site_way *w = &info->values[i];

		if (way && w->way != way)
			continue;
		if (w->low == w->high)
			vec_push(&single, expr_add_const(b, (int64_t)w->low));
		else
			vec_push(&parts, add_range(b, single.at[0], w));
	}
	if (single.n > 1)
		vec_push(&parts,
			 expr_add(b, single.n > 2 ? OP_IN : OP_EQ, single.at, (uint32_t)single.n));
	uint32_t part = parts.n > 1 ? expr_add(b, OP_OR, parts.at, (uint32_t)parts.n) : parts.at[0];

	vec_release(&single);
	vec_release(&parts);
	return expr_take(b, way ? part : expr_add1(b, OP_NOT, part), EXPR_NODES_MAX, &s->memory);
}

/* Of a comparison that is the other one; 0: it is none. */
static uint8_t inverse(uint8_t op)
{
	static const uint8_t pairs[][2] = {{OP_LT, OP_GE},
					   {OP_LE, OP_GT},
					   {OP_LT_U, OP_GE_U},
					   {OP_LE_U, OP_GT_U},
					   {OP_EQ, OP_NE}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		for (unsigned k = 0; k < 2; k++)
			if (pairs[i][k] == op)
				return pairs[i][!k];
	return 0;
}

static const struct expr *negate(struct tables *s, const struct expr *e)
{
	uint8_t other = inverse(e->nodes[e->count - 1].op);
	struct expr_builder *b = &s->exprs;

	if (other) {
		struct expr *negated = arena_copy(&s->memory, e, expr_size(e));

		negated->nodes[e->count - 1].op = other;
		return negated;
	}
	expr_builder_reset(b);
	return expr_take(b, expr_add1(b, OP_NOT, expr_add_all(b, e, itself, b)), EXPR_NODES_MAX,
			 &s->memory);
}

const struct expr *tables_load(struct tables *s, struct site_info *info, unsigned size)
{
	const struct expr *address = tables_template(s, info);
	struct expr_builder *b = &s->exprs;

	if (!address || info->load || size > 8 || size & (size - 1))
		return info->load;
	expr_builder_reset(b);
	enum expr_op op = OP_LOAD1 + __builtin_ctz(size);

	info->load = expr_take(b, expr_add1(b, op, expr_add_all(b, address, itself, b)),
			       EXPR_NODES_MAX, &s->memory);
	return info->load;
}

static const struct expr *way_of_switch(struct tables *s, struct site_info *info, uint64_t value)
{
	if (!info->ways)
		find_ways(s, info);
	uint32_t way = find_way(info, value);

	if (!info->value_count)
		return NULL;
	if (!info->ways[way])
		info->ways[way] = make_way(s, info, way);
	return info->ways[way];
}

const struct expr *tables_way(struct tables *s, struct site_info *info, uint64_t value)
{
	const struct expr *template = tables_template(s, info);

	if (!template)
		return NULL;
	if (info->site->kind == SITE_SWITCH)
		return way_of_switch(s, info, value);
	if (value)
		return template;
	if (!info->negation)
		info->negation = negate(s, template);
	return info->negation;
}
