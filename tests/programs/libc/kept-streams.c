/*
 * What streams keep: one thread writes data, then to a stream, or changes how it works; the other asks the stream for
 * that, and then reads the data. That is right. The twin is touched on both sides of it, and races.
 *
 * expect: race @before @behind
 * output: varies
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <wchar.h>

#include "ways.h"

static FILE *stream;
static char memory[16], *text;
static size_t length;

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static void lock_and(void (*act)(FILE *))
{
	flockfile(stream);
	act(stream);
	funlockfile(stream);
}

static void flush_lines(FILE *f)
{
	setvbuf(f, NULL, _IOLBF, 0);
}

static void put_text(FILE *f)
{
	fputs("text", f);
}

static int asked_locked(int (*ask)(FILE *))
{
	flockfile(stream);
	int r = ask(stream);
	funlockfile(stream);
	return r;
}

static size_t pending_locked(void)
{
	flockfile(stream);
	size_t n = __fpending(stream);
	funlockfile(stream);
	return n;
}

static void open_in_memory(void)
{
	stream = fmemopen(memory, sizeof memory, "w+");
	setvbuf(stream, NULL, _IONBF, 0);
}

static int can_be_read(void)
{
	char byte;
	clearerr(stream);
	return fread(&byte, 1, 1, stream) == 1;
}

WAY(wide, stream = tmpfile(), fwide(stream, 1), POLL(fwide(stream, 0) <= 0))
WAY(pending, stream = tmpfile(), fputs("x", stream), POLL(!pending_locked()))
WAY(lines, stream = tmpfile(), lock_and(flush_lines), POLL(!asked_locked(__flbf)))
WAY(writes, stream = tmpfile(), lock_and(put_text), POLL(!asked_locked(__fwriting)))
WAY(in_memory, open_in_memory(), fputs("x", stream), POLL(!ftell(stream)))
WAY(grows, stream = open_memstream(&text, &length), fputs("x", stream), POLL(!ftell(stream)))
WAY(opened_again, stream = tmpfile(), freopen("/dev/zero", "r", stream), POLL(!can_be_read()))

int main(void)
{
	RUN(wide);
	RUN(pending);
	RUN(lines);
	RUN(writes);
	RUN(in_memory);
	RUN(grows);
	RUN(opened_again);
	return seen == 0;
}
