/* Which events so far are reads, and of which thread: about a byte an event. */
#ifndef TRACE_READS_H
#define TRACE_READS_H

#include <stdbool.h>
#include <stdint.h>

struct reads;

struct reads *reads_new(void);
void reads_note(struct reads *r, uint64_t event, uint32_t thread);
bool reads_has(const struct reads *r, uint64_t event, uint32_t thread);
void reads_free(struct reads *r);

#endif
