/* SPDX-License-Identifier: MIT */
/*
 * What library functions do to the memory of the program, for the files of runtime/libc: they look
 * at it and change it through these functions alone, and work on copies of their own (`mine`:
 * memory that the program does not know, so that nothing of it has to be logged). Each access is
 * performed under the shard protocol (log.h) and logged with site 0 and `pc`, the address to which
 * the call of the library function returns. No malloc, no lock that the program could notice; errno
 * is kept.
 *
 * How much a function looks at may depend on what it sees: strlen ends at the NUL. It takes a
 * glance at a piece, decides, and then says how much of that it has seen; the rest was never
 * read, as far as the log is concerned. All that is between norn_look_begin and norn_look_end, when
 * handlers of signals wait and nothing else is logged.
 */
#ifndef RUNTIME_LIBC_RANGES_H
#define RUNTIME_LIBC_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_CALLER __builtin_return_address(0)

/* Whether this thread's accesses go to the log now. */
bool norn_ranges_on(void);

/* Reads n bytes; writes n bytes. Parts of a line are one access each. */
void norn_get(const void *pc, void *mine, const void *p, size_t n);
void norn_put(const void *pc, void *p, const void *mine, size_t n);

/* Reads a whole line, at a site; its position in the log. */
uint64_t norn_read_line(const void *p, uint32_t site);

/* Copies n bytes of the program's memory, like memmove. */
void norn_copied(const void *pc, void *to, const void *from, size_t n);

/* Logs n bytes as written, with what is there now: by the kernel or libc, on the program's behalf.
 */
void norn_filled(const void *pc, void *p, size_t n);
/* Likewise, where that is computed from the arguments alone. */
void norn_laid(const void *pc, void *p, size_t n);
/* Does act(p, n, advice), which makes zeros of n bytes if it is successful: these are written. What
 * it returns. */
int norn_clear(const void *pc, void *p, size_t n, int (*act)(void *, size_t, int), int advice);
/* What the function does next depends on everything that was read: a branch. */
void norn_decided(const void *pc);

/* As norn_get, of what decides what the function does next: LOG_STEPS. */
void norn_decide_by(const void *pc, void *mine, const void *p, size_t n);
/* What it does next is not seen in the log, but depends on that. */
void norn_goes_on(void);
/* The arguments in a va_list: where they are from, which is for the next that asks, and a branch on
 * that; NORN_ANY_READ: on all. */
#define NORN_ANY_READ UINT64_MAX
uint64_t norn_list(void);
void norn_decided_by(const void *pc, uint64_t position);

/*
 * What the function returns is computed from its arguments and from what it reads from here on, and
 * so is what it writes with norn_pass.
 */
void norn_gather(void);
void norn_pass(const void *pc, void *p, const void *mine, size_t n);
/* What __norn_printed has told, for the call that asks; as norn_pass, of what depends on that too.
 */
uint64_t norn_printed(void);
void norn_pass_printed(const void *pc, void *p, const void *mine, size_t n, uint64_t printed);
/* As norn_put, of the very bytes that were read last; they are within one line. */
void norn_pass_on(const void *pc, void *p, const void *mine, size_t n);
/* As norn_get; the position of what was read. */
uint64_t norn_get_position(const void *pc, void *mine, const void *p, size_t n);
/* As norn_put of the value at this position; 0: it depends on nothing. NORN_ANY_READ: as norn_put.
 */
void norn_put_from(const void *pc, void *p, const void *mine, size_t n, uint64_t position);
/* As norn_put, of what is computed from the arguments alone. */
void norn_lay(const void *pc, void *p, const void *mine, size_t n);

/* At most two glances and two saws, of n bytes at most at p, and at `also` if that is not NULL. */
void norn_look_begin(const void *pc, const void *p, const void *also, size_t n);
void norn_look_end(void);
/* Copies n bytes, all within one line, as they stood at one moment: at the version returned. */
uint32_t norn_glance(void *mine, const void *p, size_t n);
/* Logs the first n bytes of a glance as read; steps: see LOG_STEPS. */
void norn_saw(const void *pc, const void *p, const void *mine, size_t n, uint32_t version,
	      bool steps);

/* Before a call that may take long: LOG_TIME. */
void norn_long_call(void);

#endif
