/* SPDX-License-Identifier: MIT */
/*
 * Site tables: what the instrumenter knows of each place in a module that has a hook. It puts one
 * table into each module, as constant data; the runtime copies it to the log as it is; the
 * merge reads it. Little-endian, offsets of strings from the start of the table's text.
 *
 *	struct site_table
 *	struct site[sites]
 *	uint32_t[defined]	names of functions that the module defines (their hooks are in)
 *	uint32_t[called]	names of functions that it calls and does not define
 *	char[text]		NUL-ended strings; offset 0 is the empty string
 *	struct site_address[addresses], at the next multiple of 8
 */
#ifndef RUNTIME_SITES_H
#define RUNTIME_SITES_H

#include <stdint.h>

#define SITE_MAGIC 0x5349544eu
#define SITE_VERSION 4
#define SITE_DEPENDS_MAX 3

struct site_table {
	uint32_t magic, version;
	uint32_t sites, defined, called, text;
	uint32_t directory; /* string: where the compiler ran, for file names that are relative */
	uint32_t source;    /* string: the module's source file */
	uint32_t addresses, reserved;
};

/* What expressions call @0, @1 …: a global variable. */
struct site_address {
	uint64_t address;
	uint64_t size; /* of a constant that the module defines; 0: of another one */
};

enum site_kind {
	SITE_READ,
	SITE_WRITE,
	SITE_RMW,
	SITE_BRANCH, /* two ways: the expression is the condition */
	SITE_SWITCH, /* many: the expression is the value switched on */
	SITE_CALL,   /* what a call or an address was computed from: it stays the same if the reads
			do. For a call its name is the function's, or none if it is indirect */
	SITE_PIN,    /* a value that comes from code without hooks (argument, result): see below */
	SITE_STACK,
	SITE_VALUE, /* a value that others depend on: the expression is what it is */
	SITE_EVENT, /* no place: a mark that a file of events names, with `size` fields */
	SITE_WORD,  /* no place: a word that field `size` of the mark `function` can be */
	SITE_KIND_COUNT
};

/*
 * What the event depends on, beyond the dependences that its hook is given (SITE_DEPENDS_MAX
 * of them: `values` for its value or condition, then `addresses` for its address).
 *
 * SITE_EXACT: its value depends on the values of those reads and on nothing else; for an rmw,
 * on what it read itself as well. Without it, on every earlier read of the thread. Addresses are
 * always exact: where an address comes from what is opaque, a SITE_PIN branch where that value is
 * made depends on every earlier read, so that the value is fixed from there on. They are told of
 * once: behind the first access that is made by such an address, the reads that it came from are
 * fixed.
 */
#define SITE_EXACT 1
#define SITE_VOLATILE 2 /* a C volatile access (not atomic) */
#define SITE_LOOSE 4	/* of the runtime's own: no step of the program (doc/replay.md) */
/*
 * SITE_BRANCH: its hook is __norn_branch_arm. If the condition is true, or false, the way that was
 * not taken does nothing but compute, and comes to the same place: LOG_REJOIN.
 */
#define SITE_ARM 8
#define SITE_ARM_ELSE 16
#define SITE_WATCH 32 /* SITE_READ: for a mark, by nobody else; it races with nothing */
/* SITE_CALL: of the address of an access, a lock or a block: with another one it is another event
 */
#define SITE_PLACE 64

struct site {
	uint8_t kind;
	uint8_t order; /* C11: 0 plain, 1 relaxed, 2 consume, 3 acquire, 4 release, 5 acq_rel, 6
			  seq_cst */
	uint8_t size;  /* bytes of the access, 0 if it varies */
	uint8_t flags;
	uint8_t values, addresses; /* dependences of each sort */
	uint16_t reserved;
	uint32_t file, function; /* strings */
	uint32_t line, column;	 /* 0: unknown */
	uint32_t name; /* string: what is accessed, as a programmer would say: counter, q->head, a[]
			*/
	/*
	 * String, or 0: value written, condition, or value switched on, in the syntax of
	 * expressions of the trace (norn-trace(5)), with %0 %1 %2 for the dependences and %s for
	 * what an rmw itself has read, and @0 @1 … for addresses of the table. Values narrower than
	 * 64 bits are zero-extended throughout. SITE_READ: the address, over its dependences,
	 * if that may lead into a table of constants; its hook tells these each time.
	 */
	uint32_t expression;
	uint32_t object; /* string: symbol of the global variable that is accessed directly, or 0 */
	/*
	 * String, or 0. SITE_SWITCH: the values that go one way, for each way but the default one:
	 * numbers and ranges, unsigned, with '/' between ways: "1 4-6 / 9".
	 */
	uint32_t ways;
	/*
	 * String, or 0: where its function was inlined, and the function there, and so on outwards,
	 * FILE:LINE:COLUMN:FUNCTION each with blanks between them.
	 */
	uint32_t callers;
};

#endif
