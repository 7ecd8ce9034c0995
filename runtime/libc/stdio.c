/* SPDX-License-Identifier: MIT */
/* Streams: what they put into, and take from, the program's memory. */
#include "runtime/libc/libc.h"
#include "runtime/memstream.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

/* Whether the buffer has so many bytes, or has them up to a byte that ends them. */
static bool holds(const FILE *f, size_t n, int last)
{
	size_t size = f->_IO_read_ptr < f->_IO_read_end ? norn_stream_holds(f) : 0;
	return size >= n || (last >= 0 && size && memchr(f->_IO_read_ptr, last, size));
}

/* If not, the kernel is asked, and others may see that the file is at its end before this thread
 * does. */
static void before_reading(FILE *f, bool held)
{
	if (!held) {
		norn_looks_file(f);
		norn_took_buffered(f);
	}
	norn_long_call();
}

static void after_reading(FILE *f, bool held)
{
	if (held)
		norn_took_buffered(f);
	else
		norn_noticed_file(f);
}

/* glibc's: each line, or each call, goes to the kernel at once. */
#define GOES_ON (0x200 | 0x2)

/* Whether n bytes more stay in the stream. */
static bool fits(const FILE *f, size_t n)
{
	return !(f->_flags & GOES_ON) && f->_IO_write_ptr < f->_IO_write_end &&
	       (size_t)(f->_IO_write_end - f->_IO_write_ptr) > n;
}

struct norn_channel *norn_writes_stream(FILE *f, size_t n)
{
	if (!fits(f, n))
		return norn_announce_file(f);
	norn_announce_buffered(f);
	return NULL;
}

static struct norn_channel *before_writing(FILE *f, size_t n)
{
	bool stays = fits(f, n);
	struct norn_channel *channel = norn_writes_stream(f, n);
	if (stays)
		return NULL;
	norn_writes_file(f, n < SIZE_MAX ? n : 0);
	norn_long_call();
	return channel;
}

/* If the buffer is empty now, the kernel has what was in it. */
static void wrote(FILE *f, struct norn_channel *channel)
{
	norn_announced(channel);
	if (f->_IO_write_ptr == f->_IO_write_base)
		norn_wrote_file(f);
}

static int after_writing(FILE *f, struct norn_channel *channel, int r)
{
	wrote(f, channel);
	return r;
}

/* A thread that is cancelled while it reads has to leave the stream to the others. */
static void unlock(void *f)
{
	if (f)
		funlockfile(f);
}

/* In pieces. */
static size_t read_bytes(const void *pc, char *to, size_t total, FILE *f)
{
	char chunk[1024];
	size_t n, done = 0, got;
	bool outside = norn_stream_is_outside(f);
	do {
		n = norn_least(total - done, sizeof chunk);
		if (outside && n)
			n = norn_stream_fill(f) ? norn_least(n, norn_stream_holds(f)) : 0;
		bool held = holds(f, n, -1);
		got = n ? fread_unlocked(chunk, 1, n, f) : 0;
		after_reading(f, held);
		norn_put(pc, to + done, chunk, got);
		done += got;
	} while (n && got == n);
	return done;
}

/* With the stream locked all the while; as libc counts: whole items. */
static size_t read_items(const void *pc, void *to, size_t size, size_t count, FILE *f, bool lock)
{
	size_t total, done;
	if (__builtin_mul_overflow(size, count, &total))
		return fread(to, size, count, f);
	before_reading(f, holds(f, total, -1));
	if (lock)
		flockfile(f);
	pthread_cleanup_push(unlock, lock ? f : NULL);
	done = read_bytes(pc, to, total, f);
	pthread_cleanup_pop(1);
	return done == total ? (size ? count : 0) : done / size;
}

size_t __norn_fread(void *to, size_t size, size_t count, FILE *f)
{
	return read_items(NORN_CALLER, to, size, count, f, true);
}

size_t __norn_fread_unlocked(void *to, size_t size, size_t count, FILE *f)
{
	return read_items(NORN_CALLER, to, size, count, f, false);
}

