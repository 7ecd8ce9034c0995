/* SPDX-License-Identifier: MIT */
/*
 * Functions that call back. The program's comparison logs what it reads itself; each result decides
 * what is done next. Elements are compared where they are, and moved at the end.
 */
#include "runtime/callback.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const void *pc;
	int (*compare)(const void *, const void *, void *);
	int (*compare2)(const void *, const void *); /* if there is no `compare` */
	void *argument;
};

#define COMPARES2 NORN_INT NORN_GETS_POINTER NORN_GETS_POINTER
#define COMPARES COMPARES2 NORN_GETS_POINTER

/* Which two are compared is decided by what was said of others, and by the arguments of the call.
 */
static int ask(const struct order *o, const void *a, const void *b)
{
	uint64_t key = o->compare ? norn_callback((const void *)o->compare, COMPARES)
				  : norn_callback((const void *)o->compare2, COMPARES2);
	int r = o->compare ? o->compare(a, b, o->argument) : o->compare2(a, b);
	norn_decided_by(o->pc, norn_called_back(key));
	return r;
}

/* A stable merge sort of pointers, as libc's; `spare` has room for n as well. */
static void sort(const struct order *o, char **items, char **spare, size_t n)
{
	size_t half = n / 2, a = 0, b = half, k = 0;
	if (n < 2)
		return;
	sort(o, items, spare, half);
	sort(o, items + half, spare, n - half);
	while (a < half && b < n)
		spare[k++] = ask(o, items[a], items[b]) <= 0 ? items[a++] : items[b++];
	memcpy(spare + k, items + a, (half - a) * sizeof *items);
	memcpy(items, spare, (k + half - a) * sizeof *items);
}

/* Elements that have to move are all read before the first is written; `from` has room for where.
 */
static void move_items(const void *pc, char *base, size_t n, size_t size, char **items, char *copy,
		       uint64_t *from)
{
	for (size_t i = 0; i < n; i++)
		if (items[i] != base + i * size)
			from[i] = norn_get_position(pc, copy + i * size, items[i], size);
	for (size_t i = 0; i < n; i++)
		if (items[i] != base + i * size)
			norn_put_from(pc, base + i * size, copy + i * size, size, from[i]);
}

/* Without memory, libc sorts, and what it has moved is logged afterwards. */
static void sort_by_libc(const struct order *o, void *base, size_t n, size_t size)
{
	if (o->compare)
		qsort_r(base, n, size, o->compare, o->argument);
	else
		qsort(base, n, size, o->compare2);
	norn_filled(o->pc, base, n * size);
}

static void sort_array(const struct order *o, void *base, size_t n, size_t size)
{
	struct norn_scratch ours;
	size_t bytes, pointers;
	if (n < 2 || !size)
		return;
	norn_scratch_init(&ours);
	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_mul_overflow(n, 2 * sizeof(char *), &pointers) ||
	    !norn_scratch_grow(&ours, pointers + bytes)) {
		sort_by_libc(o, base, n, size);
		return;
	}
	char **items = (char **)ours.data;
	for (size_t i = 0; i < n; i++)
		items[i] = (char *)base + i * size;
	sort(o, items, items + n, n);
	move_items(o->pc, base, n, size, items, ours.data + pointers, (uint64_t *)(items + n));
	norn_scratch_release(&ours);
}

void __norn_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct order o = {NORN_CALLER, NULL, compare, NULL};
	sort_array(&o, base, n, size);
}

void __norn_qsort_r(void *base, size_t n, size_t size,
		    int (*compare)(const void *, const void *, void *), void *argument)
{
	struct order o = {NORN_CALLER, compare, NULL, argument};
	sort_array(&o, base, n, size);
}

void *__norn_bsearch(const void *key, const void *base, size_t n, size_t size,
		     int (*compare)(const void *, const void *))
{
	struct order o = {NORN_CALLER, NULL, compare, NULL};
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *p = (const char *)base + middle * size;
		int r = ask(&o, key, p);
		if (!r)
			return (void *)p;
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static void *find(const struct order *o, const void *key, const void *base, const size_t *count,
		  size_t size, size_t *n)
{
	norn_decided_by(o->pc, norn_get_position(o->pc, n, count, sizeof *n));
	for (size_t i = 0; i < *n; i++) {
		const char *p = (const char *)base + i * size;
		if (!ask(o, key, p))
			return (void *)p;
	}
	return NULL;
}

void *__norn_lfind(const void *key, const void *base, size_t *count, size_t size,
		   int (*compare)(const void *, const void *))
{
	struct order o = {NORN_CALLER, NULL, compare, NULL};
	size_t n;
	return find(&o, key, base, count, size, &n);
}

void *__norn_lsearch(const void *key, void *base, size_t *count, size_t size,
		     int (*compare)(const void *, const void *))
{
	struct order o = {NORN_CALLER, NULL, compare, NULL};
	size_t n;
	void *p = find(&o, key, base, count, size, &n);
	if (p)
		return p;
	p = (char *)base + n * size;
	norn_copied(o.pc, p, key, size);
	n++;
	norn_put(o.pc, count, &n, sizeof n);
	return p;
}
