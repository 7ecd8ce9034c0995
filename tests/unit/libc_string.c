/* SPDX-License-Identifier: MIT */
/* Memory, strings and numbers: __norn_NAME against libc's NAME on random contents. */
#include "runtime/libc/replaced.h"
#include "support/arenas.h"
#include "support/ranges_log.h"
#include "support/tap.h"

#include <errno.h>
#include <math.h>

#define ROUNDS TAP_PART(20000)
#define LETTERS "ababAB ,xyz019"

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static struct arenas a;

/* For results that point into an arena. */
static long at_ours(const void *p)
{
	return p ? (const char *)p - a.ours : -1;
}

static long at_libcs(const void *p)
{
	return p ? (const char *)p - a.libcs : -1;
}

#define EACH_ROUND(seed, letters)                    \
	arenas_init(&a, seed);                       \
	for (int round = 0; round < ROUNDS; round++) \
		if (tap_at("round %d", round), arenas_fill(&a, letters), true)

TAP_CASE(bytes_are_copied_and_filled)
{
	EACH_ROUND(1, LETTERS)
	{
		size_t n = random_below(&a.random, 200), to = arenas_place(&a, n),
		       from = arenas_place(&a, n);
		char *p = a.ours, *q = a.libcs;
		bool apart = to + n <= from || from + n <= to;
		int c = "ab,z\0"[random_below(&a.random, 5)];
		switch (random_below(&a.random, apart ? 9 : 3)) {
		case 0:
			ASSERT_EQ(at_ours(__norn_memmove(p + to, p + from, n)),
				  at_libcs(memmove(q + to, q + from, n)));
			ASSERT_TRUE(ranges_log_is(false, p + from, n));
			ASSERT_TRUE(ranges_log_is(true, p + to, n));
			break;
		case 1:
			__norn_bcopy(p + from, p + to, n);
			bcopy(q + from, q + to, n);
			break;
		case 2:
			ASSERT_EQ(at_ours(__norn_memset(p + to, c, n)),
				  at_libcs(memset(q + to, c, n)));
			ASSERT_TRUE(ranges_log_is(true, p + to, n));
			break;
		case 3:
			ASSERT_EQ(at_ours(__norn_memcpy(p + to, p + from, n)),
				  at_libcs(memcpy(q + to, q + from, n)));
			break;
		case 4:
			ASSERT_EQ(at_ours(__norn_mempcpy(p + to, p + from, n)),
				  at_libcs(mempcpy(q + to, q + from, n)));
			break;
		case 5: {
			char *end = memccpy(q + to, q + from, c, n);
			ASSERT_EQ(at_ours(__norn_memccpy(p + to, p + from, c, n)), at_libcs(end));
			ASSERT_TRUE(
				ranges_log_is(false, p + from, end ? (size_t)(end - (q + to)) : n));
			break;
		}
		case 6:
			ASSERT_EQ(at_ours(__norn___memcpy_chk(p + to, p + from, n, n)),
				  at_libcs(memcpy(q + to, q + from, n)));
			break;
		case 7:
			__norn_bzero(p + to, n);
			explicit_bzero(q + to, n);
			break;
		default:
			ASSERT_EQ(at_ours(__norn___memset_chk(p + to, c, n, n + 1)),
				  at_libcs(memset(q + to, c, n)));
		}
		arenas_check(&a);
	}
}

/* Makes room for a string and what it is appended to, so that neither runs into the other. */
static bool room_to_copy(size_t to, size_t from, size_t n)
{
	size_t length = strnlen(a.ours + from, n), there = strlen(a.ours + to);
	size_t end = to + there + (n == SIZE_MAX ? length : n > length ? n : length) + 1;
	return end <= ARENA_SIZE && (end <= from || from + length < to);
}

