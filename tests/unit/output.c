/* SPDX-License-Identifier: MIT */
/* What is written: JSON is JSON whatever the strings hold, and nothing half written is left. */
#include "base/output.h"

#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What json_string makes of a string, between its quotes. */
static const char *quoted(const char *text)
{
	static char got[1000];
	char path[] = "/tmp/norn-test-XXXXXX";
	int fd = mkstemp(path);
	struct err err = {0};
	struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);
	struct json json = {.out = out};

	ASSERT_TRUE(fd >= 0 && out);
	json_open(&json, NULL, '[');
	json_string(&json, NULL, text);
	json_close(&json, ']');
	ASSERT_EQ(output_close(out, &err), 0);
	ssize_t size = read(fd, got, sizeof(got) - 1);

	close(fd);
	unlink(path);
	ASSERT_TRUE(size > 0);
	got[size] = '\0';
	char *start = strchr(got, '"'), *end = strrchr(got, '"');

	ASSERT_TRUE(start && end > start);
	*end = '\0';
	return start + 1;
}

TAP_CASE(json_escapes)
{
	ASSERT_STR_EQ(quoted(""), "");
	ASSERT_STR_EQ(quoted("a/b c"), "a/b c");
	ASSERT_STR_EQ(quoted("\"\\"), "\\\"\\\\");
	ASSERT_STR_EQ(quoted("\t\n\x01\x1f\x7f"), "\\u0009\\u000a\\u0001\\u001f\x7f");
}

TAP_CASE(json_keeps_utf8)
{
	static const char *const good[] = {
		"\xc2\x80",	    "\xc3\xa9",		"\xdf\xbf",	    "\xe0\xa0\x80",
		"\xe2\x82\xac",	    "\xed\x9f\xbf",	"\xee\x80\x80",	    "\xef\xbf\xbf",
		"\xf0\x90\x80\x80", "\xf0\x9f\xa7\xb5", "\xf4\x8f\xbf\xbf",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ASSERT_STR_EQ(quoted(good[i]), good[i]);
}

/* One replacement for each byte. */
TAP_CASE(json_replaces_what_is_no_utf8)
{
	static const char *const bad[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xc3",
		"\xe2\x82",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf0\x9f\xa7",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xfe",
		"\xff\xff",
	};
	char want[100];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		*want = '\0';
		for (size_t k = 0; k < strlen(bad[i]); k++)
			strcat(want, "\\ufffd");
		ASSERT_STR_EQ(quoted(bad[i]), want);
	}
	ASSERT_STR_EQ(quoted("a\xff"
			     "b"),
		      "a\\ufffdb");
	ASSERT_STR_EQ(quoted("\xe2\x82"
			     "b"),
		      "\\ufffd\\ufffdb");
	ASSERT_STR_EQ(quoted("\xc3\"x"), "\\ufffd\\\"x");
	ASSERT_STR_EQ(quoted("\xff\xc3\xa9"), "\\ufffd\xc3\xa9");
}

TAP_CASE(temporary_files)
{
	char path[] = "/tmp/norn-test-XXXXXX", left[60];
	struct err err = {0};

	ASSERT_TRUE(mkdtemp(path) != NULL);
	snprintf(left, sizeof(left), "%s/out", path);
	struct output *a = output_open(left, OUTPUT_REPLACE, &err);
	struct output *b = output_open(left, OUTPUT_REPLACE, &err);
	struct output *c = output_open(left, OUTPUT_REPLACE, &err);

	output_abandon(b);
	ASSERT_TRUE(rmdir(path) < 0); /* those of a and c are there */
	output_remove_temporaries();
	ASSERT_EQ(rmdir(path), 0);
	output_abandon(a);
	output_abandon(c);
	output_remove_temporaries();
}
