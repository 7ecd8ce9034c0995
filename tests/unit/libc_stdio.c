/* SPDX-License-Identifier: MIT */
/* printf, scanf and streams: __norn_NAME against libc's NAME. */
#include "runtime/libc/replaced.h"
#include "support/ranges_log.h"
#include "support/tap.h"

#include <errno.h>
#include <pthread.h>

static char ours[8192], libcs[8192], before[8192];

static void clear(void)
{
	memset(ours, '#', sizeof ours);
	memset(libcs, '#', sizeof libcs);
	memset(before, '#', sizeof before);
	ranges_log_clear();
}

static void same_memory(void)
{
	ASSERT_TRUE(!memcmp(ours, libcs, sizeof ours));
	ranges_log_replay(ours, before, sizeof before);
	ASSERT_TRUE(!memcmp(ours, before, sizeof ours));
}

/* Whether a read of the n bytes at p is in the log. */
static bool was_read(const void *p, size_t n)
{
	return ranges_log_bytes(false, p, n) == n;
}

/* All ways to print into memory. */
#define PRINTS(format, ...)                                                                      \
	do {                                                                                     \
		static const size_t limits[] = {0, 1, 5, 63, 64, 65, 1000, 5000};                \
		const char *shape = format;                                                      \
		int want, got;                                                                   \
		tap_at("%s", shape);                                                             \
		clear();                                                                         \
		errno = ENOENT;                                                                  \
		want = sprintf(libcs, shape, ##__VA_ARGS__);                                     \
		errno = ENOENT;                                                                  \
		got = __norn_sprintf(ours, shape, ##__VA_ARGS__);                                \
		ASSERT_EQ(got, want);                                                            \
		same_memory();                                                                   \
		ASSERT_TRUE(was_read(shape, strlen(shape) + 1));                                 \
		ASSERT_TRUE(ranges_log_is(true, ours, (size_t)want + 1));                        \
		for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {                    \
			clear();                                                                 \
			errno = ENOENT;                                                          \
			want = snprintf(libcs, limits[i], shape, ##__VA_ARGS__);                 \
			errno = ENOENT;                                                          \
			ASSERT_EQ(__norn_snprintf(ours, limits[i], shape, ##__VA_ARGS__), want); \
			same_memory();                                                           \
			ASSERT_EQ(__norn___snprintf_chk(ours, limits[i], 1, limits[i], shape,    \
							##__VA_ARGS__),                          \
				  want);                                                         \
			same_memory();                                                           \
		}                                                                                \
		clear();                                                                         \
		char *fresh;                                                                     \
		errno = ENOENT;                                                                  \
		ASSERT_EQ(__norn_asprintf(&fresh, shape, ##__VA_ARGS__), want);                  \
		errno = ENOENT;                                                                  \
		sprintf(libcs, shape, ##__VA_ARGS__);                                            \
		ASSERT_STR_EQ(fresh, libcs);                                                     \
		ASSERT_EQ(ranges_log_bytes(true, fresh, (size_t)want + 1), want + 1);            \
		free(fresh);                                                                     \
	} while (0)

TAP_CASE(formats_into_memory)
{
	static char text[3000], unended[8] = "abcdefgh";
	const wchar_t *wide = L"wide";
	char *volatile nothing = NULL;
	memset(text, 't', sizeof text - 1);
	PRINTS("", 0);
	PRINTS("plain %% text", 0);
	PRINTS("%d %5i|%-7u|%x %#X %o %c", -5, 42, 7u, 255u, 255u, 8u, 'z');
	PRINTS("%hhd %hd %ld %lld %jd %zu %td", 1, 2, 3L, 4LL, (intmax_t)5, (size_t)6,
	       (ptrdiff_t)7);
	PRINTS("%s and %20s and %-20s|", "one", "two", "three");
	PRINTS("%.3s|%.*s|%*s|%-*.*s|", unended, 5, unended, 9, "nine", 12, 4, unended);
	PRINTS("%f %e %g %a %Lf %.*f %10.3lf", 1.5, 2.5, 3.5, 4.5, 5.5L, 2, 6.25, 7.125);
	PRINTS("%p %m %s", (void *)text, "after m");
	PRINTS("%ls %S %lc|%.2ls|", wide, wide, (wint_t)L'x', wide);
	PRINTS("%2$s %1$s", "world", "hello");
	PRINTS("%s%s", text, text);
	PRINTS("%.1500d", 7);
	PRINTS("%s", nothing);
	PRINTS("%'d %I64d %+d % d %05d", 1000, 5, 6, 7, 8);
}

TAP_CASE(strings_that_are_printed_are_read)
{
	char text[] = "some text", part[] = {'a', 'b', 'c'};
	clear();
	__norn_snprintf(ours, sizeof ours, "%d %s %.*s %g %s", 1, text, 3, part, 2.5, text);
	ASSERT_EQ(ranges_log_bytes(false, text, sizeof text), sizeof text);
	ASSERT_EQ(ranges_log_bytes(false, part, sizeof part), sizeof part);
	clear();
	__norn_snprintf(ours, sizeof ours, "%.2s", text);
	ASSERT_EQ(ranges_log_bytes(false, text, sizeof text), 2);
	clear();
	int count[2] = {0, 0};
	long long_count = 0;
	__norn_snprintf(ours, sizeof ours, "abc%n def%ln", &count[0], &long_count);
	ASSERT_EQ(count[0], 3);
	ASSERT_EQ(long_count, 7);
	ASSERT_EQ(ranges_log_bytes(true, count, sizeof count), sizeof count[0]);
	ASSERT_EQ(ranges_log_bytes(true, &long_count, 8), 8);
}

/* A file with this text, open for reading and writing at its start. */
static FILE *file_with(const char *text, size_t n)
{
	FILE *f = tmpfile();
	ASSERT_TRUE(f && fwrite(text, 1, n, f) == n);
	rewind(f);
	return f;
}

static void has(FILE *f, const char *want, size_t n)
{
	char *got = malloc(n + 2);
	rewind(f);
	ASSERT_EQ(fread(got, 1, n + 1, f), n);
	ASSERT_TRUE(!memcmp(got, want, n));
	free(got);
	fclose(f);
}

TAP_CASE(streams_are_printed_to)
{
	FILE *f = file_with("", 0);
	char text[] = "text";
	ranges_log_clear();
	ASSERT_EQ(__norn_fprintf(f, "%d %s\n", 12, text), 8);
	ASSERT_TRUE(was_read(text, sizeof text));
	ASSERT_EQ(__norn___fprintf_chk(f, 1, "<%s>", text), 6);
	ASSERT_TRUE(__norn_fputs(text, f) >= 0);
	ASSERT_TRUE(__norn_fputs_unlocked(text, f) >= 0);
	ASSERT_EQ(__norn_fputc('!', f), '!');
	ASSERT_EQ(__norn_putc('?', f), '?');
	ASSERT_EQ(__norn_putc_unlocked('.', f), '.');
	ranges_log_clear();
	ASSERT_EQ(__norn_fwrite(text, 2, 2, f), 2);
	ASSERT_TRUE(ranges_log_is(false, text, 4));
	ASSERT_EQ(__norn_fwrite(text, 0, 2, f), 0);
	ASSERT_EQ(__norn_fflush(f), 0);
	ASSERT_EQ(__norn_dprintf(fileno(f), "[%s]", text), 6);
	ranges_log_clear();
	static const char want[] = "12 text\n<text>texttext!?.text[text]";
	has(f, want, sizeof want - 1);
	/* A stream without a descriptor; errno is for %m. */
	char *memory;
	size_t size;
	f = open_memstream(&memory, &size);
	errno = ENOENT;
	__norn_fprintf(f, "%m");
	fclose(f);
	ASSERT_STR_EQ(memory, strerror(ENOENT));
	free(memory);
}

TAP_CASE(lines_are_read)
{
	static const char text[] =
		"first\n\nwith\0nul\nlong long long long line\nlast without newline";
	for (int size = 1; size < 40; size++) {
		FILE *p = file_with(text, sizeof text - 1), *q = file_with(text, sizeof text - 1);
		char *got, *want;
		int lines = 0;
		do {
			tap_at("size %d, line %d", size, lines++);
			clear();
			got = size % 2 ? __norn_fgets(ours, size, p)
				       : __norn___fgets_chk(ours, sizeof ours, size, p);
			want = fgets(libcs, size, q);
			ASSERT_EQ(got == ours, want == libcs);
			same_memory();
			ASSERT_EQ(ftell(p), ftell(q));
		} while (want && lines < 200);
		ASSERT_EQ(feof(p), feof(q));
		fclose(p);
		fclose(q);
	}
	ASSERT_TRUE(!__norn_fgets(ours, 0, stdin));
}

/* Longer than the pieces in which it is read. */
TAP_CASE(long_lines_are_read)
{
	static char text[5000];
	memset(text, 'x', sizeof text);
	for (size_t n = 1020; n < 2060; n = n == 1026 ? 2043 : n + 1) {
		text[n] = '\n';
		FILE *p = file_with(text, sizeof text), *q = file_with(text, sizeof text);
		for (int i = 0; i < 3; i++) {
			clear();
			ASSERT_EQ(__norn_fgets(ours, 4000, p) == ours,
				  fgets(libcs, 4000, q) == libcs);
			same_memory();
		}
		fclose(p);
		fclose(q);
		text[n] = 'x';
	}
}

TAP_CASE(lines_of_any_length_are_read)
{
	static const char text[] =
		"first\n\na much longer line that needs more room than the first one "
		"did, in fact quite a lot more than a hundred and twenty bytes, as libc "
		"starts with that\nend;of,it";
	FILE *p = file_with(text, sizeof text - 1), *q = file_with(text, sizeof text - 1);
	char *got = NULL, *want = NULL;
	size_t got_room = 0, want_room = 0;
	for (int i = 0; i < 6; i++) {
		int delimiter = i == 3 ? ';' : '\n';
		ranges_log_clear();
		ssize_t n = i < 3 ? __norn_getline(&got, &got_room, p)
				  : __norn_getdelim(&got, &got_room, delimiter, p);
		ASSERT_EQ(n, getdelim(&want, &want_room, delimiter, q));
		ASSERT_EQ(got_room, want_room);
		if (n >= 0) {
			ASSERT_TRUE(!memcmp(got, want, (size_t)n + 1));
			ASSERT_EQ(ranges_log_bytes(true, got, (size_t)n + 1), n + 1);
		}
		ASSERT_EQ(ranges_log_bytes(true, &got, sizeof got), i == 0 || i == 2 ? 8 : 0);
	}
	free(got);
	free(want);
	fclose(p);
	fclose(q);
	errno = 0;
	ASSERT_EQ(__norn_getline(NULL, NULL, stdin), -1);
	ASSERT_EQ(errno, EINVAL);
}

TAP_CASE(blocks_are_read)
{
	static char text[5000];
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(i * 31 / 7);
	for (size_t size = 0; size < 3000; size = size * 3 + 1)
		for (size_t count = 0; count < 8; count++) {
			FILE *p = file_with(text, sizeof text), *q = file_with(text, sizeof text);
			tap_at("%zu x %zu", size, count);
			if (size * count > sizeof ours)
				continue;
			clear();
			ASSERT_EQ(__norn_fread(ours, size, count, p), fread(libcs, size, count, q));
			same_memory();
			ASSERT_EQ(ftell(p), ftell(q));
			ASSERT_EQ(__norn_fgetc(p), fgetc(q));
			ASSERT_EQ(__norn_getc_unlocked(p), getc_unlocked(q));
			ASSERT_EQ(feof(p), feof(q));
			fclose(p);
			fclose(q);
		}
}

#define SCANS(text, format, ...)                                                  \
	do {                                                                      \
		tap_at("%s of %s", format, text);                                 \
		const char *input = text, *shape = format;                        \
		clear();                                                          \
		char *to = libcs;                                                 \
		int want = sscanf(input, shape, ##__VA_ARGS__);                   \
		to = ours;                                                        \
		ASSERT_EQ(__norn_sscanf(input, shape, ##__VA_ARGS__), want);      \
		same_memory();                                                    \
		ASSERT_TRUE(was_read(shape, strlen(shape) + 1));                  \
		ASSERT_TRUE(was_read(input, strlen(input) + 1));                  \
		clear();                                                          \
		to = libcs;                                                       \
		sscanf(input, shape, ##__VA_ARGS__);                              \
		to = ours;                                                        \
		FILE *f = file_with(input, strlen(input));                        \
		ASSERT_EQ(__norn___isoc99_fscanf(f, shape, ##__VA_ARGS__), want); \
		same_memory();                                                    \
		fclose(f);                                                        \
	} while (0)

#define AT(type, offset) ((type *)(void *)(to + (offset)))

TAP_CASE(what_is_scanned_is_logged_as_written)
{
	SCANS("12 -7 0x1f", "%d%i%x", AT(int, 0), AT(int, 8), AT(unsigned, 16));
	SCANS("12 x", "%d%d", AT(int, 0), AT(int, 8));
	SCANS("", "%d", AT(int, 0));
	SCANS("1 2 3 4 5", "%hhd%hd%ld%lld%zu", AT(signed char, 0), AT(short, 8), AT(long, 16),
	      AT(long long, 24), AT(size_t, 32));
	SCANS("1.5 2.5 3.5", "%f%lf%Lf", AT(float, 0), AT(double, 8), AT(long double, 16));
	SCANS("word another", "%s %3s", AT(char, 0), AT(char, 60));
	SCANS("abc123def", "%[a-z]%*d%[]def]", AT(char, 0), AT(char, 60));
	SCANS("abcdef", "%3c%c", AT(char, 0), AT(char, 62));
	SCANS("key=value tail", "%[^=]=%s%n", AT(char, 0), AT(char, 100), AT(int, 200));
	SCANS("key:value tail", "%[^=]=%s%n", AT(char, 0), AT(char, 100), AT(int, 200));
	SCANS("5 100%", "%d%n %d%%", AT(int, 0), AT(int, 8), AT(int, 16));
	SCANS("wide text", "%ls %5lc", AT(wchar_t, 0), AT(wchar_t, 200));
	SCANS("0x10", "%p", AT(void *, 8));
}

TAP_CASE(what_scanning_allocates_is_logged)
{
	char *word = NULL;
	ranges_log_clear();
	ASSERT_EQ(__norn___isoc99_sscanf("one two", "%*s %ms", &word), 1);
	ASSERT_STR_EQ(word, "two");
	ASSERT_EQ(ranges_log_bytes(true, word, 4), 4);
	ASSERT_EQ(ranges_log_bytes(true, &word, sizeof word), sizeof word);
	free(word);
}

static void *read_for_ever(void *f)
{
	char line[10];
	return __norn_fgets(line, sizeof line, f) ? f : NULL;
}

TAP_CASE(a_cancelled_reader_unlocks_its_stream)
{
	int p[2];
	pthread_t reader;
	void *result;
	ASSERT_EQ(pipe(p), 0);
	FILE *f = fdopen(p[0], "r");
	ASSERT_EQ(pthread_create(&reader, NULL, read_for_ever, f), 0);
	while (!ftrylockfile(f)) /* until it has it */
		funlockfile(f);
	pthread_cancel(reader);
	pthread_join(reader, &result);
	ASSERT_TRUE(result == PTHREAD_CANCELED);
	ASSERT_EQ(ftrylockfile(f), 0);
}
