/* SPDX-License-Identifier: MIT */
/*
 * The printf family. libc formats; what it reads of the program's memory is logged before: the
 * format, and the strings that it names. It is libc that looks at those strings in the end, so if
 * another thread changes one just then, what is formatted differs from what the log says was read.
 * Output to memory goes through a buffer of ours.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum size { SIZE_INT, SIZE_CHAR, SIZE_SHORT, SIZE_LONG, SIZE_LONG_LONG, SIZE_LONG_DOUBLE };

struct conversion {
	enum size size;
	int precision; /* -1: none */
	char letter;   /* 0: the format ends here, or has what we do not know */
	bool star;     /* a width or precision is an argument */
};

static enum size parse_size(const char **f)
{
	enum size size = SIZE_INT;
	for (;; (*f)++)
		switch (**f) {
		case 'h': size = size == SIZE_SHORT ? SIZE_CHAR : SIZE_SHORT; break;
		case 'l': size = size == SIZE_LONG ? SIZE_LONG_LONG : SIZE_LONG; break;
		case 'q': size = SIZE_LONG_LONG; break;
		case 'L': size = SIZE_LONG_DOUBLE; break;
		case 'j':
		case 'z':
		case 'Z':
		case 't': size = SIZE_LONG; break;
		default: return size;
		}
}

struct arguments {
	va_list list;
};

/* A number in the format, or `*`: an int argument. */
static int parse_number(const char **f, struct arguments *a)
{
	int n = 0;
	if (**f == '*') {
		(*f)++;
		return va_arg(a->list, int);
	}
	for (; **f >= '0' && **f <= '9'; (*f)++)
		n = n < INT_MAX / 10 - 1 ? n * 10 + (**f - '0') : n;
	return n;
}

/* f stands behind the `%`. */
static struct conversion parse_conversion(const char **f, struct arguments *a)
{
	struct conversion c = {SIZE_INT, -1, 0, false};
	*f += strspn(*f, "#0- +'I");
	c.star = **f == '*';
	parse_number(f, a);
	if (**f == '$')
		return c; /* arguments by number */
	if (**f == '.') {
		(*f)++;
		c.star |= **f == '*';
		c.precision = parse_number(f, a);
	}
	c.size = parse_size(f);
	c.letter = **f;
	*f += c.letter != 0;
	return c;
}

static void read_string(const void *pc, const char *s, int precision)
{
	if (s)
		norn_span(pc, s, precision < 0 ? SIZE_MAX : (size_t)precision, &norn_nul);
}

/* Without a precision alone: how many bytes wide characters take is the locale's affair. */
static void read_wide(const void *pc, const wchar_t *s, int precision)
{
	wchar_t c = 1;
	if (precision >= 0)
		return;
	for (; s && c; s++)
		norn_decide_by(pc, &c, s, sizeof c);
}

static size_t count_size(enum size size)
{
	switch (size) {
	case SIZE_CHAR: return sizeof(char);
	case SIZE_SHORT: return sizeof(short);
	case SIZE_INT: return sizeof(int);
	default: return sizeof(long);
	}
}

/* What conversions with %n wrote; libc has written it already. */
struct counts {
	void *to[8];
	size_t size[8];
	int n;
};

/* Takes the conversion's argument. false: it cannot be known what comes next. */
static bool take(const void *pc, struct conversion c, struct arguments *a, struct counts *counts)
{
	switch (c.letter) {
	case '%':
	case 'm': return true;
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		if (c.size >= SIZE_LONG)
			(void)va_arg(a->list, long);
		else
			(void)va_arg(a->list, int);
		return true;
	case 'c':
	case 'C': (void)va_arg(a->list, int); return true;
	case 'p': (void)va_arg(a->list, void *); return true;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		if (c.size == SIZE_LONG_DOUBLE || c.size == SIZE_LONG_LONG)
			(void)va_arg(a->list, long double);
		else
			(void)va_arg(a->list, double);
		return true;
	case 's':
		if (c.size == SIZE_LONG)
			read_wide(pc, va_arg(a->list, const wchar_t *), c.precision);
		else
			read_string(pc, va_arg(a->list, const char *), c.precision);
		return true;
	case 'S': read_wide(pc, va_arg(a->list, const wchar_t *), c.precision); return true;
	case 'n':
		if (counts->n < 8) {
			counts->to[counts->n] = va_arg(a->list, void *);
			counts->size[counts->n++] = count_size(c.size);
		} else {
			(void)va_arg(a->list, void *);
		}
		return true;
	default: return false;
	}
}

