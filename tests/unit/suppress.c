/* SPDX-License-Identifier: MIT */
/* Suppressions: the file, the patterns, and what they match. */
#include "predict/suppress.h"
#include "tests/support/explored.h"
#include "tests/support/tap.h"

#include <string.h>

static bool fits(const char *pattern, const char *name)
{
	return suppression_fits(pattern, name, strlen(name));
}

TAP_CASE(patterns)
{
	ASSERT_TRUE(fits("foo", "foo"));
	ASSERT_TRUE(fits("foo", "a foo b"));
	ASSERT_FALSE(fits("foo", "fo"));
	ASSERT_TRUE(fits("^foo", "foobar"));
	ASSERT_FALSE(fits("^foo", "xfoo"));
	ASSERT_TRUE(fits("foo$", "xfoo"));
	ASSERT_FALSE(fits("foo$", "foox"));
	ASSERT_TRUE(fits("foo$", "foofoo"));
	ASSERT_TRUE(fits("^foo$", "foo"));
	ASSERT_FALSE(fits("^foo$", "foofoo"));
	ASSERT_TRUE(fits("a*c", "xxabbcxx"));
	ASSERT_FALSE(fits("a*c", "cba"));
	ASSERT_TRUE(fits("^a*c$", "abcbc"));
	ASSERT_FALSE(fits("^a*c$", "abcb"));
	ASSERT_TRUE(fits("a*b*c", "a1b2b3c"));
	ASSERT_FALSE(fits("^*.c$", "a.h"));
	ASSERT_TRUE(fits("^*.c$", "a.c"));
	ASSERT_TRUE(fits("*", "x"));
	ASSERT_TRUE(fits("**", "x"));
	ASSERT_TRUE(fits("^*$", "x"));
	ASSERT_TRUE(fits("aab", "aaab"));
	ASSERT_TRUE(fits("^x*aab$", "xaaab"));
	/* a name that is not known matches nothing */
	ASSERT_FALSE(fits("*", ""));
	ASSERT_FALSE(fits("^$", ""));
}

static int load(struct suppressions *s, const char *text, struct err *err)
{
	struct input *in = input_open_memory(text, strlen(text), "file");
	int code = suppressions_read(s, in, err);

	input_close(in);
	return code;
}

static void expect_error(const char *text, const char *message)
{
	struct suppressions s = {0};
	struct err err = {0};

	ASSERT_EQ(load(&s, text, &err), ERR_INPUT);
	ASSERT_CONTAINS(err.message, message);
	suppressions_release(&s);
}

TAP_CASE(files)
{
	struct suppressions s = {0};
	struct err err = {0};

	ASSERT_EQ(load(&s,
		       "# comment\n\n  race:foo bar \nrace_top:^x$\r\n\tdeadlock:a:b\n"
		       "thread:t\nmutex:m\nsignal:s\ncalled_from_lib:libc.so\n",
		       &err),
		  0);
	ASSERT_EQ(s.all.n, 7);
	ASSERT_EQ(s.all.at[0].type, SUPPRESS_RACE);
	ASSERT_STR_EQ(s.all.at[0].pattern, "foo bar");
	ASSERT_EQ(s.all.at[0].line, 3);
	ASSERT_STR_EQ(s.all.at[0].file, "file");
	ASSERT_EQ(s.all.at[1].type, SUPPRESS_RACE_TOP);
	ASSERT_STR_EQ(s.all.at[1].pattern, "^x$");
	ASSERT_EQ(s.all.at[2].type, SUPPRESS_DEADLOCK);
	ASSERT_STR_EQ(s.all.at[2].pattern, "a:b");
	suppressions_release(&s);
	expect_error("race:x\nleak:y\n", "file:2: no suppression type \"leak\"");
	expect_error("race\n", "file:1: a suppression is TYPE:PATTERN");
	expect_error("race:\n", "file:1: no pattern behind \"race:\"");
	ASSERT_TRUE(suppressions_load(&s, "no/such/file", &err) < 0);
}

static const char race[] = "t1 write counter 1 @src/a.c:10:3:produce\n"
			   "t2 read counter 1 @lib/b.c:20:3:consume\n";

static const char deadlock[] = "t1 acquire m @a.c:1:one\nt1 acquire p @a.c:2:one\n"
			       "t1 release p\nt1 release m\n"
			       "t2 acquire p @b.c:1:two\nt2 acquire m @b.c:2:two\n"
			       "t2 release m\nt2 release p\n";

static bool is_suppressed(const char *trace, const char *suppression)
{
	struct index *index = index_of_text(trace);
	struct explore_result all = explored(index, MODEL_VALUES);
	const struct explore_finding *found =
		all.bugs[BUG_RACE].n ? all.bugs[BUG_RACE].at : all.bugs[BUG_DEADLOCK].at;
	struct suppressions s = {0};
	struct err err = {0};
	struct finding f = {0};

	ASSERT_EQ(load(&s, suppression, &err), 0);
	witness_copy(&f.witness, &found->witness);
	suppressions_match(&s, index, &f);
	ASSERT_EQ(s.all.at[s.all.n - 1].matched, f.suppressed);
	witness_release(&f.witness);
	explore_result_release(&all);
	suppressions_release(&s);
	index_free(index);
	return f.suppressed;
}

TAP_CASE(matches)
{
	ASSERT_TRUE(is_suppressed(race, "race:produce\n"));
	ASSERT_TRUE(is_suppressed(race, "race:^consume$\n"));
	ASSERT_TRUE(is_suppressed(race, "race:^src/*.c$\n"));
	ASSERT_TRUE(is_suppressed(race, "race:lib/\n"));
	ASSERT_TRUE(is_suppressed(race, "race:^counter$\n"));
	ASSERT_FALSE(is_suppressed(race, "race_top:^counter$\n"));
	ASSERT_TRUE(is_suppressed(race, "race_top:^consume$\n"));
	ASSERT_FALSE(is_suppressed(race, "race:t1\n"));
	ASSERT_FALSE(is_suppressed(race, "deadlock:produce\n"));
	ASSERT_FALSE(is_suppressed(race, "thread:produce\n"));
	/* the first that fits counts it */
	ASSERT_TRUE(is_suppressed(race, "race:nothing\nrace:produce\n"));
	ASSERT_TRUE(is_suppressed(deadlock, "deadlock:^two$\n"));
	ASSERT_TRUE(is_suppressed(deadlock, "deadlock:^p$\n"));
	ASSERT_FALSE(is_suppressed(deadlock, "race:^p$\n"));
	/* no location: only the variable has a name */
	ASSERT_FALSE(is_suppressed("t1 write x 1\nt2 write x 2\n", "race_top:*\n"));
	ASSERT_TRUE(is_suppressed("t1 write x 1\nt2 write x 2\n", "race:*\n"));
}
