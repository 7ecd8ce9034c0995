/* SPDX-License-Identifier: MIT */
/* Streams (counted.h). */
#ifndef NORN_STATIC

/* <stdio.h> defines some of them, for callers. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/counted.h"
#include "runtime/memstream.h"

#include <stdarg.h>
#include <string.h>

#undef fread_unlocked
#undef fwrite_unlocked

/* Of `n` bytes that stay in the stream nobody else learns for now; SIZE_MAX: it is not known. */
#define PUTS(type, name, parameters, arguments, f, n)                                    \
	WEAK type name parameters                                                        \
	{                                                                                \
		struct norn_channel *channel = COUNTS ? norn_writes_stream(f, n) : NULL; \
		type r = NORN_REAL(name) arguments;                                      \
		norn_announced(channel);                                                 \
		return r;                                                                \
	}
PUTS(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f, size *n)
PUTS(size_t, fwrite_unlocked, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f,
     size *n)
PUTS(int, fputs, (const char *s, FILE *f), (s, f), f, strlen(s))
PUTS(int, fputs_unlocked, (const char *s, FILE *f), (s, f), f, strlen(s))
PUTS(int, puts, (const char *s), (s), stdout, strlen(s) + 1)
PUTS(int, fputc, (int c, FILE *f), (c, f), f, 1)
PUTS(int, putc, (int c, FILE *f), (c, f), f, 1)
PUTS(int, putchar, (int c), (c), stdout, 1)
PUTS(int, __overflow, (FILE * f, int c), (f, c), f, SIZE_MAX)
PUTS(int, vfprintf, (FILE * f, const char *format, va_list list), (f, format, list), f, SIZE_MAX)
PUTS(int, vprintf, (const char *format, va_list list), (format, list), stdout, SIZE_MAX)
PUTS(int, __vfprintf_chk, (FILE * f, int flag, const char *format, va_list list),
     (f, flag, format, list), f, SIZE_MAX)
PUTS(int, __vprintf_chk, (int flag, const char *format, va_list list), (flag, format, list), stdout,
     SIZE_MAX)
PUTS(int, fseek, (FILE * f, long at, int whence), (f, at, whence), f, SIZE_MAX)
PUTS(int, fseeko, (FILE * f, off_t at, int whence), (f, at, whence), f, SIZE_MAX)
PUTS(int, fseeko64, (FILE * f, off64_t at, int whence), (f, at, whence), f, SIZE_MAX)

WEAK int fflush(FILE *f)
{
	bool noted = f && COUNTS;
	struct norn_channel *channel = noted ? norn_writes_stream(f, SIZE_MAX) : NULL;
	struct memory *memory = noted ? norn_memory_of(f) : NULL;
	int r = NORN_REAL(fflush)(f);
	norn_announced(channel);
	norn_memory_told(NULL, memory);
	return r;
}

WEAK int fclose(FILE *f)
{
	bool noted = COUNTS;
	struct norn_channel *channel = noted ? norn_writes_stream(f, SIZE_MAX) : NULL;
	struct memory *memory = noted ? norn_memory_closes(f) : NULL;
	int r = NORN_REAL(fclose)(f);
	norn_announced(channel);
	norn_memory_closed(NULL, memory);
	return r;
}

/* Lists of arguments. */
#define PRINTS(name, parameters, last, f, call)                                                 \
	WEAK int name parameters                                                                \
	{                                                                                       \
		struct norn_channel *channel = COUNTS ? norn_writes_stream(f, SIZE_MAX) : NULL; \
		va_list list;                                                                   \
		va_start(list, last);                                                           \
		int r = call;                                                                   \
		va_end(list);                                                                   \
		norn_announced(channel);                                                        \
		return r;                                                                       \
	}
PRINTS(fprintf, (FILE * f, const char *format, ...), format, f,
       NORN_REAL(vfprintf)(f, format, list))
PRINTS(printf, (const char *format, ...), format, stdout, NORN_REAL(vprintf)(format, list))
PRINTS(__fprintf_chk, (FILE * f, int flag, const char *format, ...), format, f,
       NORN_REAL(__vfprintf_chk)(f, flag, format, list))
PRINTS(__printf_chk, (int flag, const char *format, ...), format, stdout,
       NORN_REAL(__vprintf_chk)(flag, format, list))

#define GETS(type, name, parameters, arguments, f) \
	AROUND(type, name, parameters, arguments, norn_looks_file(f), norn_noticed_file(f))
GETS(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f)
GETS(size_t, fread_unlocked, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f)
GETS(char *, fgets, (char *p, int n, FILE *f), (p, n, f), f)
GETS(int, fgetc, (FILE * f), (f), f)
GETS(int, getc, (FILE * f), (f), f)
GETS(int, getchar, (void), (), stdin)
GETS(int, __uflow, (FILE * f), (f), f)
GETS(int, ungetc, (int c, FILE *f), (c, f), f)
GETS(ssize_t, getline, (char **p, size_t *n, FILE *f), (p, n, f), f)
GETS(ssize_t, getdelim, (char **p, size_t *n, int end, FILE *f), (p, n, end, f), f)
GETS(ssize_t, __getdelim, (char **p, size_t *n, int end, FILE *f), (p, n, end, f), f)
GETS(int, __isoc99_vfscanf, (FILE * f, const char *format, va_list list), (f, format, list), f)

#define SCANS(name, parameters, f, call)      \
	WEAK int name parameters              \
	{                                     \
		bool noted = COUNTS;          \
		va_list list;                 \
		if (noted)                    \
			norn_looks_file(f);   \
		va_start(list, format);       \
		int r = call;                 \
		va_end(list);                 \
		if (noted)                    \
			norn_noticed_file(f); \
		return r;                     \
	}
SCANS(__isoc99_fscanf, (FILE * f, const char *format, ...), f,
      NORN_REAL(__isoc99_vfscanf)(f, format, list))

#endif
