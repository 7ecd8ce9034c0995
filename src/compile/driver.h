/* SPDX-License-Identifier: MIT */
/* What the steps of one command share. Only for src/compile. */
#ifndef COMPILE_DRIVER_H
#define COMPILE_DRIVER_H

#include "base/spawn.h"
#include "compile/compile.h"
#include "compile/line.h"
#include "compile/parts.h"
#include "events/events.h"
#include "events/ignore.h"

struct driver {
	const struct compile_request *request;
	struct parts parts;
	struct line line; /* of inputs that are compiled and linked, the word becomes the object */
	struct words words;   /* the command line, without what Norn alone understands */
	struct words models;  /* files of events that are Norn's own */
	struct words said;    /* by the user: --events FILE, --atomic FUNCTION */
	struct events events; /* what the user's say */
	struct ignore ignore; /* what gets no hooks */
	struct arena arena;
	unsigned objects; /* temporary ones */
};

/* clang, in the right mode. */
void driver_start(const struct driver *d, struct words *command);
/* What Norn adds for the preprocessor. */
void driver_define(const struct driver *d, struct words *command);
/* Runs the command and releases it: its exit status, or negative. */
int driver_spawn(const struct driver *d, struct words *command, struct err *err);
/* Two commands at once, of which the second may fail: its exit status is `beside`. */
int driver_spawn_both(const struct driver *d, struct words *command, struct words *other,
		      int *beside, struct err *err);

/* Makes the object of an input (exit status, or negative); if that is to be linked, the item is
 * the object from there on. */
int driver_compile(struct driver *d, struct line_item *item, struct err *err);
int driver_link(struct driver *d, struct err *err);

/* Which files of events there are, and whether all can be read (events.c). */
int driver_find_events(struct driver *d, struct err *err);
/* Tells which of the user's lines name no function of what was linked. */
void driver_check_events(struct driver *d);

#endif
