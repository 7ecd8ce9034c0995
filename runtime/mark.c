/* SPDX-License-Identifier: MIT */
/* Marks: events of the user's own, by norn.h or by a file of events (norn-events(5)). */
#define __NORN__
#include "runtime/norn.h"

#include <string.h>

#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"

/* Longer texts are cut. */
#define MARK_MOST ((NORN_ROOM - 4) * 8)

static void log_mark(const char *text, size_t length, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	unsigned words = (unsigned)((length + 7) / 8);
	uint64_t *at = me->at;
	at[1] = length;
	at[2] = (uintptr_t)pc;
	at[2 + words] = words ? 0 : at[2];
	memcpy(at + 3, text, length);
	norn_commit(me, at, LOG_WORD(LOG_MARK, norn_step_site(pc), 0), 3 + words);
	norn_leave(me);
}

static void mark(const char *text, size_t length, const void *pc)
{
	struct norn_step step = norn_begin_step(LOG_MARK, NULL, pc);
	log_mark(text, length, pc);
	norn_end_step(&step, true);
}

void norn_mark(const char *text)
{
	mark(text, strnlen(text, MARK_MOST), NORN_PC);
}

/* In decimal; how many characters. */
static size_t put_number(char *to, int64_t value)
{
	char digits[20];
	size_t n = 0, length = 0;
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		to[length++] = '-';
	while (n)
		to[length++] = digits[--n];
	return length;
}

void norn_event(const void *pc, const char *text, int64_t a, int64_t b, int64_t c, int64_t d,
		int64_t e, int64_t f)
{
	const int64_t numbers[] = {a, b, c, d, e, f};
	char filled[MARK_MOST];
	size_t n = 0, next = 0;
	for (; *text && n < sizeof(filled) - 21; text++)
		if (*text == '#' && next < sizeof(numbers) / sizeof(*numbers))
			n += put_number(filled + n, numbers[next++]);
		else
			filled[n++] = *text;
	mark(filled, n, pc);
}
