/* SPDX-License-Identifier: MIT */
/*
 * The ELF objects of the recorded program: source lines of return addresses, and symbols of data.
 * Debug information is looked at once an address; an address that nobody knows has no line.
 */
#ifndef RECORD_LOG_MODULES_H
#define RECORD_LOG_MODULES_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

struct modules;

struct data_symbol {
	uint64_t address, size;
	const char *name;
	bool global; /* other modules and objects can name it */
};

/* text: the file `modules`, a line for each: BASE(hex) PATH. */
struct modules *modules_new(const char *text);
void modules_free(struct modules *m);
/*
 * Frees it, or another one: the next that is made of the same text, while the files are the same,
 * is this one, and knows what it has looked at. For who records one program again and again.
 */
void modules_keep(struct modules *m);

/* FILE:LINE:COLUMN:FUNCTION of the call that returns to pc; false if it is not known. */
bool modules_call(struct modules *m, uint64_t pc, char *text, size_t room);
/* The same, and behind it where its function was inlined, and so on; false: no more of them. */
typedef bool modules_frame(void *context, const char *text);
void modules_frames(struct modules *m, uint64_t pc, modules_frame *frame, void *context);
/* The function that it returns to, for people; false if it is not known. */
bool modules_function(struct modules *m, uint64_t pc, char *text, size_t room);
/* A name as C++ has it in the source. */
void modules_demangle(const char *name, char *text, size_t room);
/* Whether a source file is part of the system: its headers, those of C++. */
bool modules_is_system(const char *file);
/* The data symbol that holds the address, NULL if there is none. */
const struct data_symbol *modules_symbol(struct modules *m, uint64_t address);
/* All of them, by address. */
const struct data_symbol *modules_symbols(struct modules *m, size_t *n);

/* Whether the address lies in one of them. */
bool modules_have(struct modules *m, uint64_t address);

/* Whether the bytes at that address were these when the program began, or cannot be changed. */
bool modules_hold(struct modules *m, uint64_t address, const void *bytes, size_t n);

/*
 * Likewise, of a thread and its own memory of the program itself, so many bytes before where that
 * ends.
 */
bool modules_tls_hold(struct modules *m, uint64_t before, const void *bytes, size_t n);

/* Memory that nothing can change once the program runs. */
struct module_constant {
	uint64_t start, end;
	const char *bytes; /* as the file has them; NULL: the loader changed them first */
	bool code;
};

/* The one that holds the address; false: there is none. */
bool modules_constant(struct modules *m, uint64_t address, struct module_constant *found);

size_t modules_count(const struct modules *m);
const char *modules_path(const struct modules *m, size_t i);
/* NULL if it cannot be read. It stays the modules' own. */
struct Elf;
struct Elf *modules_elf(struct modules *m, size_t i);
/* The number of the module that has the function at this address, UINT32_MAX if none has it. */
uint32_t modules_at(struct modules *m, uint64_t function);
/* Path and build id (hex, "" if it has none) of the module with that number; false: no more. */
bool modules_build_id(struct modules *m, size_t i, const char **path, char *id, size_t room);

#endif