TAP_CASE(strings_are_copied)
{
	EACH_ROUND(2, LETTERS)
	{
		size_t n = random_below(&a.random, 100), to = arenas_place(&a, 1),
		       from = arenas_place(&a, 1);
		char *p = a.ours, *q = a.libcs;
		size_t length = strlen(p + from);
		uint32_t which = random_below(&a.random, 10);
		bool limited = which == 2 || which == 3 || which == 5;
		if (!room_to_copy(to, from, limited ? n : SIZE_MAX))
			continue;
		switch (which) {
		case 0:
			ASSERT_EQ(at_ours(__norn_strcpy(p + to, p + from)),
				  at_libcs(strcpy(q + to, q + from)));
			ASSERT_TRUE(ranges_log_is(false, p + from, length + 1));
			ASSERT_TRUE(ranges_log_is(true, p + to, length + 1));
			break;
		case 1:
			ASSERT_EQ(at_ours(__norn_stpcpy(p + to, p + from)),
				  at_libcs(stpcpy(q + to, q + from)));
			break;
		case 2:
			ASSERT_EQ(at_ours(__norn_strncpy(p + to, p + from, n)),
				  at_libcs(strncpy(q + to, q + from, n)));
			ASSERT_TRUE(ranges_log_is(true, p + to, n));
			ASSERT_TRUE(ranges_log_is(false, p + from, n <= length ? n : length + 1));
			break;
		case 3:
			ASSERT_EQ(at_ours(__norn_stpncpy(p + to, p + from, n)),
				  at_libcs(stpncpy(q + to, q + from, n)));
			break;
		case 4:
			ASSERT_EQ(at_ours(__norn_strcat(p + to, p + from)),
				  at_libcs(strcat(q + to, q + from)));
			break;
		case 5:
			ASSERT_EQ(at_ours(__norn_strncat(p + to, p + from, n)),
				  at_libcs(strncat(q + to, q + from, n)));
			break;
		case 6: {
			char *copy = __norn_strdup(p + from);
			ASSERT_STR_EQ(copy, q + from);
			ASSERT_TRUE(ranges_log_is(true, copy, length + 1));
			ASSERT_TRUE(ranges_log_is(false, p + from, length + 1));
			free(copy);
			break;
		}
		case 7: {
			char *copy = __norn_strndup(p + from, n), *want = strndup(q + from, n);
			ASSERT_STR_EQ(copy, want);
			ASSERT_TRUE(ranges_log_is(false, p + from, n <= length ? n : length + 1));
			free(copy);
			free(want);
			break;
		}
		case 8:
			ASSERT_EQ(at_ours(__norn___strcpy_chk(p + to, p + from, length + 1)),
				  at_libcs(strcpy(q + to, q + from)));
			break;
		default:
			ASSERT_EQ(at_ours(__norn___strcat_chk(p + to, p + from,
							      strlen(q + to) + length + 1)),
				  at_libcs(strcat(q + to, q + from)));
		}
		arenas_check(&a);
	}
}

