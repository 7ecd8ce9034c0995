/* SPDX-License-Identifier: MIT */
/*
 * Standard input, if it is a pipe: the program gets a pipe of its own, through which it is given
 * the same bytes, and those that it takes are saved. Of ours, no more is taken than the program
 * has taken: what it leaves is there for whoever comes next, as if we were not between them.
 *
 * That is: tee(2) copies what is in our pipe to the program's, and when some of that has been
 * read there it is read here, too. Somebody has to look now and then: relay_look.
 */
#ifndef RECORD_RUN_RELAY_H
#define RECORD_RUN_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often to look, in ns: for so long the program may wait for what is there. */
#define RELAY_INTERVAL 1000000

struct relay {
	int from;	 /* standard input */
	int to, program; /* the ends of the program's pipe; `to` is closed at the end of the input
			  */
	size_t ahead;	 /* bytes that are in both pipes */
	int file;	 /* the copy, DIRECTORY/stdin */
	uint64_t rest;	 /* that may be written to it */
	bool cut;	 /* there was more */
};

/* Whether standard input is a pipe. */
bool relay_is_needed(void);
/* False, and errno: it cannot be, and all is as it was. The copy has no more than `limit` bytes. */
bool relay_begin(struct relay *r, const char *directory, uint64_t limit);
/* In the child, before exec: negative, and errno, if that fails. */
int relay_in_child(const struct relay *r);
void relay_look(struct relay *r);
/* When the program has ended: what it has taken last. */
void relay_end(struct relay *r);

#endif
