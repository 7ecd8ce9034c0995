/* What tests and benches read reports with. */
#include "tests/support/json_scan.h"

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
	ASSERT_STR_EQ(scanned("{\"a\\\"b\": \"c\\\\d\\u0041\"}"), "a\"b=c\\d\\u0041;");
}

TAP_CASE(half_a_report_is_bad)
{
	ASSERT_STR_EQ(scanned("{\"a\": 1"), "bad");
	ASSERT_STR_EQ(scanned("{\"a\": [1, 2}"), "bad");
	ASSERT_STR_EQ(scanned("{\"a\" 1}"), "bad");
	ASSERT_STR_EQ(scanned("{\"a\": \"x"), "bad");
	ASSERT_STR_EQ(scanned(""), "bad");
}