TAP_CASE(comparisons_read_up_to_the_difference)
{
	EACH_ROUND(3, "aaaaaA")
	{
		size_t n = random_below(&a.random, 200), x = arenas_place(&a, n),
		       y = arenas_place(&a, n);
		char *p = a.ours, *q = a.libcs;
		size_t seen = 0;
		if (random_percent(&a.random, 50)) {
			size_t same = random_below(&a.random, (uint32_t)n + 1);
			memmove(p + x, p + y, same);
			p[ARENA_SIZE - 1] = 0;
			memcpy(q, p, ARENA_SIZE);
			memcpy(a.before, p, ARENA_SIZE);
		}
		switch (random_below(&a.random, 8)) {
		case 0:
			ASSERT_EQ(sign(__norn_memcmp(p + x, p + y, n)),
				  sign(memcmp(q + x, q + y, n)));
			while (seen < n && p[x + seen] == p[y + seen])
				seen++;
			seen += seen < n;
			ASSERT_EQ(ranges_log_bytes(false, p + x, ARENA_SIZE - x) >= seen, 1);
			if (x + n <= y || y + n <= x)
				ASSERT_EQ(ranges_log_bytes(false, p + x, n), seen);
			break;
		case 1: ASSERT_EQ(!__norn_bcmp(p + x, p + y, n), !bcmp(q + x, q + y, n)); break;
		case 2:
			ASSERT_EQ(sign(__norn_strcmp(p + x, p + y)), sign(strcmp(q + x, q + y)));
			while (p[x + seen] && p[x + seen] == p[y + seen])
				seen++;
			if (x + seen < y || y + seen < x)
				ASSERT_EQ(ranges_log_bytes(false, p + x, seen + 1), seen + 1);
			ASSERT_TRUE(ranges_log_bytes(false, p, ARENA_SIZE) <= 2 * (seen + 1));
			break;
		case 3:
			ASSERT_EQ(sign(__norn_strncmp(p + x, p + y, n)),
				  sign(strncmp(q + x, q + y, n)));
			break;
		case 4:
			ASSERT_EQ(sign(__norn_strcasecmp(p + x, p + y)),
				  sign(strcasecmp(q + x, q + y)));
			break;
		case 5:
			ASSERT_EQ(sign(__norn_strncasecmp(p + x, p + y, n)),
				  sign(strncasecmp(q + x, q + y, n)));
			break;
		case 6:
			ASSERT_EQ(sign(__norn_strcoll(p + x, p + y)), sign(strcoll(q + x, q + y)));
			break;
		default:
			ASSERT_EQ(sign(__norn_strverscmp(p + x, p + y)),
				  sign(strverscmp(q + x, q + y)));
		}
		arenas_check(&a);
	}
}

TAP_CASE(bytes_and_strings_are_searched)
{
	EACH_ROUND(4, LETTERS)
	{
		size_t n = random_below(&a.random, 200), x = arenas_place(&a, n);
		size_t size = random_below(&a.random, 4), y = arenas_place(&a, size + 1);
		char *p = a.ours, *q = a.libcs, *found;
		int c = "ab,z9Q\0"[random_below(&a.random, 7)];
		size_t length = strlen(p + x);
		p[y + size] = q[y + size] = a.before[y + size] = 0; /* a short needle, or set */
		length = strlen(p + x);
		switch (random_below(&a.random, 18)) {
		case 0:
			ASSERT_EQ(__norn_strlen(p + x), length);
			ASSERT_TRUE(ranges_log_is(false, p + x, length + 1));
			for (size_t i = 0; i < ranges_log.n; i++)
				ASSERT_TRUE(ranges_log.accesses[i].steps);
			break;
		case 1:
			ASSERT_EQ(__norn_strnlen(p + x, n), strnlen(q + x, n));
			ASSERT_TRUE(ranges_log_is(false, p + x, n <= length ? n : length + 1));
			break;
		case 2:
			found = memchr(q + x, c, n);
			ASSERT_EQ(at_ours(__norn_memchr(p + x, c, n)), at_libcs(found));
			ASSERT_TRUE(ranges_log_is(false, p + x,
						  found ? (size_t)(found - (q + x)) + 1 : n));
			break;
		case 3:
			ASSERT_EQ(at_ours(__norn_memrchr(p + x, c, n)),
				  at_libcs(memrchr(q + x, c, n)));
			break;
		case 4:
			ASSERT_EQ(at_ours(__norn_rawmemchr(p + x, 0)),
				  at_libcs(rawmemchr(q + x, 0)));
			break;
		case 5:
			found = strchr(q + x, c);
			ASSERT_EQ(at_ours(__norn_strchr(p + x, c)), at_libcs(found));
			ASSERT_TRUE(ranges_log_is(
				false, p + x, (found ? (size_t)(found - (q + x)) : length) + 1));
			break;
		case 6:
			ASSERT_EQ(at_ours(__norn_index(p + x, c)), at_libcs(index(q + x, c)));
			break;
		case 7:
			ASSERT_EQ(at_ours(__norn_strchrnul(p + x, c)),
				  at_libcs(strchrnul(q + x, c)));
			break;
		case 8:
			ASSERT_EQ(at_ours(__norn_strrchr(p + x, c)), at_libcs(strrchr(q + x, c)));
			break;
		case 9:
			ASSERT_EQ(at_ours(__norn_rindex(p + x, c)), at_libcs(rindex(q + x, c)));
			break;
		case 10:
		case 11:
			found = strstr(q + x, q + y);
			ASSERT_EQ(at_ours(__norn_strstr(p + x, p + y)), at_libcs(found));
			if (found && (y + size < x || y > x + length))
				ASSERT_EQ(ranges_log_bytes(false, p + x, length + 1),
					  strlen(q + y) ? (size_t)(found - (q + x)) + strlen(q + y)
							: 0);
			break;
		case 12:
			ASSERT_EQ(at_ours(__norn_strcasestr(p + x, p + y)),
				  at_libcs(strcasestr(q + x, q + y)));
			break;
		case 13:
			ASSERT_EQ(at_ours(__norn_memmem(p + x, n, p + y, size)),
				  at_libcs(memmem(q + x, n, q + y, size)));
			break;
		case 14: ASSERT_EQ(__norn_strspn(p + x, p + y), strspn(q + x, q + y)); break;
		case 15: ASSERT_EQ(__norn_strcspn(p + x, p + y), strcspn(q + x, q + y)); break;
		default:
			ASSERT_EQ(at_ours(__norn_strpbrk(p + x, p + y)),
				  at_libcs(strpbrk(q + x, q + y)));
		}
		arenas_check(&a);
	}
}

