/* SPDX-License-Identifier: MIT */
/*
 * What libraries do with files, pipes and sockets: they call libc past the functions that calls
 * from instrumented code are turned to. Their calls do what they always do, and are counted
 * (libc/channel.c). Weak, since a program may have functions of its own by these names. In a static
 * program such calls cannot be told from those of libc itself, and are not counted.
 *
 * counted.c has files and names, counted_streams.c streams, counted_calls.c what else orders
 * threads.
 */
#ifndef RUNTIME_COUNTED_H
#define RUNTIME_COUNTED_H

#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/remote.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/unseen.h"

#define WEAK __attribute__((weak))

/* By code without hooks: elsewhere, or linked with the program. Not while the runtime is at work,
 * which may look for the real functions just now. */
static inline bool counts(const void *pc)
{
	const struct norn_self *me = &norn_self;
	return me->mode == NORN_LOGS && !me->busy && (me->unseen || !norn_step_site(pc)) &&
	       !norn_is_own_code(pc);
}

#define COUNTS counts(__builtin_return_address(0))

/* Around a call: what is done before it, and behind. */
#define AROUND(type, name, parameters, arguments, before, behind) \
	WEAK type name parameters                                 \
	{                                                         \
		bool noted = COUNTS;                              \
		if (noted)                                        \
			before;                                   \
		type r = NORN_REAL(name) arguments;               \
		if (noted)                                        \
			behind;                                   \
		return r;                                         \
	}
/* Around a write, or what closes it; around a read: of a descriptor, or of a stream (`_file`). */
#define WRITES(type, name, parameters, arguments, announce)              \
	WEAK type name parameters                                        \
	{                                                                \
		struct norn_channel *channel = COUNTS ? announce : NULL; \
		type r = NORN_REAL(name) arguments;                      \
		norn_announced(channel);                                 \
		return r;                                                \
	}
#define READS(type, name, parameters, arguments, of, what) \
	WEAK type name parameters                          \
	{                                                  \
		bool noted = COUNTS;                       \
		if (noted)                                 \
			norn_looks##of(what);              \
		type r = NORN_REAL(name) arguments;        \
		if (noted)                                 \
			norn_noticed##of(what);            \
		return r;                                  \
	}
/* Likewise, of what may lead out of the process: libc/remote.h. */
#define WRITES_BY(type, name, parameters, arguments, announce, does)    \
	WEAK type name parameters                                       \
	{                                                               \
		bool noted = COUNTS;                                    \
		struct norn_channel *channel = noted ? announce : NULL; \
		type r = noted ? does : NORN_REAL(name) arguments;      \
		norn_announced(channel);                                \
		return r;                                               \
	}
#define AROUND_BY(type, name, parameters, arguments, before, behind, does) \
	WEAK type name parameters                                          \
	{                                                                  \
		bool noted = COUNTS;                                       \
		if (noted)                                                 \
			before;                                            \
		type r = noted ? does : NORN_REAL(name) arguments;         \
		if (noted)                                                 \
			behind;                                            \
		return r;                                                  \
	}
#define READS_BY(type, name, parameters, arguments, what, does) \
	AROUND_BY(type, name, parameters, arguments, norn_looks(what), norn_noticed(what), does)
#define NAMES(type, name, parameters, arguments, act) \
	WEAK type name parameters                     \
	{                                             \
		bool noted = COUNTS;                  \
		if (noted)                            \
			act();                        \
		type r = NORN_REAL(name) arguments;   \
		if (noted)                            \
			act();                        \
		return r;                             \
	}

#endif
