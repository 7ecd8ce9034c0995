/* SPDX-License-Identifier: MIT */
/*
 * The scanf family. libc scans: a copy of the string, or the stream. It writes to the program's
 * memory itself, since nobody knows before how much that will be, and what it wrote is logged
 * afterwards; which that is, the format tells. A thread that reads in between sees a
 * change from outside.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define TARGETS 64

enum target_kind { TARGET_BYTES, TARGET_STRING, TARGET_WIDE, TARGET_NEW, TARGET_NEW_WIDE };

struct target {
	void *to;
	size_t size; /* of TARGET_BYTES */
	enum target_kind kind;
	bool count;   /* %n: does not count as assigned */
	uint64_t old; /* of %n: what was there */
};

struct scan {
	struct target targets[TARGETS];
	int n;
};

struct spec {
	bool skip, new, wide;
	size_t size;  /* of an integer or a real number: by its length modifier */
	size_t width; /* 0: none */
};

static size_t integer_size(const char *modifier, size_t n)
{
	if (!n)
		return sizeof(int);
	if (*modifier == 'h')
		return n == 1 ? sizeof(short) : sizeof(char);
	return sizeof(long);
}

static size_t real_size(const char *modifier, size_t n)
{
	if (!n)
		return sizeof(float);
	return *modifier == 'L' || n == 2 ? sizeof(long double) : sizeof(double);
}

/* From `[` to behind its `]`. */
static const char *skip_brackets(const char *f)
{
	f++;
	f += *f == '^';
	f += *f == ']';
	while (*f && *f != ']')
		f++;
	return f + (*f == ']');
}

/* What a conversion writes. false: not known. */
static bool set_target(struct target *t, char letter, const char *modifier, size_t n,
		       struct spec spec)
{
	t->count = letter == 'n';
	switch (letter) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
	case 'n':
		t->kind = TARGET_BYTES;
		t->size = integer_size(modifier, n);
		return true;
	case 'p':
		t->kind = TARGET_BYTES;
		t->size = sizeof(void *);
		return true;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		t->kind = TARGET_BYTES;
		t->size = real_size(modifier, n);
		return true;
	case 'c':
	case 'C':
		if (spec.new)
			return false;
		t->kind = TARGET_BYTES;
		t->size = (spec.width ? spec.width : 1) * (spec.wide ? sizeof(wchar_t) : 1);
		return true;
	case 's':
	case 'S':
	case '[':
		t->kind = spec.new ? (spec.wide ? TARGET_NEW_WIDE : TARGET_NEW)
				   : (spec.wide ? TARGET_WIDE : TARGET_STRING);
		return true;
	default: return false;
	}
}

/* One conversion, f behind its `%`; returns where the format goes on, NULL if that is not known. */
static const char *parse(const char *f, struct scan *s, va_list *list)
{
	struct spec spec = {0};
	const char *modifier;
	size_t n;
	if (*f == '%')
		return f + 1;
	spec.skip = *f == '*';
	f += spec.skip;
	f += strspn(f, "'I");
	for (; *f >= '0' && *f <= '9'; f++)
		spec.width = spec.width * 10 + (size_t)(*f - '0');
	if (*f == '$')
		return NULL;
	spec.new = *f == 'm';
	f += spec.new;
	modifier = f;
	n = strspn(f, "hljztLq");
	f += n;
	spec.wide = *f == 'S' || *f == 'C' || (n && *modifier == 'l');
	if (!spec.skip) {
		if (s->n == TARGETS || !set_target(&s->targets[s->n], *f, modifier, n, spec))
			return NULL;
		struct target *t = &s->targets[s->n++];
		t->to = va_arg(*list, void *);
		if (t->count)
			memcpy(&t->old, t->to, t->size);
	}
	return *f == '[' ? skip_brackets(f) : f + (*f != 0);
}

static void parse_format(struct scan *s, const char *f, va_list list)
{
	va_list rest;
	s->n = 0;
	va_copy(rest, list);
	while (f && (f = strchr(f, '%')))
		f = parse(f + 1, s, &rest);
	va_end(rest);
}

typedef void log_bytes(const void *pc, void *p, size_t n);

static void log_target(const void *pc, const struct target *t, log_bytes *log)
{
	void *p = t->to;
	switch (t->kind) {
	case TARGET_BYTES: log(pc, p, t->size); break;
	case TARGET_STRING: log(pc, p, strlen(p) + 1); break;
	case TARGET_WIDE: log(pc, p, (wcslen(p) + 1) * sizeof(wchar_t)); break;
	case TARGET_NEW:
	case TARGET_NEW_WIDE:
		log(pc, p, sizeof p);
		memcpy(&p, t->to, sizeof p);
		log(pc, p,
		    t->kind == TARGET_NEW ? strlen(p) + 1 : (wcslen(p) + 1) * sizeof(wchar_t));
		break;
	}
}

