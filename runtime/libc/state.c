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

void __norn_process_changes(void)
{
	norn_channel_count(&norn_process_state);
	norn_channel_look(&norn_process_state);
}

void __norn_process_looks(void)
{
	norn_channel_look(&norn_process_state);
}

void __norn_descriptor_changes(int fd)
{
	if (fd < 0)
		return;
	norn_channel_count(&norn_descriptor_state[fd % DESCRIPTORS]);
	norn_channel_look(&norn_descriptor_state[fd % DESCRIPTORS]);
}

void __norn_orders(void)
{
	norn_orders_all();
}
