/* SPDX-License-Identifier: MIT */
/*
 * threadprivate: norn cc has clang ask for the address of such a variable each time, since threads
 * are not used again here and so cannot keep it themselves. And memory that is allocated by name.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/callback.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"
#include "runtime/real.h"

static struct norn_spin lock;

struct omp_worker *omp_worker_of(struct omp_worker *maker, int number)
{
	if (number == 0)
		return maker;
	norn_spin_lock(&lock);
	if (number >= maker->n) {
		int n = 2 * number + 2;
		struct omp_worker **larger = omp_get_memory((size_t)n * sizeof *larger);
		if (maker->n)
			memcpy(larger, maker->others, (size_t)maker->n * sizeof *larger);
		NORN_REAL(free)(maker->others);
		maker->others = larger;
		maker->n = n;
	}
	if (!maker->others[number])
		maker->others[number] = omp_get_memory(sizeof *maker->others[number]);
	struct omp_worker *worker = maker->others[number];
	norn_spin_unlock(&lock);
	return worker;
}

/* What is known of a variable: its value before anybody has changed it, or how it is made. */
struct variable {
	struct variable *next;
	void *data;
	void *image;
	void *(*make)(void *);
};
static struct variable *variables;

struct omp_copy {
	struct omp_copy *next;
	void *data, *memory;
};

static struct variable *variable_of(void *data)
{
	struct variable *v = variables;
	while (v && v->data != data)
		v = v->next;
	if (v)
		return v;
	v = omp_get_memory(sizeof *v);
	v->data = data;
	v->next = variables;
	variables = v;
	return v;
}

static struct variable *known(void *data, size_t size)
{
	norn_spin_lock(&lock);
	struct variable *v = variable_of(data);
	if (!v->image) {
		v->image = omp_get_memory(size);
		memcpy(v->image, data, size);
	}
	norn_spin_unlock(&lock);
	return v;
}

void OMP(__kmpc_threadprivate_register)(omp_where where, void *data, void *(*make)(void *),
					void *(*copy)(void *, void *), void (*end)(void *))
{
	(void)where, (void)copy, (void)end;
	norn_spin_lock(&lock);
	variable_of(data)->make = make;
	norn_spin_unlock(&lock);
}

static void *copy_of(struct omp_task *me, void *data, size_t size, const void *pc)
{
	omp_seat(me, pc);
	struct omp_worker *worker = me->worker;
	const struct variable *v = known(data, size);
	if (worker->first)
		return data;
	for (struct omp_copy *c = worker->copies; c; c = c->next)
		if (c->data == data)
			return c->memory;
	struct omp_copy *copy = omp_get_memory(sizeof *copy);
	copy->data = data;
	copy->memory = norn_malloc(size, pc);
	norn_lay(pc, copy->memory, v->image, size);
	if (v->make) {
		norn_callback((const void *)v->make, NORN_POINTER NORN_GETS_POINTER);
		v->make(copy->memory);
	}
	copy->next = worker->copies;
	worker->copies = copy;
	return copy->memory;
}

void *OMP(__kmpc_threadprivate_cached)(omp_where where, int32_t gtid, void *data, size_t size,
				       void ***cache)
{
	(void)where, (void)gtid, (void)cache;
	return copy_of(omp_self(), data, size, OMP_CALLER);
}

void *OMP(__kmpc_threadprivate)(omp_where where, int32_t gtid, void *data, size_t size)
{
	(void)where, (void)gtid;
	return copy_of(omp_self(), data, size, OMP_CALLER);
}

/* Allocators are all the same. */
void *OMP(__kmpc_alloc)(int32_t gtid, size_t size, void *allocator)
{
	(void)gtid, (void)allocator;
	return norn_malloc(size, OMP_CALLER);
}

void *OMP(__kmpc_aligned_alloc)(int32_t gtid, size_t alignment, size_t size, void *allocator)
{
	(void)gtid, (void)allocator;
	return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

void OMP(__kmpc_free)(int32_t gtid, void *p, void *allocator)
{
	(void)gtid, (void)allocator;
	free(p);
}

void *OMP(omp_alloc)(size_t size, uintptr_t allocator)
{
	(void)allocator;
	return norn_malloc(size, OMP_CALLER);
}

void *OMP(omp_calloc)(size_t n, size_t size, uintptr_t allocator)
{
	(void)allocator;
	return calloc(n, size);
}

void *OMP(omp_aligned_alloc)(size_t alignment, size_t size, uintptr_t allocator)
{
	(void)allocator;
	return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

void OMP(omp_free)(void *p, uintptr_t allocator)
{
	(void)allocator;
	free(p);
}
