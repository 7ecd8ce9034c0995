/* SPDX-License-Identifier: MIT */
/*
 * Streams over memory that the program gives (fmemopen). What the stream reads and writes there it
 * does when its own buffer is empty or full, flushed or closed; so libc has functions of ours for
 * that, which log it.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/modules.h"
#include "runtime/unseen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

struct file {
	const void *opened;
	char *memory;
	size_t room, length; /* length: how much of it is the file */
	size_t at;
	bool appends, own;
};

static _Unwind_Reason_Code find_call(struct _Unwind_Context *context, void *argument)
{
	const void *pc = (const void *)_Unwind_GetIP(context);
	if (!norn_step_site(pc) || norn_is_own_code(pc))
		return _URC_NO_REASON;
	*(const void **)argument = pc;
	return _URC_END_OF_STACK;
}

/* The call that the program makes, of whichever function; if code without hooks does, where the
 * stream was opened. */
static const void *call_in(const struct file *m)
{
	struct norn_self *me = &norn_self;
	const void *pc = m->opened;
	if (!norn_enter(me))
		return pc;
	_Unwind_Backtrace(find_call, &pc);
	norn_leave(me);
	return pc;
}

static ssize_t read_memory(void *context, char *to, size_t n)
{
	struct file *m = context;
	n = m->at < m->length ? norn_least(n, m->length - m->at) : 0;
	norn_get(call_in(m), to, m->memory + m->at, n);
	m->at += n;
	return (ssize_t)n;
}

static ssize_t write_memory(void *context, const char *from, size_t n)
{
	struct file *m = context;
	const void *pc = call_in(m);
	size_t at = m->appends ? m->length : m->at;
	bool ends = !n || from[n - 1];
	if (n > m->room || at > m->room - n) {
		if (m->at + ends >= m->room) {
			errno = ENOSPC;
			return 0;
		}
		n = m->room - at;
	}
	norn_put(pc, m->memory + at, from, n);
	m->at = at + n;
	if (m->at <= m->length)
		return (ssize_t)n;
	m->length = m->at;
	if (ends && m->length < m->room)
		norn_put(pc, m->memory + m->length, "", 1);
	else if (ends && !m->appends)
		norn_put(pc, m->memory + m->room - 1, "", 1);
	return (ssize_t)n;
}

static int seek_memory(void *context, off64_t *to, int whence)
{
	struct file *m = context;
	off64_t from = whence == SEEK_CUR   ? (off64_t)m->at
		       : whence == SEEK_END ? (off64_t)m->length
					    : 0;
	off64_t at = from + *to;
	if (whence < SEEK_SET || whence > SEEK_END || at < 0 || (size_t)at > m->room) {
		errno = EINVAL;
		return -1;
	}
	*to = at;
	m->at = (size_t)at;
	return 0;
}

static int close_memory(void *context)
{
	struct file *m = context;
	if (m->own)
		free(m->memory);
	free(m);
	return 0;
}

static void begin(struct file *m, const char *mode)
{
	bool truncates = mode[0] == 'w';
	m->appends = mode[0] == 'a';
	if (m->own)
		m->memory[0] = 0;
	else if (truncates && mode[1] == '+')
		norn_put(m->opened, m->memory, "", 1);
	if (!truncates)
		m->length = mode[0] == 'r' ? m->room
					   : norn_span(m->opened, m->memory, m->room, &norn_nul);
	m->at = m->appends ? m->length : 0;
}

FILE *__norn_fmemopen(void *memory, size_t room, const char *mode)
{
	static const cookie_io_functions_t functions = {read_memory, write_memory, seek_memory,
							close_memory};
	if ((uintptr_t)memory + room < room) {
		errno = EINVAL;
		return NULL;
	}
	struct file *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->opened = NORN_CALLER;
	m->room = room;
	m->own = !memory;
	m->memory = memory ? memory : malloc(room ? room : 1);
	if (m->memory) {
		norn_string(NORN_CALLER, mode);
		begin(m, mode);
	}
	FILE *f = m->memory ? fopencookie(m, mode, functions) : NULL;
	if (!f) {
		int error = errno;
		close_memory(m);
		errno = error;
	}
	return f;
}
