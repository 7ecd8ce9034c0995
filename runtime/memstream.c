/* SPDX-License-Identifier: MIT */
/*
 * Streams that write to memory of the program (open_memstream). libc tells where that is, and how
 * long, when the stream is flushed or closed; what was written is the program's from then on. So
 * that is when it is logged: what is new there, and the two variables.
 */
#include "runtime/libc/libc.h"
#include "runtime/memstream.h"
#include "runtime/libc/replaced.h"
#include "runtime/real.h"
#include "runtime/run.h"

#include <wchar.h>

struct memory {
	FILE *f;
	char **start;
	size_t *length, unit;
	const char *seen; /* what was logged last */
	size_t size;
	uint64_t hash;
	struct memory *next;
};

static struct memory *open_ones;
static struct norn_spin lock;

static void note(FILE *f, char **start, size_t *length, size_t unit)
{
	struct norn_self *me = &norn_self;
	if (!f || !norn_enter(me))
		return;
	struct memory *m = NORN_REAL(malloc)(sizeof *m);
	if (m) {
		*m = (struct memory){.f = f, .start = start, .length = length, .unit = unit};
		norn_spin_lock(&lock);
		m->next = open_ones;
		open_ones = m;
		norn_spin_unlock(&lock);
	}
	norn_leave(me);
}

FILE *__norn_open_memstream(char **start, size_t *length)
{
	FILE *f = open_memstream(start, length);
	note(f, start, length, 1);
	return f;
}

FILE *__norn_open_wmemstream(wchar_t **start, size_t *length)
{
	FILE *f = open_wmemstream(start, length);
	note(f, (char **)start, length, sizeof(wchar_t));
	return f;
}

/* A stream is used by one thread at a time, so its entry stays as long as it is open. */
static struct memory *entry_of(FILE *f, bool taken)
{
	struct norn_self *me = &norn_self;
	if (NORN_LIKELY(!__atomic_load_n(&open_ones, __ATOMIC_RELAXED)) || !norn_enter(me))
		return NULL;
	norn_spin_lock(&lock);
	struct memory **at = &open_ones, *m;
	while ((m = *at) && m->f != f)
		at = &m->next;
	if (m && taken)
		*at = m->next;
	norn_spin_unlock(&lock);
	norn_leave(me);
	return m;
}

struct memory *norn_memory_of(FILE *f)
{
	return entry_of(f, false);
}

struct memory *norn_memory_closes(FILE *f)
{
	return entry_of(f, true);
}

static uint64_t hash_of(const char *p, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

void norn_memory_told(const void *pc, struct memory *m)
{
	if (!m)
		return;
	char *start = *m->start;
	size_t size = *m->length * m->unit;
	bool longer = start == m->seen && size >= m->size && hash_of(start, m->size) == m->hash;
	size_t from = longer ? m->size : 0;
	if (!longer || size > from)
		norn_laid(pc, start + from, size + m->unit - from);
	m->seen = start;
	m->size = size;
	m->hash = hash_of(start, size);
	norn_laid(pc, m->start, sizeof *m->start);
	norn_laid(pc, m->length, sizeof *m->length);
}

void norn_memory_closed(const void *pc, struct memory *m)
{
	struct norn_self *me = &norn_self;
	norn_memory_told(pc, m);
	if (!m)
		return;
	bool entered = norn_enter(me);
	NORN_REAL(free)(m);
	if (entered)
		norn_leave(me);
}