/* `assigned` conversions were; a %n behind the last of them was reached if it shows. */
static void log_targets(const void *pc, const struct scan *s, int assigned, log_bytes *log)
{
	for (int i = 0; i < s->n; i++) {
		const struct target *t = &s->targets[i];
		if (!t->count && assigned-- <= 0)
			return;
		if (!t->count || assigned > 0 || memcmp(&t->old, t->to, t->size))
			log_target(pc, t, log);
	}
}

typedef int scan_stream(FILE *, const char *, va_list);
typedef int scan_memory(const char *, const char *, va_list);

static void unlock(void *f)
{
	funlockfile(f);
}

/* From outside: what comes in one piece, such as a line that was typed. */
static void fill_first(FILE *f)
{
	if (!norn_stream_is_outside(f))
		return;
	flockfile(f);
	pthread_cleanup_push(unlock, f);
	norn_stream_fill(f);
	pthread_cleanup_pop(1);
}

static int scan_file(const void *pc, FILE *f, const char *format, va_list list, scan_stream *libc)
{
	struct scan s;
	struct norn_scratch ours;
	size_t n;
	norn_scratch_init(&ours);
	format = norn_copy_of(pc, format, SIZE_MAX, &norn_nul, &ours, &n);
	parse_format(&s, format, list);
	norn_looks_file(f);
	norn_long_call();
	fill_first(f);
	int r = libc(f, format, list), error = errno;
	norn_noticed_file(f);
	log_targets(pc, &s, r, norn_filled);
	norn_scratch_release(&ours);
	errno = error;
	return r;
}

static int scan_string(const void *pc, const char *text, const char *format, va_list list,
		       scan_memory *libc)
{
	struct scan s;
	struct norn_scratch ours[2];
	size_t n;
	norn_scratch_init(&ours[0]);
	norn_scratch_init(&ours[1]);
	format = norn_copy_of(pc, format, SIZE_MAX, &norn_nul, &ours[0], &n);
	text = norn_copy_of(pc, text, SIZE_MAX, &norn_nul, &ours[1], &n);
	/* another text, and other variables may get something: it stays as it is, so the rest does
	 */
	norn_goes_on();
	parse_format(&s, format, list);
	int r = libc(text, format, list), error = errno;
	log_targets(pc, &s, r, norn_laid);
	norn_scratch_release(&ours[0]);
	norn_scratch_release(&ours[1]);
	errno = error;
	return r;
}

#define VARIADIC(call)          \
	va_list list;           \
	va_start(list, format); \
	int r = call;           \
	va_end(list);           \
	return r

/* The headers send one name to the other; here both are wanted. */
#define SCANS(prefix)                                                                              \
	scan_stream norn_libc_##prefix##vfscanf __asm__(#prefix "vfscanf");                        \
	scan_memory norn_libc_##prefix##vsscanf __asm__(#prefix "vsscanf");                        \
	int __norn_##prefix##scanf(const char *format, ...)                                        \
	{                                                                                          \
		VARIADIC(                                                                          \
			scan_file(NORN_CALLER, stdin, format, list, norn_libc_##prefix##vfscanf)); \
	}                                                                                          \
	int __norn_##prefix##fscanf(FILE *f, const char *format, ...)                              \
	{                                                                                          \
		VARIADIC(scan_file(NORN_CALLER, f, format, list, norn_libc_##prefix##vfscanf));    \
	}                                                                                          \
	int __norn_##prefix##sscanf(const char *text, const char *format, ...)                     \
	{                                                                                          \
		VARIADIC(scan_string(NORN_CALLER, text, format, list,                              \
				     norn_libc_##prefix##vsscanf));                                \
	}                                                                                          \
	int __norn_##prefix##vscanf(const char *format, va_list list)                              \
	{                                                                                          \
		return scan_file(NORN_CALLER, stdin, format, list, norn_libc_##prefix##vfscanf);   \
	}                                                                                          \
	int __norn_##prefix##vfscanf(FILE *f, const char *format, va_list list)                    \
	{                                                                                          \
		return scan_file(NORN_CALLER, f, format, list, norn_libc_##prefix##vfscanf);       \
	}                                                                                          \
	int __norn_##prefix##vsscanf(const char *text, const char *format, va_list list)           \
	{                                                                                          \
		return scan_string(NORN_CALLER, text, format, list, norn_libc_##prefix##vsscanf);  \
	}
SCANS()
SCANS(__isoc99_)