size_t __norn___fread_chk(void *to, size_t room, size_t size, size_t count, FILE *f)
{
	size_t n;
	if (__builtin_mul_overflow(size, count, &n) || n > room)
		__chk_fail();
	return read_items(NORN_CALLER, to, size, count, f, true);
}

size_t __norn___fread_unlocked_chk(void *to, size_t room, size_t size, size_t count, FILE *f)
{
	size_t n;
	if (__builtin_mul_overflow(size, count, &n) || n > room)
		__chk_fail();
	return read_items(NORN_CALLER, to, size, count, f, false);
}

size_t __norn_fwrite(const void *from, size_t size, size_t count, FILE *f)
{
	norn_see(NORN_CALLER, from, size * count);
	struct norn_channel *channel = before_writing(f, size * count);
	size_t r = fwrite(from, size, count, f);
	wrote(f, channel);
	return r;
}

size_t __norn_fwrite_unlocked(const void *from, size_t size, size_t count, FILE *f)
{
	norn_see(NORN_CALLER, from, size * count);
	struct norn_channel *channel = before_writing(f, size * count);
	size_t r = fwrite_unlocked(from, size, count, f);
	wrote(f, channel);
	return r;
}

/*
 * How long the line is that fgets has put into a buffer which was full of newlines. Lines may
 * have NULs in them; but a newline of the line has its NUL behind it, one of ours does not.
 */
static size_t line_length(const char *buffer, size_t n)
{
	const char *newline = memchr(buffer, '\n', n);
	if (!newline)
		return n - 1;
	size_t at = (size_t)(newline - buffer);
	return at + 1 < n && !newline[1] ? at + 1 : at - 1;
}

/* In pieces; as fgets, with the stream locked. */
static char *read_pieces(const void *pc, char *to, size_t n, FILE *f)
{
	char chunk[1024];
	size_t done = 0;
	bool whole = false, failed = false, outside = norn_stream_is_outside(f);
	while (!whole && n - done > 1) {
		size_t size = norn_least(n - done, sizeof chunk), length;
		if (outside && !norn_stream_fill(f)) {
			failed = !done || ferror_unlocked(f);
			break;
		}
		if (outside)
			size = norn_least(size, norn_stream_holds(f) + 1);
		memset(chunk, '\n', size);
		bool held = holds(f, size - 1, '\n');
		bool got = fgets_unlocked(chunk, (int)size, f);
		after_reading(f, held);
		if (!got) {
			failed = !done || ferror_unlocked(f);
			break;
		}
		length = line_length(chunk, size);
		norn_put(pc, to + done, chunk, length);
		done += length;
		whole = length < size - 1 || chunk[length - 1] == '\n';
	}
	if (failed)
		return NULL;
	norn_put(pc, to + done, "", 1);
	return to;
}

static char *read_line(const void *pc, char *to, int n, FILE *f, bool lock)
{
	if (n <= 0)
		return NULL;
	before_reading(f, holds(f, (size_t)n - 1, '\n'));
	char *result;
	if (lock)
		flockfile(f);
	pthread_cleanup_push(unlock, lock ? f : NULL);
	result = read_pieces(pc, to, (size_t)n, f);
	pthread_cleanup_pop(1);
	return result;
}

char *__norn_fgets(char *to, int n, FILE *f)
{
	return read_line(NORN_CALLER, to, n, f, true);
}

char *__norn_fgets_unlocked(char *to, int n, FILE *f)
{
	return read_line(NORN_CALLER, to, n, f, false);
}

char *__norn___fgets_chk(char *to, size_t room, int n, FILE *f)
{
	if (n > 0 && (size_t)n > room)
		__chk_fail();
	return read_line(NORN_CALLER, to, n, f, true);
}

char *__norn___fgets_unlocked_chk(char *to, size_t room, int n, FILE *f)
{
	if (n > 0 && (size_t)n > room)
		__chk_fail();
	return read_line(NORN_CALLER, to, n, f, false);
}

