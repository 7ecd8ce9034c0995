/* SPDX-License-Identifier: MIT */
/* JSON as a tree: what is read is written again, and what is none is refused with its place. */
#include "base/json_tree.h"

#include "tests/support/tap.h"

#include <stdio.h>
#include <string.h>

/* As it is written in a page; "LINE:COLUMN what" if it is none. */
static const char *again(const char *text)
{
	static char got[1000];
	struct arena arena = {0};
	struct err err = {0};
	struct json_node *node = json_parse(&arena, text, strlen(text), &err);

	if (!node) {
		snprintf(got, sizeof(got), "%s", err.message);
	} else {
		struct json json = {.out = output_memory(), .page = true};
		size_t size;

		json_put(&json, NULL, node);
		char *bytes = output_take(json.out, &size);

		snprintf(got, sizeof(got), "%.*s", (int)strcspn(bytes, "\n"), bytes);
		mem_free(bytes);
	}
	arena_release(&arena);
	return got;
}

TAP_CASE(what_is_read_is_written_again)
{
	ASSERT_STR_EQ(again("{\"a\": 1, \"b\": [true, {\"c\": \"x\"}], \"d\": {}}"),
		      "{\"a\":1,\"b\":[true,{\"c\":\"x\"}],\"d\":{}}");
	ASSERT_STR_EQ(again(" [ -1.5e+3 , 0 , null ] "), "[-1.5e+3,0,null]");
	ASSERT_STR_EQ(again("[\"\\u00e9\\ud83d\\ude00\\ud800x\\u0000\\n\"]"),
		      "[\"\u00e9\U0001f600\ufffdx\ufffd\\u000a\"]");
	ASSERT_STR_EQ(again("[\"a\xff\"]"), "[\"a\ufffd\"]");
}

TAP_CASE(a_page_is_safe_from_it)
{
	ASSERT_STR_EQ(again("{\"</script>\": \"<!-- & ']]>\"}"),
		      "{\"\\u003c/script\\u003e\":\"\\u003c!-- \\u0026 \\u0027]]\\u003e\"}");
}

TAP_CASE(what_is_none_is_refused_with_its_place)
{
	ASSERT_STR_EQ(again(""), "line 1, column 1: it ends early");
	ASSERT_STR_EQ(again("{\"a\": 1"), "line 1, column 8: it ends early");
	ASSERT_STR_EQ(again("[1,\n 2 3]"), "line 2, column 4: a comma is missing");
	ASSERT_STR_EQ(again("[1,]"), "line 1, column 4: a value is missing");
	ASSERT_STR_EQ(again("{a: 1}"), "line 1, column 2: a name is missing");
	ASSERT_STR_EQ(again("{\"a\" 1}"), "line 1, column 6: a colon is missing");
	ASSERT_STR_EQ(again("[01]"), "line 1, column 2: a value is missing");
	ASSERT_STR_EQ(again("[1.]"), "line 1, column 2: a value is missing");
	ASSERT_STR_EQ(again("[1e]"), "line 1, column 2: a value is missing");
	ASSERT_STR_EQ(again("[\"\\x\"]"), "line 1, column 4: no such escape");
	ASSERT_STR_EQ(again("[\"\\u12\"]"), "line 1, column 4: no such escape");
	ASSERT_STR_EQ(again("[\"a\nb\"]"), "line 1, column 4: a control character in a string");
	ASSERT_STR_EQ(again("[] []"), "line 1, column 4: something behind the end");
}

TAP_CASE(it_does_not_go_too_deep)
{
	char deep[300];

	memset(deep, '[', 150);
	memset(deep + 150, ']', 150);
	deep[299] = '\0';
	ASSERT_STR_EQ(again(deep), "line 1, column 101: it goes too deep");
}

TAP_CASE(members_are_found)
{
	struct arena arena = {0};
	struct err err = {0};
	const char *text = "{\"a\": \"x\", \"n\": 12, \"t\": true, \"l\": [1, 2]}";
	struct json_node *node = json_parse(&arena, text, strlen(text), &err);

	ASSERT_STR_EQ(json_text(node, "a"), "x");
	ASSERT_STR_EQ(json_text(node, "n"), "");
	ASSERT_STR_EQ(json_text(NULL, "a"), "");
	ASSERT_TRUE(json_number(node, "n") == 12 && json_number(node, "a") == 0);
	ASSERT_TRUE(json_true(node, "t") && !json_true(node, "n"));
	ASSERT_TRUE(json_count(json_member(node, "l")) == 2 && !json_member(node, "no"));
	arena_release(&arena);
}
