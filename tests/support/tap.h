/* SPDX-License-Identifier: MIT */
/*
 * Unit tests that print TAP. A test program is one file of cases and nothing else; main is
 * here, and finds them by itself:
 *
 *	TAP_CASE(adds_up)
 *	{
 *		ASSERT_EQ(1 + 1, 2);
 *	}
 *
 * Every case runs in a process of its own: a crash or a BUG fails that case alone, and
 * what it printed is shown as `#` lines. The first assertion that fails ends the case.
 * `build/tests/foo adds_up` runs the named cases only. Tests run from the root of the
 * repository, with $NORN and $BUILD set.
 */
#ifndef SUPPORT_TAP_H
#define SUPPORT_TAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tests with many rounds do that part of them alone: sanitizers make each some ten times slower.
 * With another compiler (make clang) it is the same rounds again.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(TAP_SHORT)
#define TAP_PART(n) ((n) / 10)
#else
#define TAP_PART(n) (n)
#endif

struct tap_case {
	const char *name;
	void (*run)(void);
	struct tap_case *next;
};

void tap_register(struct tap_case *c);
int tap_main(int argc, char **argv);

/* Here and not in the library: other programs that use that have a main of their own. */
#ifndef TAP_WITHOUT_MAIN
int main(int argc, char **argv)
{
	return tap_main(argc, argv);
}
#endif

#define TAP_CASE(case_name)                                                     \
	static void case_name(void);                                            \
	__attribute__((constructor)) static void tap_register_##case_name(void) \
	{                                                                       \
		static struct tap_case c = {#case_name, case_name, 0};          \
		tap_register(&c);                                               \
	}                                                                       \
	static void case_name(void)

/* A `#` line, shown whether the case passes or not. */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What the case is at (a seed, a file): shown if it fails, by an assertion or a crash. */
void tap_at(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the case with a failure. */
void tap_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4), noreturn));

void tap_eq(const char *file, int line, const char *text, intmax_t got, intmax_t want);
void tap_str_eq(const char *file, int line, const char *text, const char *got, const char *want);
void tap_prefix(const char *file, int line, const char *text, const char *got, const char *want);
void tap_contains(const char *file, int line, const char *text, const char *got, const char *want);

/* What the test got, then what it wants. */
#define ASSERT_EQ(got, want) tap_eq(__FILE__, __LINE__, #got, (intmax_t)(got), (intmax_t)(want))
#define ASSERT_STR_EQ(got, want) tap_str_eq(__FILE__, __LINE__, #got, got, want)
/* got starts with want */
#define ASSERT_PREFIX(got, want) tap_prefix(__FILE__, __LINE__, #got, got, want)
/* want is somewhere in got */
#define ASSERT_CONTAINS(got, want) tap_contains(__FILE__, __LINE__, #got, got, want)
#define ASSERT_TRUE(condition) \
	((condition) ? (void)0 : tap_fail(__FILE__, __LINE__, "not true: %s", #condition))
#define ASSERT_FALSE(condition) \
	((condition) ? tap_fail(__FILE__, __LINE__, "not false: %s", #condition) : (void)0)
#define FAIL(...) tap_fail(__FILE__, __LINE__, __VA_ARGS__)

#endif