/* What is written leaves the program: nothing more depends on it. */
static size_t text_length(const void *pc, const char *s)
{
	return norn_span(pc, s, SIZE_MAX, &norn_nul);
}

int __norn_fputs(const char *s, FILE *f)
{
	struct norn_channel *channel = before_writing(f, text_length(NORN_CALLER, s));
	return after_writing(f, channel, fputs(s, f));
}

int __norn_fputs_unlocked(const char *s, FILE *f)
{
	struct norn_channel *channel = before_writing(f, text_length(NORN_CALLER, s));
	return after_writing(f, channel, fputs_unlocked(s, f));
}

int __norn_puts(const char *s)
{
	struct norn_channel *channel = before_writing(stdout, text_length(NORN_CALLER, s) + 1);
	return after_writing(stdout, channel, puts(s));
}

void __norn_perror(const char *s)
{
	norn_string(NORN_CALLER, s);
	struct norn_channel *channel = before_writing(stderr, SIZE_MAX);
	perror(s);
	norn_announced(channel);
}

/* As getdelim does, from a stream that is outside. */
#define LINE_LEAST 120
static bool make_room(char **line, size_t *room, size_t need)
{
	if (*line && *room >= need)
		return true;
	size_t more = need < 2 * *room ? 2 * *room : need;
	char *moved = realloc(*line, more);
	if (!moved)
		return false;
	*line = moved;
	*room = more;
	return true;
}

static ssize_t line_from_outside(char **line, size_t *room, int delimiter, FILE *f)
{
	size_t n = 0;
	bool whole = false;
	if (!*room && !make_room(line, room, LINE_LEAST))
		return -1;
	while (!whole && norn_stream_fill(f)) {
		size_t size = norn_stream_holds(f);
		const char *end = memchr(f->_IO_read_ptr, delimiter, size);
		whole = end;
		if (end)
			size = (size_t)(end - f->_IO_read_ptr) + 1;
		if (!make_room(line, room, n + size + 1))
			return -1;
		memcpy(*line + n, f->_IO_read_ptr, size);
		f->_IO_read_ptr += size;
		n += size;
		(*line)[n] = 0;
	}
	return n && !ferror_unlocked(f) ? (ssize_t)n : -1;
}

static ssize_t get_line(char **line, size_t *room, int delimiter, FILE *f)
{
	ssize_t n;
	if (!norn_stream_is_outside(f))
		return getdelim(line, room, delimiter, f);
	if (!*line)
		*room = 0;
	flockfile(f);
	pthread_cleanup_push(unlock, f);
	n = line_from_outside(line, room, delimiter, f);
	pthread_cleanup_pop(1);
	return n;
}

/* libc fills the line, which it may move with the program's realloc; logged afterwards. */
static ssize_t read_any_line(const void *pc, char **line, size_t *size, int delimiter, FILE *f)
{
	char *text;
	size_t room;
	if (!line || !size)
		return getdelim(line, size, delimiter, f);
	norn_get(pc, &text, line, sizeof text);
	norn_get(pc, &room, size, sizeof room);
	norn_decided(pc);
	bool held = holds(f, SIZE_MAX, delimiter);
	before_reading(f, held);
	char *old = text;
	size_t old_room = room;
	ssize_t n = get_line(&text, &room, delimiter, f);
	after_reading(f, held);
	if (text != old)
		norn_put(pc, line, &text, sizeof text);
	if (room != old_room)
		norn_put(pc, size, &room, sizeof room);
	if (n >= 0)
		norn_filled(pc, text, (size_t)n + 1);
	return n;
}

ssize_t __norn_getline(char **line, size_t *size, FILE *f)
{
	return read_any_line(NORN_CALLER, line, size, '\n', f);
}

ssize_t __norn_getdelim(char **line, size_t *size, int delimiter, FILE *f)
{
	return read_any_line(NORN_CALLER, line, size, delimiter, f);
}