/* A call: its format as a copy of ours, what is to be done when libc is through. */
struct print {
	struct norn_scratch ours;
	const char *format;
	struct counts counts;
	bool numbers;  /* how long the text is depends on arguments that are no strings */
	bool known;    /* it depends on the arguments alone, and on what is read */
	uint64_t from; /* norn_list, or 0: a branch before the call depends on what decides */
};

/* Once is enough. */
static void print_depends(const void *pc, struct print *p)
{
	norn_decided_by(pc, p->from);
	p->from = 0;
}

static void print_begin(const void *pc, struct print *p, const char *format, va_list list,
			uint64_t from)
{
	struct arguments a;
	size_t n;
	norn_scratch_init(&p->ours);
	p->format = norn_copy_of(pc, format, SIZE_MAX, &norn_nul, &p->ours, &n);
	p->counts.n = 0;
	p->numbers = false;
	p->known = true;
	p->from = from;
	va_copy(a.list, list);
	for (const char *f = p->format; (f = strchr(f, '%'));) {
		f++;
		struct conversion c = parse_conversion(&f, &a);
		p->numbers |= c.star || !c.letter || !strchr("%msSn", c.letter);
		if (p->from && c.letter && strchr("sSn", c.letter))
			print_depends(pc, p);
		p->known &= c.letter && c.letter != 'm';
		if (!take(pc, c, &a, &p->counts)) {
			p->known = false;
			break;
		}
	}
	va_end(a.list);
}

/* How much memory is written depends on what was read, and on numbers. */
static void print_decides(const void *pc, struct print *p)
{
	if (!p->known)
		norn_decided(pc);
	if (p->numbers && p->from)
		print_depends(pc, p);
	norn_goes_on();
}

static void print_end(const void *pc, struct print *p)
{
	int error = errno;
	for (int i = 0; i < p->counts.n; i++)
		norn_filled(pc, p->counts.to[i], p->counts.size[i]);
	norn_scratch_release(&p->ours);
	errno = error;
}

/*
 * A format with %n has to be where the program has it: with _FORTIFY_SOURCE libc wants it in
 * memory that cannot be written.
 */
static int print_file(const void *pc, FILE *f, int checked, const char *format, va_list list,
		      uint64_t from)
{
	struct print p;
	print_begin(pc, &p, format, list, from);
	if (p.counts.n)
		p.format = format;
	struct norn_channel *channel = norn_announce_file(f);
	norn_long_call();
	int r = checked > 0 ? __vfprintf_chk(f, checked, p.format, list)
			    : vfprintf(f, p.format, list);
	norn_announced(channel);
	print_end(pc, &p);
	return r;
}

static int print_fd(const void *pc, int fd, int checked, const char *format, va_list list,
		    uint64_t from)
{
	struct print p;
	print_begin(pc, &p, format, list, from);
	if (p.counts.n)
		p.format = format;
	struct norn_channel *channel = norn_announce(fd);
	norn_writes(fd, BUFSIZ);
	norn_offset_moves(fd);
	norn_long_call();
	int r = checked > 0 ? __vdprintf_chk(fd, checked, p.format, list)
			    : vdprintf(fd, p.format, list);
	norn_announced(channel);
	norn_wrote(fd, r >= 0);
	print_end(pc, &p);
	return r;
}

/*
 * At most `size` bytes with the NUL. Without memory libc writes to the program's own, and what it
 * wrote is logged afterwards. `room` and `checked` are those of _FORTIFY_SOURCE.
 */
static int print_memory(const void *pc, char *to, size_t size, int checked, size_t room,
			const char *format, va_list list, uint64_t from)
{
	struct print p;
	struct norn_scratch out;
	va_list again;
	if (room < size && size != SIZE_MAX)
		__chk_fail();
	uint64_t printed = norn_printed();
	norn_gather();
	print_begin(pc, &p, format, list, from);
	if (p.counts.n)
		p.format = format;
	print_decides(pc, &p);
	norn_scratch_init(&out);
	va_copy(again, list);
	int r = checked > 0 ? __vsnprintf_chk(out.data, out.size, checked, SIZE_MAX, p.format, list)
			    : vsnprintf(out.data, out.size, p.format, list);
	size_t length = norn_least(r < 0 ? 0 : (size_t)r + 1, size);
	if (length > room)
		__chk_fail();
	if (length <= out.size || norn_scratch_grow(&out, length)) {
		if (length > sizeof out.small)
			r = vsnprintf(out.data, length, p.format, again);
		if (length)
			out.data[length - 1] = 0;
		norn_pass_printed(pc, to, out.data, length, printed);
	} else {
		vsnprintf(to, length, p.format, again);
		norn_filled(pc, to, length);
	}
	va_end(again);
	norn_scratch_release(&out);
	print_end(pc, &p);
	return r;
}