TAP_CASE(strings_are_cut_into_tokens)
{
	EACH_ROUND(5, "ab ,;c")
	{
		size_t x = arenas_place(&a, 1);
		const char *delimiters = &",; "[random_below(&a.random, 4)];
		char *ours = a.ours + x, *libcs = a.libcs + x, *p, *q, *state[2];
		uint32_t which = random_below(&a.random, 3);
		do {
			if (which == 0) {
				p = __norn_strtok_r(ours, delimiters, &state[0]);
				q = strtok_r(libcs, delimiters, &state[1]);
			} else if (which == 1) {
				p = __norn_strtok(ours, delimiters);
				q = strtok(libcs, delimiters);
			} else {
				p = __norn_strsep(&ours, delimiters);
				q = strsep(&libcs, delimiters);
				ASSERT_EQ(at_ours(ours), at_libcs(libcs));
			}
			ASSERT_EQ(at_ours(p), at_libcs(q));
			if (which != 2)
				ours = libcs = NULL;
		} while (p);
		arenas_check(&a);
	}
}

static const char *const number_texts[] = {
	"0",
	"1",
	"-1",
	"+7",
	"  \t12abc",
	"0x1F",
	"0x",
	"0xg",
	"08",
	"9223372036854775807",
	"9223372036854775808",
	"-9223372036854775809",
	"18446744073709551616",
	"",
	" ",
	"-",
	"abc",
	"1e5",
	"1e",
	"1.5e-3x",
	"inf",
	"-infinity",
	"nan",
	"nan(12)",
	"0x1.8p3",
	"1e999",
	"1e-999",
	".5",
	".",
	"+-3",
	"12345678901234567890123456789012345678901234567890123456789012345678901",
	"z",
	"zz9",
	"\n\v\f\r 5",
	"1,000",
	"1_000"};

/* With a base that there is not, AddressSanitizer's strtol sets the end to anything; libc's does
 * not. */
#if defined(__SANITIZE_ADDRESS__)
#define BAD_BASES 0
#else
#define BAD_BASES 1
#endif

