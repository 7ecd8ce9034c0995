/* SPDX-License-Identifier: MIT */
/* Files of events: what is read, what is refused and where, and which functions a target names. */
#include "events/events.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <string.h>

static int load(struct events *events, const char *text, struct err *err)
{
	struct input *in = input_open_memory(text, strlen(text), "file");
	int code = events_read(events, in, false, err);

	input_close(in);
	return code;
}

/* The only line of the text. */
static struct events_line only(struct events *events, const char *text)
{
	struct err err = {0};

	ASSERT_EQ(load(events, text, &err), 0);
	ASSERT_EQ(events->lines.n, 1);
	return events->lines.at[0];
}

static void expect_error(const char *text, const char *message)
{
	struct events events = {0};
	struct err err = {0};

	ASSERT_EQ(load(&events, text, &err), ERR_INPUT);
	ASSERT_CONTAINS(err.message, message);
	events_release(&events);
}

TAP_CASE(a_line_has_its_parts)
{
	struct events events = {0};
	struct events_line line =
		only(&events, "# first\n\n  acquire( #1 ) after call lock_it\t\n");

	ASSERT_EQ(line.effect, EVENTS_ACQUIRE);
	ASSERT_EQ(line.when, EVENTS_AFTER);
	ASSERT_EQ(line.what, EVENTS_CALL);
	ASSERT_FALSE(line.fuzzy);
	ASSERT_EQ(line.fields, 1);
	ASSERT_EQ(line.field[0].argument, 1);
	ASSERT_STR_EQ(line.target, "lock_it");
	ASSERT_EQ(line.condition.compare, EVENTS_ALWAYS);
	ASSERT_STR_EQ(line.file, "file");
	ASSERT_EQ(line.line, 3);
	ASSERT_EQ(line.column, 28);
	events_release(&events);
}

TAP_CASE(every_effect_can_be_written)
{
	static const char *const texts[EVENTS_EFFECT_COUNT] = {
		[EVENTS_ACQUIRE] = "acquire(#0) after call f",
		[EVENTS_ACQUIRE_SHARED] = "acquire-shared(#0) after call f",
		[EVENTS_RELEASE] = "release(#0) before call f",
		[EVENTS_RELEASE_SHARED] = "release-shared(#0) before call f",
		[EVENTS_WAIT] = "wait(#0, #1) around call f",
		[EVENTS_SIGNAL] = "signal(#0) before call f",
		[EVENTS_BROADCAST] = "broadcast(#0) before call f",
		[EVENTS_SEM_INIT] = "sem-init(#0, #1) after call f",
		[EVENTS_SEM_POST] = "sem-post(#0) before call f",
		[EVENTS_SEM_WAIT] = "sem-wait(#0) after call f",
		[EVENTS_HAPPENS_BEFORE] = "happens-before(#0) after call f",
		[EVENTS_HAPPENS_AFTER] = "happens-after(#0) before call f",
		[EVENTS_QUIET] = "quiet call f",
		[EVENTS_RECEIVES] = "receives call f",
		[EVENTS_WRAPPER] = "wrapper call f",
		[EVENTS_FIXED] = "fixed call f",
	};

	for (int i = 0; i < EVENTS_EFFECT_COUNT; i++) {
		struct events events = {0};

		ASSERT_EQ(only(&events, texts[i]).effect, (enum events_effect)i);
		ASSERT_TRUE(strstr(texts[i], events_effect_text[i]) == texts[i]);
		events_release(&events);
	}
	ASSERT_TRUE(events_is_step(EVENTS_WAIT));
	ASSERT_FALSE(events_is_step(EVENTS_HAPPENS_AFTER));
}

TAP_CASE(words_stand_behind_objects)
{
	struct events events = {0};
	struct events_line line = only(&events, "happens-after(#return, look) after call g");

	ASSERT_EQ(line.fields, 1);
	ASSERT_EQ(line.field[0].argument, EVENTS_RETURN);
	ASSERT_STR_EQ(line.word[0], "look");
	events_release(&events);
	line = only(&events, "wait(#0, #1, give_it, _take) around call f if !#return");
	ASSERT_EQ(line.fields, 2);
	ASSERT_STR_EQ(line.word[0], "give_it");
	ASSERT_STR_EQ(line.word[1], "_take");
	ASSERT_EQ(line.condition.compare, EVENTS_EQ);
	ASSERT_EQ(line.condition.value, 0);
	events_release(&events);
}

