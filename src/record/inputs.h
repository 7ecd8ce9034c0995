/* SPDX-License-Identifier: MIT */
/*
 * What a run was given from outside (runtime/log.h: inputs), as it stands in the run's trace and as
 * `norn replay` gives it back.
 *
 * In a trace they are facts about the run, with the key `inputs` and the value OWNER SIZE DATA:
 * OWNER is the number of a thread, or `stdin`; DATA is a piece of SIZE bytes, compressed by zstd
 * and written in base64. The pieces of an owner follow each other. So all that reads, writes or
 * converts traces keeps them, and needs to know nothing of them.
 */
#ifndef RECORD_INPUTS_H
#define RECORD_INPUTS_H

#include "base/err.h"
#include "runtime/log.h"
#include "trace/symbols.h"

#define INPUTS_KEY "inputs"
/* The limit of norn record, if nothing else is said; and what it may be at most. */
#define INPUTS_LIMIT ((uint64_t)64 << 20)
#define INPUTS_MOST ((uint64_t)1 << 30)

extern const char *const input_function_names[INPUT_COUNT];

/* Adds what is in a recording's directory; of a log that was cut or damaged, what makes sense. */
void inputs_add(struct symbols *symbols, const char *directory, const struct log_run *run);

/* Says that there was more than may be kept. */
void inputs_add_cut(struct symbols *symbols);

typedef VEC(uint8_t) inputs_bytes;

struct inputs {
	VEC(inputs_bytes) threads; /* by number: struct log_input, as in input.N */
	bool saved;		   /* standard input is here */
	inputs_bytes standard_input;
	bool cut; /* the limit was reached: there was more */
};

/* ERR_INPUT if they make no sense. trace: its name. To be released in any case. */
int inputs_read(struct inputs *in, const struct symbols *symbols, const char *trace,
		struct err *err);
void inputs_release(struct inputs *in);

/* Is this fact a piece of standard input? */
bool inputs_is_standard(const struct meta *meta);

/* Writes given.N for the threads. */
int inputs_write(const struct inputs *in, const char *directory, struct err *err);

/* What sockets gave, and all of it: nobody has to be at their other side when it is given back. */
bool inputs_have_sockets(const struct inputs *in);

struct inputs_count {
	uint64_t calls, bytes;
};
void inputs_count(const struct inputs *in, struct inputs_count counts[INPUT_COUNT]);

#endif
