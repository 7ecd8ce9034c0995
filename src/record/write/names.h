/* SPDX-License-Identifier: MIT */
/*
 * Names that a programmer understands, for what a recording knows by address:
 *
 *	counter, table+16, config.size		globals
 *	heap:prog.c:31~2, heap:prog.c:31~2.head	the second kept block from that line, a member
 *	stack:main:args~1+8			a local variable that others see
 *	map:prog.c:12~1+4096, tls:T1+64		a mapping, a thread's own memory
 *	0x7ffd12345678				anything else
 */
#ifndef RECORD_WRITE_NAMES_H
#define RECORD_WRITE_NAMES_H

#include "record/write/places.h"
#include "record/keep/layout.h"
#include "record/merge/sync.h"

/* Adds all variables of the layout to the symbols, each under its number in the layout. */
void names_add_variables(struct places *places, const struct layout *layout);
/* The symbol of a synchronisation object, a new one: of class_of its fact. */
uint32_t names_add_sync(struct places *places, const struct sync_fact *fact);
/* Its name without a number behind it. */
void names_of_sync(struct places *places, const struct sync_fact *fact, char *name, size_t room);
enum object_class names_sync_class(const struct sync_fact *fact);
/* main, T1, T2 …: numbered as they are. */
void names_add_threads(struct symbols *symbols, uint32_t count);
/* Facts: what the program has called threads that have these symbols; NULL: nothing is known. */
void names_add_given(struct symbols *symbols, const char *directory);

#endif