TAP_CASE(conditions)
{
	static const struct {
		const char *text;
		enum events_compare compare;
		int64_t value;
	} cases[] = {
		{"if #return", EVENTS_NE, 0},	  {"if ! #return", EVENTS_EQ, 0},
		{"if #0 == 3", EVENTS_EQ, 3},	  {"if #0!=-1", EVENTS_NE, -1},
		{"if #1 < 0x10", EVENTS_LT, 16},  {"if #1 <= 7", EVENTS_LE, 7},
		{"if #return > 0", EVENTS_GT, 0}, {"if #return >= 1", EVENTS_GE, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct events events = {0};
		char text[80];

		snprintf(text, sizeof(text), "acquire(#0) after call f %s", cases[i].text);
		struct events_line line = only(&events, text);

		ASSERT_EQ(line.condition.compare, cases[i].compare);
		ASSERT_EQ(line.condition.value, cases[i].value);
		ASSERT_STR_EQ(line.target, "f");
		events_release(&events);
	}
}

TAP_CASE(targets_of_cxx_have_blanks)
{
	struct events events = {0};

	ASSERT_STR_EQ(only(&events, "quiet call Pool::get(unsigned long, int) const").target,
		      "Pool::get(unsigned long, int) const");
	events_release(&events);
	ASSERT_STR_EQ(only(&events, "acquire(#0) after call a<b, c>::lock  if #return").target,
		      "a<b, c>::lock");
	events_release(&events);
	ASSERT_TRUE(only(&events, "quiet call z_*").fuzzy);
	events_release(&events);
	ASSERT_EQ(only(&events, "happens-after(#0) before body on_item").what, EVENTS_BODY);
	events_release(&events);
}

TAP_CASE(what_makes_no_sense_is_refused_with_its_place)
{
	expect_error("aquire-it(#0) after call f", "file:1:1: expected an event: a name of ");
	expect_error("\n  acquire #0 after call f",
		     "file:2:11: expected \"(\" and what it is about");
	expect_error("acquire() after call f", "file:1:9: expected an argument (#0, #1, …)");
	expect_error("acquire(#) after call f", "file:1:10: expected the number of an argument");
	expect_error("acquire(#x) after call f", "file:1:10: expected the number");
	expect_error("acquire(#300) after call f", "up to #255");
	expect_error("acquire(#0, #1) after call f", "file:1:13: acquire has 1 field at most");
	expect_error("acquire(#0 after call f",
		     "file:1:12: expected \",\" or \")\", not \"after\"");
	expect_error("acquire(*#0) after call f", "file:1:9: only arguments as they are");
	expect_error("acquire(#0->m) after call f", "file:1:11: members");
	expect_error("acquire(#0) before call f", "file:1:13: expected \"after\" (for acquire)");
	expect_error("release(#0) after call f", "file:1:13: expected \"before\"");
	expect_error("acquire(#0)", "file:1:12: expected \"after\"");
	expect_error("acquire(#0) after calls f", "file:1:19: expected \"call\", not \"calls\"");
	expect_error("acquire(#0) after line a.c:3", "file:1:19: acquire is for calls only");
	expect_error("acquire(#0) after body f",
		     "file:1:19: acquire is for calls only, not for \"body\"");
	expect_error("happens-after(#0) after read-global x", "file:1:25: ");
	expect_error("acquire(#0) after call", "file:1:23: expected the name of a function");
	expect_error("acquire(#0) after call if #return", "expected the name of a function");
	expect_error("quiet call *", "file:1:12: this matches every function");
	expect_error("quiet(#0) call f", "file:1:6: quiet has no fields");
	expect_error("quiet call f if #0", "file:1:14: this line cannot have a condition");
	expect_error("wait(#0) around call f", "file:1:8: wait has 2 fields");
	expect_error("wait(#0, #1, 7) around call f", "file:1:14: expected a word");
	expect_error("happens-after(#0, ) after call f", "file:1:19: expected a word");
	expect_error("acquire(#0) after call f if", "file:1:28: expected an argument");
	expect_error("acquire(#0) after call f if #0 =! 3", "file:1:32: expected ==, !=");
	expect_error("acquire(#0) after call f if #0 == x", "file:1:35: expected a number");
	expect_error("acquire(#0) after call f if !#0 == 3", "file:1:33: expected the end");
	expect_error("acquire(#return) after call f", "file:1:9: #return is not known before");
	expect_error("release(#0) before call f if #return", "file:1:30: #return is not known");
	expect_error("happens-after(#return) before call f", "file:1:15: #return is not known");
	expect_error("happens-after(#return) after body f", "file:1:15: the body of a function");
}

TAP_CASE(text_only)
{
	struct events events = {0};
	struct input *in = input_open_memory("quiet\0call f", 12, "file");
	struct err err = {0};

	ASSERT_EQ(events_read(&events, in, false, &err), ERR_INPUT);
	ASSERT_CONTAINS(err.message, "file:1:6: a byte 0");
	input_close(in);
	events_release(&events);
}

TAP_CASE(a_file_that_is_not_there)
{
	struct events events = {0};
	struct err err = {0};

	ASSERT_EQ(events_load(&events, "/nowhere/x.events", false, &err), ERR_SYSTEM);
	events_release(&events);
}

TAP_CASE(targets_name_functions)
{
	ASSERT_TRUE(events_names("f", "f", NULL));
	ASSERT_FALSE(events_names("f", "ff", NULL));
	ASSERT_TRUE(events_names("g_*_lock", "g_mutex_lock", NULL));
	ASSERT_TRUE(events_names("g_*_lock", "g_rw_lock_reader_lock", NULL));
	ASSERT_FALSE(events_names("g_*_lock", "g_mutex_trylock2", NULL));
	ASSERT_TRUE(events_names("*_lock*", "a_lock", NULL));
	ASSERT_TRUE(events_names("_ZN6QMutex4lockEv", "_ZN6QMutex4lockEv", "QMutex::lock()"));
	ASSERT_TRUE(events_names("QMutex::lock", "_ZN6QMutex4lockEv", "QMutex::lock()"));
	ASSERT_TRUE(events_names("QMutex::lock()", "_ZN6QMutex4lockEv", "QMutex::lock()"));
	ASSERT_TRUE(events_names("A::get", "_x", "A::get(int (*)(void*)) const"));
	ASSERT_FALSE(events_names("QMutex", "_ZN6QMutex4lockEv", "QMutex::lock()"));
	ASSERT_TRUE(
		events_names("(anonymous namespace)::f", "_x", "(anonymous namespace)::f(int)"));
	ASSERT_TRUE(events_names("W::wait(M*)", "_x", "W::wait(M*, unsigned long)"));
	ASSERT_FALSE(events_names("W::wait(M*)", "_x", "W::wait(R*, unsigned long)"));
}

/* Marks */

TAP_CASE(a_mark_has_its_parts)
{
	struct events events = {0};
	struct events_line line =
		only(&events,
		     " get_2( #0, **#1 ,#return->size, word ) after call pool::get if #0 != -3");

	ASSERT_EQ(line.effect, EVENTS_MARK);
	ASSERT_STR_EQ(line.mark, "get_2");
	ASSERT_EQ(line.when, EVENTS_AFTER);
	ASSERT_EQ(line.what, EVENTS_CALL);
	ASSERT_EQ(line.fields, 4);
	ASSERT_EQ(line.field[0].argument, 0);
	ASSERT_EQ(line.field[0].stars, 0);
	ASSERT_EQ(line.field[1].argument, 1);
	ASSERT_EQ(line.field[1].stars, 2);
	ASSERT_EQ(line.field[2].argument, EVENTS_RETURN);
	ASSERT_STR_EQ(line.field[2].member, "size");
	ASSERT_EQ(line.field[3].argument, EVENTS_WORD);
	ASSERT_STR_EQ(line.field[3].word, "word");
	ASSERT_EQ(line.field[3].column, 34);
	ASSERT_STR_EQ(line.target, "pool::get");
	ASSERT_EQ(line.condition.compare, EVENTS_NE);
	ASSERT_EQ(line.condition.value, -3);
	ASSERT_EQ(events_mark_fields(&line), 4);
	ASSERT_FALSE(events_is_step(line.effect));
	events_release(&events);
}

TAP_CASE(marks_have_places)
{
	struct events events = {0};
	struct events_line line = only(&events, "x(#address, #size, #value) after read-global a.b");

	ASSERT_EQ(line.what, EVENTS_READ);
	ASSERT_EQ(line.field[0].argument, EVENTS_ADDRESS);
	ASSERT_EQ(line.field[1].argument, EVENTS_SIZE);
	ASSERT_EQ(line.field[2].argument, EVENTS_VALUE);
	ASSERT_STR_EQ(line.target, "a");
	ASSERT_STR_EQ(line.member, "b");
	events_release(&events);
	line = only(&events, "x() around write-global y if #value");
	ASSERT_EQ(line.what, EVENTS_WRITE);
	ASSERT_EQ(line.when, EVENTS_AROUND);
	ASSERT_EQ(events_mark_fields(&line), 1);
	ASSERT_TRUE(line.member == NULL);
	events_release(&events);
	line = only(&events, "x before line src/a.c:120");
	ASSERT_EQ(line.what, EVENTS_LINE);
	ASSERT_STR_EQ(line.target, "src/a.c");
	ASSERT_EQ(line.source_line, 120);
	events_release(&events);
	line = only(&events, "x after body f* if !#return->n");
	ASSERT_EQ(line.what, EVENTS_BODY);
	ASSERT_TRUE(line.fuzzy);
	ASSERT_EQ(line.condition.compare, EVENTS_EQ);
	ASSERT_STR_EQ(line.condition.field.member, "n");
	events_release(&events);
}

TAP_CASE(what_is_wrong_with_marks)
{
	expect_error("2x before call f", "file:1:1: expected an event: a name of ");
	expect_error("x", "file:1:2: expected \"before\" or \"after\" or \"around\", not the end");
	expect_error("x before calls f", "file:1:10: expected call, body, read-global, ");
	expect_error("x( before call f", "file:1:11: expected \",\" or \")\", not \"call\"");
	expect_error("x(#) before call f", "file:1:4: expected the number of an argument, ");
	expect_error("x(#returns) before call f", "file:1:4: expected the number of an argument");
	expect_error("x(&#0) before call f", "file:1:3: expected a field: a value (#0");
	expect_error("x(7) before call f", "file:1:3: expected a field");
	expect_error("x(*****#0) before call f", "file:1:3: at most 4 \"*\"");
	expect_error("x(*#0->m) before call f", "file:1:6: a field has either");
	expect_error("x(#0->) before call f", "file:1:7: expected the name of a member");
	expect_error("x(a, a, a, a, a, a, a) before call f", "file:1:21: an event has 6 fields");
	expect_error("x(#return) before call f", "file:1:3: #return is not known before the call");
	expect_error("x(#return) around body f", "file:1:3: #return is not known before the func");
	expect_error("x before call f if #return", "file:1:20: #return is not known");
	expect_error("x(#value) before read-global y", "file:1:3: #value is not known before");
	expect_error("x(#value) around read-global y", "file:1:3: #value is not known before");
	expect_error("x(#0) before read-global y", "file:1:3: an argument is for call and body");
	expect_error("x(*#value) after read-global y", "file:1:3: #value cannot be dereferenced");
	expect_error("x(#size) before call f", "file:1:3: #size is for read-global and write");
	expect_error("x(#0) before line a.c:3", "file:1:3: a line has no values");
	expect_error("x before line a.c", "file:1:15: expected FILE:NUMBER");
	expect_error("x before line a.c:0", "file:1:15: expected FILE:NUMBER");
	expect_error("x before line a.c:3 if #0", "file:1:24: a line has no values");
	expect_error("x before read-global y.1", "file:1:22: expected a variable, or VARIABLE");
	expect_error("x before read-global", "file:1:21: expected the name of a global variable");
	expect_error("x before call f if word", "file:1:20: expected a value (#0");
	expect_error("x before body *", "file:1:15: this matches every function");
	expect_error("x(#0) after call f\n x(#0, #1) after call g",
		     "file:2:2: x has 2 fields here, but 1 at file:1");
	expect_error("x(#0) after call f\nx around call g",
		     "file:2:1: field 1 of x is a word here, but a number at file:1");
}

TAP_CASE(lines_have_keys)
{
	static const char *const texts[] = {
		"x before call f",	    "y before call f",	     "x after call f",
		"x before body f",	    "x before call g",	     "x(#0) before call f",
		"x(#1) before call f",	    "x(*#0) before call f",  "x(#0->m) before call f",
		"x(w) before call f",	    "x before call f if #0", "x before call f if !#0",
		"x before line f:1",	    "x before line f:2",     "x before read-global f",
		"x before read-global f.m",
	};
	uint64_t keys[sizeof(texts) / sizeof(*texts)];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct events events = {0}, again = {0};
		struct events_line line = only(&events, texts[i]), same = only(&again, texts[i]);

		keys[i] = events_mark_key(&line);
		ASSERT_EQ(events_mark_key(&same), keys[i]);
		for (size_t k = 0; k < i; k++)
			ASSERT_TRUE(keys[k] != keys[i]);
		events_release(&events);
		events_release(&again);
	}
}

TAP_CASE(targets_name_files)
{
	ASSERT_TRUE(events_names_file("a.c", "a.c"));
	ASSERT_TRUE(events_names_file("a.c", "/x/y/a.c"));
	ASSERT_TRUE(events_names_file("y/a.c", "/x/y/a.c"));
	ASSERT_TRUE(events_names_file("/x/*.c", "/x/y/a.c"));
	ASSERT_FALSE(events_names_file("a.c", "/x/ba.c"));
	ASSERT_FALSE(events_names_file("x/a.c", "/x/y/a.c"));
	ASSERT_FALSE(events_names_file("y/a.c", "a.c"));
}

TAP_CASE(targets_name_templates)
{
	ASSERT_TRUE(events_names("lib::twice<int>", "_x", "int lib::twice<int>(int)"));
	ASSERT_TRUE(events_names("f<a, b>", "_x", "std::pair<x, y> f<a, b>(a)"));
	ASSERT_FALSE(events_names("twice<int>", "_x", "int lib::twice<int>(int)"));
	ASSERT_FALSE(events_names("b>", "_x", "f<a, b>(a)"));
}
