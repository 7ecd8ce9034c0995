/* SPDX-License-Identifier: MIT */
/*
 * Site tables and the list of ELF objects: the files `sites` and `modules` of the recording. Both
 * are only ever added to. And where the code of instrumented modules lies: what it calls is a step
 * of its thread (doc/replay.md), what libraries call is none.
 */
#ifndef RUNTIME_MODULES_H
#define RUNTIME_MODULES_H

#include "runtime/self.h"

struct site;

struct norn_text {
	uintptr_t low, size;
};
#define NORN_TEXTS 256
/* The first `count` of them are valid. Few programs have more than one. */
struct norn_texts {
	uint32_t count;
	struct norn_text of[NORN_TEXTS];
};
extern NORN_HIDDEN struct norn_texts norn_texts;

/* The site field of a record with a pc: 1 if the caller is instrumented. */
NORN_INLINE uint32_t norn_step_site(const void *pc)
{
	uint32_t n = __atomic_load_n(&norn_texts.count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < n; i++)
		if ((uintptr_t)pc - norn_texts.of[i].low < norn_texts.of[i].size)
			return 1;
	return 0;
}

/* The code of the C library; never in a static program. */
NORN_HIDDEN bool norn_is_in_libc(const void *pc);

/* What the tables say of a site, null if nothing. */
NORN_HIDDEN const struct site *norn_find_site(uint32_t site);

/* The site table of a module, which gets the number of its first site. */
NORN_HIDDEN void norn_register(const void *table, uint32_t *base);
/* Likewise the runtime's own. */
NORN_HIDDEN void norn_register_annotations(void);

/* Writes what is loaded and not yet listed. */
NORN_HIDDEN void norn_list_modules(void);
/* A recording that a child begins has all tables of its parent. */
NORN_HIDDEN void norn_modules_in_child(void);

#endif
