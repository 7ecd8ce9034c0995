/* SPDX-License-Identifier: MIT */
/* What reports are read with. */
#include "base/json_scan.h"

#include "tests/support/tap.h"

#include <string.h>

static void collect(void *context, const char *path, const char *text)
{
	char *all = context;

	ASSERT_TRUE(strlen(all) + strlen(path) + strlen(text) + 3 < 1000);
	sprintf(all + strlen(all), "%s=%s;", path, text);
}

static const char *scanned(const char *json)
{
	static char all[1000];
	FILE *in = fmemopen((void *)json, strlen(json), "r");

	all[0] = '\0';
	if (!json_scan(in, collect, all))
		strcpy(all, "bad");
	fclose(in);
	return all;
}

TAP_CASE(scalars_come_with_their_paths)
{
	ASSERT_STR_EQ(scanned("{\"a\": 1, \"b\": [true, {\"c\": \"x\"}], \"d\": {}}"),
		      "a=1;b[]=true;b[].c=x;");
	ASSERT_STR_EQ(scanned("[[1.5e3, -2], []]"), "[][]=1.5e3;[][]=-2;");
	ASSERT_STR_EQ(scanned("{\"a\\\"b\": \"c\\\\d\\u0041\"}"), "a\"b=c\\dA;");
	ASSERT_STR_EQ(scanned("[\"\\u00e9\\u20ac\\ud800\\n\"]"), "[]=\u00e9\u20ac\ufffd\n;");
}

TAP_CASE(half_a_report_is_bad)
{
	ASSERT_STR_EQ(scanned("{\"a\": 1"), "bad");
	ASSERT_STR_EQ(scanned("{\"a\": [1, 2}"), "bad");
	ASSERT_STR_EQ(scanned("{\"a\" 1}"), "bad");
	ASSERT_STR_EQ(scanned("{\"a\": \"x"), "bad");
	ASSERT_STR_EQ(scanned(""), "bad");
	ASSERT_STR_EQ(scanned("\"\\x\""), "bad");
	ASSERT_STR_EQ(scanned("\"\\u12\""), "bad");
}

TAP_CASE(too_deep_is_bad)
{
	char deep[20001];

	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	ASSERT_STR_EQ(scanned(deep), "bad");
	for (size_t i = 0; i + 5 < sizeof(deep); i += 4)
		memcpy(deep + i, "{\"\":", 4);
	ASSERT_STR_EQ(scanned(deep), "bad");
}
