/* SPDX-License-Identifier: MIT */
/*
 * Order through what the kernel and libc keep for the whole process: one thread sets a limit, a
 * name, a priority, a handler, a flag of a descriptor, and another asks for it until it is there.
 * Nothing of it is in memory of the program. So these are channels (channel.c): the instrumenter
 * puts the hooks here before and behind each call of such a function (known.h), as for files, which
 * can be looked at at any time, too.
 *
 * What a descriptor is has a channel for each of a few numbers, since threads of a server set
 * flags of their own descriptors all the time.
 */
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"

static struct norn_channel norn_process_state;

#define DESCRIPTORS 64
static struct norn_channel norn_descriptor_state[DESCRIPTORS];

/*
 * What a descriptor stands for, its flags and its offset, a duplicate has as well: it is known by
 * the number that it had first, and how often that was closed before, since a number that is given
 * again is another descriptor. Of large numbers none of this is known.
 */
#define FEW_DESCRIPTORS 1024
static uint32_t closed[FEW_DESCRIPTORS], first[FEW_DESCRIPTORS]; /* of duplicates: + 1 */

static uint32_t description(int fd)
{
	if (fd >= FEW_DESCRIPTORS)
		return (uint32_t)fd;
	uint32_t known = __atomic_load_n(&first[fd], __ATOMIC_RELAXED);
	uint32_t times = __atomic_load_n(&closed[fd], __ATOMIC_RELAXED);
	return known ? known - 1 : (uint32_t)fd + 31 * times;
}

void norn_descriptor_doubled(int fd, int to)
{
	if (fd >= 0 && to >= 0 && to < FEW_DESCRIPTORS)
		__atomic_store_n(&first[to], description(fd) + 1, __ATOMIC_RELAXED);
}

/* Calls of which nobody knows how they order threads may ask for all of it. */
static void count(struct norn_channel *channel)
{
	norn_channel_count(channel);
	norn_state_counts();
}

static void change(struct norn_channel *channel)
{
	count(channel);
	norn_channel_look(channel);
}

void norn_descriptor_closes(int fd)
{
	if (fd < 0)
		return;
	count(&norn_descriptor_state[fd % DESCRIPTORS]);
	if (fd >= FEW_DESCRIPTORS)
		return;
	__atomic_store_n(&first[fd], 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&closed[fd], 1, __ATOMIC_RELAXED);
}

void norn_descriptor_closed(int fd)
{
	if (fd >= 0)
		count(&norn_descriptor_state[fd % DESCRIPTORS]);
}

static struct norn_channel norn_flags[DESCRIPTORS];

void __norn_descriptor_changes(int fd)
{
	if (fd < 0)
		return;
	change(&norn_descriptor_state[fd % DESCRIPTORS]);
	change(&norn_flags[description(fd) % DESCRIPTORS]);
}

#define OFFSETS 256
static struct norn_channel norn_offset[OFFSETS];

void norn_offset_moves(int fd)
{
	if (fd >= 0)
		count(&norn_offset[description(fd) % OFFSETS]);
}

void norn_offset_noticed(int fd)
{
	if (fd >= 0)
		norn_channel_take(&norn_offset[description(fd) % OFFSETS]);
}

void __norn_process_changes(void)
{
	change(&norn_process_state);
}

void __norn_process_looks(void)
{
	norn_channel_look(&norn_process_state);
}

static struct norn_channel norn_locale;

void __norn_locale_changes(void)
{
	change(&norn_locale);
}

void __norn_locale_looks(void)
{
	norn_channel_look(&norn_locale);
}

/*
 * Which memory there is, and what may be done with it. Who maps some anywhere learns nothing of
 * what others do: so that only counts.
 */
static struct norn_channel norn_memory_state;

void norn_memory_changes(void)
{
	count(&norn_memory_state);
}

void norn_memory_noticed(void)
{
	norn_channel_look(&norn_memory_state);
}

void __norn_memory_looks(void)
{
	change(&norn_memory_state);
}

/*
 * What a stream knows of itself, and what it holds. Of its file others may have changed what it
 * holds, since they write to it.
 */
void __norn_stream_changes(void *f)
{
	if (!f)
		return;
	norn_looks_file(f);
	norn_took_buffered(f);
}

static void look_at(struct norn_channel *channels, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (norn_channel_is_used(&channels[i]))
			norn_channel_look(&channels[i]);
}

void norn_state_looks(void)
{
	norn_channel_look(&norn_process_state);
	norn_channel_look(&norn_locale);
	norn_channel_look(&norn_memory_state);
	look_at(norn_descriptor_state, DESCRIPTORS);
	look_at(norn_flags, DESCRIPTORS);
	look_at(norn_offset, OFFSETS);
}

void __norn_orders(void)
{
	norn_orders_all();
}