ssize_t __norn___getdelim(char **line, size_t *size, int delimiter, FILE *f)
{
	return read_any_line(NORN_CALLER, line, size, delimiter, f);
}

/* Single characters: the kernel is asked only when the stream's buffer is empty, or full. */
static int take_char(FILE *f)
{
	return norn_stream_fill(f) ? fgetc_unlocked(f) : EOF;
}

static int take_char_locked(FILE *f)
{
	int c;
	flockfile(f);
	pthread_cleanup_push(unlock, f);
	c = take_char(f);
	pthread_cleanup_pop(1);
	return c;
}

static int read_char(FILE *f, int (*libc)(FILE *))
{
	if (f->_IO_read_ptr < f->_IO_read_end) {
		norn_took_buffered(f);
		return libc(f);
	}
	before_reading(f, false);
	int c;
	if (!norn_stream_is_outside(f))
		c = libc(f);
	else
		c = libc == fgetc ? take_char_locked(f) : take_char(f);
	norn_noticed_file(f);
	return c;
}

static int write_char(int c, FILE *f, int (*libc)(int, FILE *))
{
	struct norn_channel *channel = before_writing(f, 1);
	return after_writing(f, channel, libc(c, f));
}

#define READ_CHAR(name, libc)              \
	int __norn_##name(FILE *f)         \
	{                                  \
		return read_char(f, libc); \
	}
READ_CHAR(getc, fgetc)
READ_CHAR(fgetc, fgetc)
READ_CHAR(getc_unlocked, fgetc_unlocked)
READ_CHAR(fgetc_unlocked, fgetc_unlocked)
/* What getc_unlocked calls for an empty buffer, where the compiler has it inline. */
READ_CHAR(__uflow, __uflow)

int __norn_getchar(void)
{
	return read_char(stdin, fgetc);
}

int __norn_getchar_unlocked(void)
{
	return read_char(stdin, fgetc_unlocked);
}

#define WRITE_CHAR(name, libc)                 \
	int __norn_##name(int c, FILE *f)      \
	{                                      \
		return write_char(c, f, libc); \
	}
WRITE_CHAR(putc, fputc)
WRITE_CHAR(fputc, fputc)
WRITE_CHAR(putc_unlocked, fputc_unlocked)
WRITE_CHAR(fputc_unlocked, fputc_unlocked)

int __norn_putchar(int c)
{
	return write_char(c, stdout, fputc);
}

int __norn_putchar_unlocked(int c)
{
	return write_char(c, stdout, fputc_unlocked);
}

int __norn___overflow(FILE *f, int c)
{
	struct norn_channel *channel = before_writing(f, SIZE_MAX);
	return after_writing(f, channel, __overflow(f, c));
}

static int flush(const void *pc, FILE *f, int (*libc)(FILE *))
{
	if (!f)
		return libc(NULL);
	struct norn_channel *channel = before_writing(f, SIZE_MAX);
	struct memory *memory = norn_memory_of(f);
	int r = after_writing(f, channel, libc(f));
	norn_memory_told(pc, memory);
	return r;
}

int __norn_fflush(FILE *f)
{
	return flush(NORN_CALLER, f, fflush);
}

int __norn_fflush_unlocked(FILE *f)
{
	return flush(NORN_CALLER, f, fflush_unlocked);
}

static bool has_descriptor(FILE *f)
{
	int error = errno;
	bool has = fileno_unlocked(f) >= 0;
	errno = error;
	return has;
}

/* What is in the buffer is written, if it is one for that. */
int __norn_fclose(FILE *f)
{
	bool writes = !__freading(f) || !has_descriptor(f);
	struct norn_channel *channel = writes ? before_writing(f, SIZE_MAX) : NULL;
	int fd;
	bool file = norn_closes_file(f, &fd);
	struct memory *memory = norn_memory_closes(f);
	int r = fclose(f);
	norn_announced(channel);
	norn_memory_closed(NORN_CALLER, memory);
	norn_closed(fd, file);
	return r;
}