/* Every text at the end of the arena, so that it ends with it, and in every line before. */
TAP_CASE(numbers_are_as_libc_says)
{
	arenas_init(&a, 6);
	for (size_t i = 0; i < sizeof number_texts / sizeof *number_texts; i++)
		for (size_t back = 0; back < 70; back++) {
			const char *text = number_texts[i];
			size_t n = strlen(text) + 1;
			char *p = a.ours + ARENA_SIZE - n - back,
			     *q = a.libcs + ARENA_SIZE - n - back;
			char *end[2];
			tap_at("%s, %zu before the end", text, back);
			arenas_fill(&a, "Q");
			memcpy(p, text, n);
			memcpy(q, text, n);
			memcpy(a.before, a.ours, ARENA_SIZE);
#define SAME(name, ...)                                                               \
	do {                                                                          \
		end[0] = end[1] = NULL;                                               \
		errno = 0;                                                            \
		__typeof__(name(q, &end[1], ##__VA_ARGS__)) want =                    \
			name(q, &end[1], ##__VA_ARGS__);                              \
		int error = errno;                                                    \
		errno = 0;                                                            \
		__typeof__(want) got = __norn_##name(p, &end[0], ##__VA_ARGS__);      \
		ASSERT_EQ(errno, error);                                              \
		ASSERT_TRUE(!memcmp(&got, &want, sizeof got > 10 ? 10 : sizeof got)); \
		ASSERT_EQ(at_ours(end[0]), at_libcs(end[1]));                         \
	} while (0)
			SAME(strtod);
			SAME(strtof);
			SAME(strtold);
			for (int base = BAD_BASES ? 0 : 2; base <= (BAD_BASES ? 37 : 36);
			     base += base == 16 ? 20 : 1) {
				SAME(strtol, base);
				SAME(strtoul, base);
				SAME(strtoll, base);
				SAME(strtoull, base);
				SAME(strtoimax, base);
				SAME(strtoumax, base);
			}
			ASSERT_EQ(__norn_atoi(p), atoi(q));
			ASSERT_EQ(__norn_atol(p), atol(q));
			ASSERT_EQ(__norn_atoll(p), atoll(q));
			double x = __norn_atof(p), y = atof(q);
			ASSERT_TRUE(!memcmp(&x, &y, sizeof x));
			arenas_check(&a);
		}
}

TAP_CASE(wide_strings)
{
	EACH_ROUND(7, "ab")
	{
		wchar_t *p = (wchar_t *)(a.ours + ARENA_SIZE - ARENA_USED);
		wchar_t *q = (wchar_t *)(a.libcs + ARENA_SIZE - ARENA_USED);
		size_t n = random_below(&a.random, 12), x = random_below(&a.random, 20),
		       y = 40 + random_below(&a.random, 20);
		for (size_t i = 0; i < ARENA_USED / sizeof *p; i++)
			p[i] = q[i] = random_percent(&a.random, 15) ? 0 : L'a' + (p[i] & 1);
		p[x + 5] = q[x + 5] = p[y + 18] = q[y + 18] = p[95] = q[95] = 0; /* no overlap */
		memcpy(a.before, a.ours, ARENA_SIZE);
		size_t length = wcslen(q + y);
#define FAR(call, libc) ASSERT_EQ(at_ours(call), at_libcs(libc))
		switch (random_below(&a.random, 18)) {
		case 0:
			ASSERT_EQ(__norn_wcslen(p + y), length);
			ASSERT_TRUE(ranges_log_is(false, p + y, (length + 1) * sizeof *p));
			break;
		case 1: ASSERT_EQ(__norn_wcsnlen(p + y, n), wcsnlen(q + y, n)); break;
		case 2: FAR(__norn_wmemcpy(p + x, p + y, n), wmemcpy(q + x, q + y, n)); break;
		case 3:
			FAR(__norn_wmemmove(p + x, p + x + 3, n), wmemmove(q + x, q + x + 3, n));
			break;
		case 4: FAR(__norn_wmempcpy(p + x, p + y, n), wmempcpy(q + x, q + y, n)); break;
		case 5: FAR(__norn_wmemset(p + x, L'c', n), wmemset(q + x, L'c', n)); break;
		case 6:
			ASSERT_EQ(sign(__norn_wmemcmp(p + x, p + y, n)),
				  sign(wmemcmp(q + x, q + y, n)));
			break;
		case 7:
			ASSERT_EQ(sign(__norn_wcscmp(p + x, p + y)), sign(wcscmp(q + x, q + y)));
			break;
		case 8:
			ASSERT_EQ(sign(__norn_wcsncmp(p + x, p + y, n)),
				  sign(wcsncmp(q + x, q + y, n)));
			break;
		case 9: FAR(__norn_wcscpy(p + x, p + y), wcscpy(q + x, q + y)); break;
		case 10: FAR(__norn_wcsncpy(p + x, p + y, n), wcsncpy(q + x, q + y, n)); break;
		case 11: FAR(__norn_wcscat(p + 90, p + y), wcscat(q + 90, q + y)); break;
		case 12: FAR(__norn_wcsncat(p + x, p + y, n), wcsncat(q + x, q + y, n)); break;
		case 13: FAR(__norn_wmemchr(p + x, L'b', n), wmemchr(q + x, L'b', n)); break;
		case 14: FAR(__norn_wcschr(p + x, L'b'), wcschr(q + x, L'b')); break;
		case 15: FAR(__norn_wcsrchr(p + x, L'b'), wcsrchr(q + x, L'b')); break;
		default: {
			wchar_t *copy = __norn_wcsdup(p + y);
			ASSERT_EQ(wcscmp(copy, q + y), 0);
			ASSERT_TRUE(ranges_log_is(true, copy, (length + 1) * sizeof *copy));
			free(copy);
		}
		}
		arenas_check(&a);
	}
}

#define SEEN_SIZE 150
static char seen_text[SEEN_SIZE];

/* A function whose result __norn_seen tells of, by number; places become distances. */
static long seeing_result(int which, size_t x, size_t y, size_t n)
{
	const char *s = seen_text + x, *t = seen_text + y;
	switch (which) {
	case 0: return __norn_memcmp(s, t, n);
	case 1: return __norn_strcmp(s, t);
	case 2: return __norn_strncmp(s, t, n);
	case 3: return __norn_strcasecmp(s, t);
	case 4: return (long)__norn_strlen(s);
	case 5: return (long)__norn_strnlen(s, n);
	case 6: return (long)__norn_memchr(s, 'b', n);
	case 7: return (long)__norn_memrchr(s, 'b', n);
	case 8: return (long)__norn_strchr(s, 'b');
	case 9: return (long)__norn_strrchr(s, 'b');
	case 10: return (long)__norn_strstr(s, t);
	case 11: return (long)__norn_memmem(s, n, t, n / 9);
	case 12: return (long)__norn_strspn(s, t);
	case 13: return (long)__norn_strcspn(s, t);
	case 14: return (long)__norn_strpbrk(s, t);
	case 15: return __norn_strtol(s, NULL, 16);
	case 16: return __norn_atoi(s);
	case 17: return (long)__norn_strtod(s, NULL);
	case 18: return (long)__norn_strcoll(s, t);
	default: return (long)__norn__ZSt11_Hash_bytesPKvmm(s, n, 3);
	}
}

/* All bytes, or those that the calls in the log have not read. */
static void scramble(struct random *random, bool unread)
{
	for (size_t i = 0; i + 1 < SEEN_SIZE; i++)
		if (!unread || !ranges_log_bytes(false, seen_text + i, 1))
			seen_text[i] = "ab19 "[random_below(random, 6)];
}

TAP_CASE(results_depend_on_what_was_seen)
{
	struct random random = random_seeded(9);
	for (int round = 0; round < ROUNDS / 4; round++) {
		int which = (int)random_below(&random, 20);
		size_t x = random_below(&random, 70), y = random_below(&random, 70),
		       n = random_below(&random, 70);
		tap_at("round %d, function %d", round, which);
		scramble(&random, false);
		ranges_log_clear();
		long result = seeing_result(which, x, y, n);
		ASSERT_TRUE(ranges_log.gathers || !ranges_log.n);
		ASSERT_EQ(ranges_log.unseen, 0);
		scramble(&random, true);
		ASSERT_EQ(seeing_result(which, x, y, n), result);
	}
}