/* libc allocates, through the program's malloc; nobody else knows that memory yet. */
static int print_new(const void *pc, char **to, int checked, const char *format, va_list list,
		     uint64_t from)
{
	struct print p;
	char *text = NULL;
	norn_gather();
	print_begin(pc, &p, format, list, from);
	if (p.counts.n)
		p.format = format;
	print_decides(pc, &p);
	int r = checked > 0 ? __vasprintf_chk(&text, checked, p.format, list)
			    : vasprintf(&text, p.format, list);
	if (r >= 0)
		norn_pass(pc, text, text, (size_t)r + 1);
	norn_lay(pc, to, &text, sizeof text);
	print_end(pc, &p);
	return r;
}

#define VARIADIC(call)          \
	va_list list;           \
	va_start(list, format); \
	int r = call;           \
	va_end(list);           \
	return r

int __norn_printf(const char *format, ...)
{
	VARIADIC(print_file(NORN_CALLER, stdout, 0, format, list, 0));
}

int __norn_fprintf(FILE *f, const char *format, ...)
{
	VARIADIC(print_file(NORN_CALLER, f, 0, format, list, 0));
}

int __norn_dprintf(int fd, const char *format, ...)
{
	VARIADIC(print_fd(NORN_CALLER, fd, 0, format, list, 0));
}

int __norn_sprintf(char *to, const char *format, ...)
{
	VARIADIC(print_memory(NORN_CALLER, to, SIZE_MAX, 0, SIZE_MAX, format, list, 0));
}

int __norn_snprintf(char *to, size_t size, const char *format, ...)
{
	VARIADIC(print_memory(NORN_CALLER, to, size, 0, SIZE_MAX, format, list, 0));
}

int __norn_asprintf(char **to, const char *format, ...)
{
	VARIADIC(print_new(NORN_CALLER, to, 0, format, list, 0));
}

int __norn_vprintf(const char *format, va_list list)
{
	return print_file(NORN_CALLER, stdout, 0, format, list, norn_list());
}

int __norn_vfprintf(FILE *f, const char *format, va_list list)
{
	return print_file(NORN_CALLER, f, 0, format, list, norn_list());
}

int __norn_vdprintf(int fd, const char *format, va_list list)
{
	return print_fd(NORN_CALLER, fd, 0, format, list, norn_list());
}

int __norn_vsprintf(char *to, const char *format, va_list list)
{
	return print_memory(NORN_CALLER, to, SIZE_MAX, 0, SIZE_MAX, format, list, norn_list());
}

int __norn_vsnprintf(char *to, size_t size, const char *format, va_list list)
{
	return print_memory(NORN_CALLER, to, size, 0, SIZE_MAX, format, list, norn_list());
}

int __norn_vasprintf(char **to, const char *format, va_list list)
{
	return print_new(NORN_CALLER, to, 0, format, list, norn_list());
}

int __norn___printf_chk(int flag, const char *format, ...)
{
	VARIADIC(print_file(NORN_CALLER, stdout, flag, format, list, 0));
}

int __norn___fprintf_chk(FILE *f, int flag, const char *format, ...)
{
	VARIADIC(print_file(NORN_CALLER, f, flag, format, list, 0));
}

int __norn___dprintf_chk(int fd, int flag, const char *format, ...)
{
	VARIADIC(print_fd(NORN_CALLER, fd, flag, format, list, 0));
}

int __norn___sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
	VARIADIC(print_memory(NORN_CALLER, to, SIZE_MAX, flag, room, format, list, 0));
}

int __norn___snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...)
{
	VARIADIC(print_memory(NORN_CALLER, to, size, flag, room, format, list, 0));
}

int __norn___asprintf_chk(char **to, int flag, const char *format, ...)
{
	VARIADIC(print_new(NORN_CALLER, to, flag, format, list, 0));
}

int __norn___vprintf_chk(int flag, const char *format, va_list list)
{
	return print_file(NORN_CALLER, stdout, flag, format, list, norn_list());
}

int __norn___vfprintf_chk(FILE *f, int flag, const char *format, va_list list)
{
	return print_file(NORN_CALLER, f, flag, format, list, norn_list());
}

int __norn___vdprintf_chk(int fd, int flag, const char *format, va_list list)
{
	return print_fd(NORN_CALLER, fd, flag, format, list, norn_list());
}

int __norn___vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list list)
{
	return print_memory(NORN_CALLER, to, SIZE_MAX, flag, room, format, list, norn_list());
}

int __norn___vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format,
			   va_list list)
{
	return print_memory(NORN_CALLER, to, size, flag, room, format, list, norn_list());
}

int __norn___vasprintf_chk(char **to, int flag, const char *format, va_list list)
{
	return print_new(NORN_CALLER, to, flag, format, list, norn_list());
}