int __norn_pclose(FILE *f)
{
	struct norn_channel *channel = before_writing(f, SIZE_MAX);
	norn_long_call();
	int r = pclose(f);
	norn_descriptors_change();
	norn_announced(channel);
	norn_children_change();
	return r;
}

/* What is in the buffer is written first; and others go on from there. */
#define SEEK_IN(name, type)                                                 \
	int __norn_##name(FILE *f, type to, int whence)                     \
	{                                                                   \
		struct norn_channel *channel = before_writing(f, SIZE_MAX); \
		int r = after_writing(f, channel, name(f, to, whence));     \
		norn_noticed_file(f);                                       \
		return r;                                                   \
	}
SEEK_IN(fseek, long)
SEEK_IN(fseeko, off_t)
SEEK_IN(fseeko64, off_t)

/* What others have written to the stream, or taken from it, has moved it. */
#define TELL(name, type)               \
	type __norn_##name(FILE *f)    \
	{                              \
		norn_looks_file(f);    \
		norn_took_buffered(f); \
		type where = name(f);  \
		norn_looks_file(f);    \
		norn_took_buffered(f); \
		return where;          \
	}
TELL(ftell, long)
TELL(ftello, off_t)
TELL(ftello64, off64_t)

/* What a stream knows of itself, which other threads may ask for. */
#define STATE(type, name, parameters, ...)      \
	type __norn_##name parameters           \
	{                                       \
		norn_took_buffered(f);          \
		type state = name(__VA_ARGS__); \
		norn_took_buffered(f);          \
		return state;                   \
	}
STATE(int, feof, (FILE * f), f)
STATE(int, feof_unlocked, (FILE * f), f)
STATE(int, ferror, (FILE * f), f)
STATE(int, ferror_unlocked, (FILE * f), f)
STATE(int, ungetc, (int c, FILE *f), c, f)

void __norn_clearerr(FILE *f)
{
	norn_took_buffered(f);
	clearerr(f);
	norn_took_buffered(f);
}

void __norn_clearerr_unlocked(FILE *f)
{
	norn_took_buffered(f);
	clearerr_unlocked(f);
	norn_took_buffered(f);
}

void __norn_rewind(FILE *f)
{
	struct norn_channel *channel = before_writing(f, SIZE_MAX);
	rewind(f);
	norn_announced(channel);
	norn_noticed_file(f);
}

static struct norn_channel *before_opening(const void *pc, const char *path, const char *mode)
{
	norn_string(pc, path);
	norn_string(pc, mode);
	return norn_open_begins(AT_FDCWD, path, *mode == 'r' ? 0 : O_CREAT | O_TRUNC);
}

FILE *__norn_fopen(const char *path, const char *mode)
{
	struct norn_channel *channel = before_opening(NORN_CALLER, path, mode);
	FILE *f = fopen(path, mode);
	norn_open_ends(channel, *mode == 'r' ? 0 : O_CREAT);
	return f;
}

FILE *__norn_fopen64(const char *path, const char *mode)
{
	struct norn_channel *channel = before_opening(NORN_CALLER, path, mode);
	FILE *f = fopen64(path, mode);
	norn_open_ends(channel, *mode == 'r' ? 0 : O_CREAT);
	return f;
}

FILE *__norn_freopen(const char *path, const char *mode, FILE *f)
{
	struct norn_channel *channel = before_opening(NORN_CALLER, path, mode);
	struct norn_channel *old = before_writing(f, SIZE_MAX);
	struct memory *memory = norn_memory_closes(f);
	norn_took_buffered(f);
	FILE *opened = freopen(path, mode, f);
	norn_took_buffered(f);
	norn_memory_closed(NORN_CALLER, memory);
	norn_announced(old);
	norn_open_ends(channel, *mode == 'r' ? 0 : O_CREAT);
	return opened;
}

FILE *__norn_fdopen(int fd, const char *mode)
{
	norn_string(NORN_CALLER, mode);
	norn_descriptors_change();
	return fdopen(fd, mode);
}
