/* SPDX-License-Identifier: MIT */
/*
 * The consistency check: consistent random traces are accepted, every rule of doc/model.md
 * rejects what breaks it and nothing else, and on mutated traces the check agrees with a naive
 * one that shares nothing with it.
 */
#include "trace/check.h"

#include "tests/support/naive_check.h"
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_TRACES TAP_PART(3000)
#define MUTANTS TAP_PART(30000)

/* 0, or an error with its message in err. */
static int check_text(const char *text, uint64_t *events, struct err *err)
{
	struct reader *r = reader_open_memory(text, strlen(text), "trace", "text", err);

	if (!r)
		return err->code;
	int code = check_reader(r, events, err);

	reader_close(r);
	return code;
}

static void assert_accepted(const char *text)
{
	uint64_t events;
	struct err err;

	if (check_text(text, &events, &err) < 0)
		FAIL("%s\n%s", err.message, text);
}

TAP_CASE(conformance_is_consistent)
{
	glob_t files;

	ASSERT_EQ(glob("tests/conformance/*.trace", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct bytes text = bytes_of_file(files.gl_pathv[i]);

		tap_at("%s", files.gl_pathv[i]);
		assert_accepted(text.at);
		ASSERT_EQ(naive_check(text.at).line, 0);
		bytes_release(&text);
	}
	globfree(&files);
}

TAP_CASE(random_traces_are_consistent)
{
	for (uint64_t seed = 1; seed <= RANDOM_TRACES; seed++) {
		uint32_t events = seed % 100 ? 60 : 2000;
		struct random_trace knobs = random_trace_knobs(seed, events, RANDOM_EVERYTHING);
		char *text = random_trace_make(&knobs);

		tap_at("random_trace_knobs(%llu, %u, RANDOM_EVERYTHING)", (unsigned long long)seed,
		       events);
		assert_accepted(text);
		struct naive_verdict naive = naive_check(text);

		if (naive.line || naive.condition_count || naive.unreadable_count)
			FAIL("naive: line %llu: %s, %d, %d\n%s", (unsigned long long)naive.line,
			     naive.why, naive.condition_count, naive.unreadable_count, text);
		free(text);
	}
}

/* What each row of the table of events, and each rule, allows. */
TAP_CASE(consistent_by_hand)
{
	static const char *const texts[] = {
		"",
		"a fork b\nb begin\nb end\na join b\n",
		"b read x 0\na join b\na join b\n",
		"a fork b\na join b\n",
		"a end\n",
		"init x 3\na read x 3\na write x 4\nb read x 4\n",
		"a read x 0 y 0\na write x 1 y 2\na read y 2 x 1\n",
		"a rmw x 0 1 y 0 2\na rmw y 2 2\na read x 1\n",
		"a external x 5\na read x 5\n",
		"a acquire l\na release l\nb acquire l\n",
		"a acquire l\nb acquire m\na acquire n\na release l\na release n\n",
		"a acquire-shared l\nb acquire-shared l\na acquire-shared l\na release-shared l\n"
		"a release-shared l\nb release-shared l\nb acquire l\n",
		"a acquire l\nb try-fail l\n",
		"a acquire-shared l\nb try-fail l\n",
		"a acquire-shared l\nb acquire-shared l\na try-fail l\n",
		"a acquire l\na wait c l\nb signal c\na woken c l by=3\n",
		"a acquire l\na wait c l\na woken c l by=-\na release l\n",
		"a acquire l\na wait c l\nb acquire l\nb wait c l\nm broadcast c\n"
		"b woken c l by=5\nb release l\na woken c l by=5\n",
		/* one signal, one of two sleepers */
		"a acquire l\na wait c l\nb acquire l\nb wait c l\nm signal c\nb woken c l by=5\n",
		"a acquire l\na wait c l\nb acquire l\nb wait c l\nm signal c\nm signal c\n"
		"b woken c l by=5\nb release l\na woken c l by=6\n",
		/* the later signal's thread is seen to wake first */
		"a acquire l\na wait c l\nb acquire l\nb wait c l\nm signal c\nm signal c\n"
		"b woken c l by=6\nb release l\na woken c l by=5\n",
		/* who is never seen to wake, or woke by itself, was not asleep for anyone */
		"a acquire l\na wait c l\nm signal c\nm broadcast c\n",
		"a acquire l\na wait c l\nm signal c\nm broadcast c\na woken c l by=-\n",
		"signal signal c\n",
		"barrier b 1\na barrier-enter b\na barrier-exit b\na barrier-enter b\n"
		"a barrier-exit b\n",
		"barrier b 2\na barrier-enter b\nc barrier-enter b\nc barrier-exit b\n"
		"c barrier-enter b\na barrier-exit b\na barrier-enter b\na barrier-exit b\n",
		"sem s 1\na sem-wait s\na sem-fail s\na sem-post s\nb sem-wait s\n",
		"a sem-fail s\n",
		"a once-begin o\na once-end o\nb once-pass o\na once-pass o\n",
		"init x 2\na alloc x\na read x 2\na free x\n",
		"a free x\n",
		"a alloc x y\na free y x\n",
		"a branch\na branch reads=\n",
		"a read x 0\na branch reads=1\na branch if (= %1 0)\na write y 1 reads=1,1\n",
		"a read x 0\na write y 5 = (+ %1 5)\na rmw x 0 7 = (+ %3 7)\na rmw x 7 7 reads=4\n",
		"a read x 0\na acquire l at=1\na end at=1\n",
		"a mark m 1 2\n",
		"a write x 1 order=release\nb read x 1 order=acquire\n",
		"meta k v\nvolatile x\na write x 1\n",
		/* memory: 4 bytes, one of them, two of them */
		"memory w b 0 4\nmemory c b 1 1\nmemory h b 2 2\na write w 0x04030201\n"
		"b read c 2\nb read h 0x0403\nb write c 0xff\na read w 0x0403ff01\n",
		"memory w b 0 4\nmemory c b 1 1\ninit w 0x0300\na read c 3\n",
		"memory w b 0 4\nmemory v d 1 1\na write w 0xffffffff\na read v 0\n",
		"memory o b 0 100\nmemory x b 8 8\na alloc o\na write x -1\na free o\n",
		"memory w b 0 4\nmemory c b 1 1\na read w 0\na write w 511 = (+ %1 511)\n"
		"a read c 1\n",
		"memory x b 0 1\nmemory y b 1 3\na write x 2 y 1 = 258\na read x 2 y 1\n"
		"a branch if (= %2 258)\n",
		"memory x b 0 1\nmemory y b 4 4\na write x 1 y 1 = 0x100000001\n",
		"memory x b 0 1\nmemory y b 7 1\na read x 0 y 0\na branch if (= %1 0)\n",
		/* each takes its own bytes of the value, and nobody those between them */
		"memory x b 0 1\nmemory y b 6 1\nmemory z b 4 1\n"
		"a write x 1 y 2 z 3 = 0x0002000300000001\n"
		"a rmw x 1 4 y 2 5 z 3 6 = (+ %2 0x9903880377777703)\n"
		"a read x 4 y 5 z 6\na branch if (= %3 0x0005000600000004)\n",
		"memory w b 0 2\na write w 0 = 65536\n",
		"memory w b 0 2\na write w 0xffff = -1\na rmw w 0xffff 0 = (+ %2 1)\n"
		"a branch if (= %2 0xffff)\n",
		"memory w b 0 4\nmemory c b 1 1\na write w 0xfffffffe = -2\na read c 255\n",
		"memory w b 0 8\na write w -2 = -2\na read w -2\na branch if (= %2 -2)\n",
		"memory x b 0 1\nmemory y b 1 7\na write x 254 y 0xffffffffffffff = -2\n",
		"a write x -65536 = -65536\n",
		/* several values: only what it depends on */
		"a read x 0 y 0\na branch reads=1\na read z 0 at=1\na write z 1 reads=1 at=1\n"
		"a rmw x 0 1 y 0 2 reads=5\n",
		"memory x b 0 1\nmemory y b 8 1\na read x 0 y 0\na branch reads=1 at=1\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		tap_at("row %zu", i);
		assert_accepted(texts[i]);
		struct naive_verdict naive = naive_check(texts[i]);

		if (naive.line || naive.condition_count || naive.unreadable_count)
			FAIL("naive: line %llu: %s\n%s", (unsigned long long)naive.line, naive.why,
			     texts[i]);
	}
}

static const struct {
	const char *text;
	uint64_t event;	  /* the first that cannot happen */
	const char *word; /* in the message */
} inconsistent[] = {
	{"a join b\nc fork b\n", 1, "forked later"},
	/* threads */
	{"a fork a\n", 1, "itself"},
	{"b read x 0\na fork b\n", 1, "forked later"},
	{"b read x 0\na read x 1\na fork b\n", 1, "forked later"},
	{"a fork b\nc fork b\n", 2, "forked"},
	{"a fork b\nb end\nc fork b\n", 3, "forked"},
	{"a read x 0\na begin\n", 2, "first"},
	{"a begin\na begin\n", 2, "first"},
	{"a end\na read x 0\n", 2, "ended"},
	{"a end\na end\n", 2, "ended"},
	{"a join a\n", 1, "itself"},
	{"b begin\na join b\nb end\n", 2, "continues with"},
	{"a join b\nb begin\n", 1, "continues with"},
	{"a join b\na read x 1\nb begin\n", 1, "continues with"},
	/* memory */
	{"a read x 1\n", 1, "holds 0"},
	{"init x 2\na read x 0\n", 1, "holds 2"},
	{"a write x 1\nb read x 0\n", 2, "holds 1"},
	{"a write x 1 y 2\nb read y 2 x 2\n", 2, "holds 1"},
	{"a rmw x 1 2\n", 1, "holds 0"},
	{"a rmw x 0 2\na rmw x 0 2\n", 2, "holds 2"},
	{"a rmw x 0 1 y 1 1\n", 1, "holds 0"},
	{"a external x 1\na read x 0\n", 2, "holds 1"},
	{"a write x -1\na read x 0xfffffffffffffffe\n", 2, "holds -1"},
	{"memory w b 0 4\nmemory c b 1 1\na write w 0x100\na read c 0\n", 2, "holds 1"},
	{"memory w b 0 4\nmemory c b 1 1\na write c 1\na read w 0\n", 2, "holds 1"},
	{"memory w b 0 4\nmemory c b 1 1\ninit w 0x100\na read c 0\n", 1, "holds 1"},
	/* locks */
	{"a acquire l\na acquire l\n", 2, "holds"},
	{"a acquire l\nb acquire l\n", 2, "holds"},
	{"a acquire-shared l\na acquire l\n", 2, "shared"},
	{"a acquire-shared l\nb acquire l\n", 2, "shared"},
	{"a release l\n", 1, "hold"},
	{"a acquire l\nb release l\n", 2, "hold"},
	{"a acquire l\na release l\na release l\n", 3, "hold"},
	{"a acquire-shared l\na release l\n", 2, "hold"},
	{"a acquire l\na release-shared l\n", 2, "hold"},
	{"a release-shared l\n", 1, "hold"},
	{"a acquire-shared l\nb release-shared l\n", 2, "hold"},
	{"a acquire-shared l\na release-shared l\na release-shared l\n", 3, "hold"},
	{"a acquire l\nb acquire-shared l\n", 2, "holds"},
	{"a acquire l\na acquire-shared l\n", 2, "holds"},
	{"a try-fail l\n", 1, "no other"},
	{"a acquire l\na try-fail l\n", 2, "no other"},
	{"a acquire-shared l\na try-fail l\n", 2, "no other"},
	{"a acquire l\na release l\nb try-fail l\n", 3, "no other"},
	/* conditions */
	{"a wait c l\n", 1, "hold"},
	{"b acquire l\na wait c l\n", 2, "hold"},
	{"a acquire-shared l\na wait c l\n", 2, "hold"},
	{"a acquire l\na wait c l\na release l\n", 3, "waits"},
	{"a acquire l\na wait c l\na read x 0\n", 3, "waits"},
	{"a acquire l\na wait c l\na end\n", 3, "waits"},
	{"a acquire l\na wait c l\nb acquire l\na woken c l by=-\n", 4, "holds"},
	{"a acquire l\na wait c l\nb acquire-shared l\na woken c l by=-\n", 4, "shared"},
	{"a woken c l by=-\n", 1, "wait"},
	{"a acquire l\na woken c l by=-\n", 2, "wait"},
	{"a acquire l\na wait c l\na woken d l by=-\n", 3, "wait"},
	{"a acquire l\na wait c l\na woken c m by=-\n", 3, "wait"},
	{"a acquire l\na wait c l\na woken c l by=2\n", 3, "signal"},
	{"b signal c\na acquire l\na wait c l\na woken c l by=1\n", 4, "signal"},
	{"a acquire l\na wait c l\nb signal d\na woken c l by=3\n", 4, "signal"},
	{"a acquire l\na wait c l\nb sem-post c\na woken c l by=3\n", 4, "signal"},
	{"a acquire l\na wait c l\nb acquire l\nb wait c l\nm signal c\na woken c l by=5\n"
	 "a release l\nb woken c l by=5\n",
	 8, "signal"},
	/* barriers */
	{"a barrier-enter b\n", 1, "barrier"},
	{"a barrier-exit b\n", 1, "barrier"},
	{"barrier b 2\na barrier-exit b\n", 1, "inside"},
	{"barrier b 2\na barrier-enter b\na barrier-exit b\n", 2, "parties"},
	{"barrier b 2\na barrier-enter b\na barrier-enter b\n", 2, "inside"},
	{"barrier b 1\na barrier-enter b\nc barrier-exit b\n", 2, "inside"},
	{"barrier b 1\na barrier-enter b\na barrier-exit b\na barrier-exit b\n", 3, "inside"},
	{"barrier b 2\na barrier-enter b\nc barrier-enter b\na barrier-exit b\na barrier-enter b\n"
	 "a barrier-exit b\n",
	 5, "parties"},
	/* semaphores */
	{"a sem-wait s\n", 1, "is 0"},
	{"sem s 1\na sem-wait s\nb sem-wait s\n", 2, "is 0"},
	{"sem s 1\na sem-fail s\n", 1, "is 1"},
	{"a sem-post s\na sem-fail s\n", 2, "is 1"},
	/* once */
	{"a once-end o\n", 1, "not in"},
	{"a once-pass o\n", 1, "not done"},
	{"a once-begin o\nb once-pass o\n", 2, "not done"},
	{"a once-begin o\nb once-begin o\n", 2, "begun"},
	{"a once-begin o\na once-end o\na once-begin o\n", 3, "begun"},
	{"a once-begin o\nb once-end o\n", 2, "not in"},
	{"a once-begin o\na once-end o\na once-end o\n", 3, "not in"},
	/* alloc and free */
	{"a read x 0\na alloc x\n", 2, "before"},
	{"a external x 0\na alloc x\n", 2, "before"},
	{"a alloc x\na alloc x\n", 2, "before"},
	{"a free x\na read x 0\n", 2, "freed"},
	{"a free x\na write x 0\n", 2, "freed"},
	{"a free x\na rmw x 0 0\n", 2, "freed"},
	{"a free x\na external x 0\n", 2, "freed"},
	{"a free x\nb free x\n", 2, "freed"},
	{"a alloc x\na free x\na alloc x\n", 3, "x"},
	{"a alloc x y\na free x\na read y 0 x 0\n", 3, "freed"},
	{"memory o b 0 100\nmemory x b 8 8\na free o\na read x 0\n", 2, "freed"},
	{"memory o b 0 100\nmemory x b 8 8\na read x 0\na alloc o\n", 2, "before"},
	{"memory o b 0 100\nmemory x b 96 8\na free x\na free o\n", 2, "freed"},
	/* dependences */
	{"a write x 0\na branch reads=1\n", 2, "not a read"},
	{"a read x 0\nb branch reads=1\n", 2, "not a read"},
	{"a read x 0\na write y 1\na write y 1 reads=1,2\n", 3, "not a read"},
	{"a write x 0\na read x 0 at=1\n", 2, "not a read"},
	{"a read x 0\nb acquire l at=1\n", 2, "not a read"},
	{"a write x 0\na write y 0 = %1\n", 2, "not a read"},
	{"a read x 0\nb write y 0 = %1\n", 2, "not a read"},
	{"a read x 0\na write y 1 = (+ %1 2)\n", 2, "gives 2"},
	{"a read x 0\na branch if %1\n", 2, "0"},
	{"a read x 0\na branch if (/ 1 %1)\n", 2, "no value"},
	{"a read x 0\na write y 0 = (% 1 %1)\n", 2, "no value"},
	{"a read x 0\na write y 1 = (ite 1 1 (/ 1 %1))\n", 2, "no value"},
	{"a write y 0 = (ite 1 (below 3 3) 0)\n", 1, "no value"},
	{"a write y 0 = (-f 0x7f800000 0x7f800000)\n", 1, "no value"},
	{"a write y 0 = (/ 0x8000000000000000 -1)\n", 1, "no value"},
	{"constant 800 01\na write y 1 = (ite 1 1 (load1 801))\n", 1, "no value"},
	{"constant 800 01\na write y 1 = (load2 800)\n", 1, "no value"},
	{"constant 800 0102\na write y 1 = (load2 800)\n", 1, "513"},
	{"a rmw x 0 1 = %1\n", 1, "gives 0"},
	{"a write x 1 y 2 = 1\n", 1, "expression"},
	{"a write x 1 y 1 = 1\n", 1, "expression"},
	{"memory x b 0 1\nmemory y b 8 1\na write x 1 y 0 = 1\n", 1, "expression"},
	{"memory x b 0 1\nmemory y d 1 1\na write x 1 y 0 = 1\n", 1, "expression"},
	{"memory x b 1 1\nmemory y b 0 1\na write x 1 y 0 = 1\n", 1, "expression"},
	{"a rmw x 0 1 y 0 1 = 1\n", 1, "expression"},
	{"a rmw x 0 0 y 0 0 = %1\n", 1, ""},
	{"memory x b 0 1\nmemory y b 1 1\na write x 1 y 1 = 1\n", 1, "gives 0"},
	{"memory x b 0 1\nmemory y b 1 1\na read x 0 y 0\na branch if %1\n", 2, "0"},
	/* each its own bytes */
	{"memory x b 0 1\nmemory y b 6 1\nmemory z b 4 1\n"
	 "a write x 2 y 2 z 3 = 0x0002000300000001\n",
	 1, "gives 1"},
	{"memory x b 0 1\nmemory y b 6 1\nmemory z b 4 1\n"
	 "a write x 1 y 3 z 3 = 0x0002000300000001\n",
	 1, "gives 2"},
	{"memory x b 0 1\nmemory y b 6 1\nmemory z b 4 1\n"
	 "a write x 1 y 2 z 2 = 0x0002000300000001\n",
	 1, "gives 3"},
	{"memory x b 0 1\nmemory y b 1 1\na rmw x 0 1 y 0 1 = 0x201\n", 1, "gives 2"},
	{"memory w b 0 2\na write w 1 = 65536\n", 1, "gives 0"},
	{"memory w b 0 2\na rmw w 0 0 = 65537\n", 1, "gives 1"},
	{"memory w b 0 4\nmemory c b 1 1\na write w 0 = 256\n", 1, "gives 1"},
	{"memory w b 0 8\na write w 1 = -1\n", 1, "gives -1"},
	{"a write x 0 = 65536\n", 1, "gives 65536"},
	{"a write x 0 = 0x100000000\n", 1, "gives 4294967296"},
	/* several values are not one */
	{"a read x 0 y 0\na branch if (= %1 0)\n", 2, "one value"},
	{"a read x 0 y 0\na write z 0 = %1\n", 2, "one value"},
	{"a rmw x 0 1 y 0 1\na write z 0 = %1\n", 2, "one value"},
	{"a read x 0 y 0\na read z 0\na branch if (ite 1 1 (+ %2 %1))\n", 3, "one value"},
	{"memory x b 0 1\nmemory y b 9 1\na read x 0 y 0\na write z 0 = %1\n", 2, "one value"},
	{"memory x b 0 1\nmemory y b 7 2\na read x 0 y 0\na write z 0 = %1\n", 2, "one value"},
	{"memory x b 0 1\nmemory y d 1 1\na read x 0 y 0\na write z 0 = %1\n", 2, "one value"},
	{"memory x b 1 1\nmemory y b 0 1\na read x 0 y 0\na write z 0 = %1\n", 2, "one value"},
	{"memory x b 0 1\na read x 0 y 0\na write z 0 = %1\n", 2, "one value"},
	{"memory y b 0 1\na read x 0 y 0\na write z 0 = %1\n", 2, "one value"},
	{"memory w b 0 4\nmemory c b 0 1\nmemory y b 8 1\na read w 0 y 0\na write z 0 = %1\n", 2,
	 "one value"},
};

TAP_CASE(inconsistent_by_hand)
{
	for (size_t i = 0; i < sizeof(inconsistent) / sizeof(*inconsistent); i++) {
		const char *text = inconsistent[i].text;
		char where[40];
		uint64_t events;
		struct err err;

		tap_at("row %zu: %s", i, text);
		if (check_text(text, &events, &err) == 0)
			FAIL("accepted");
		ASSERT_EQ(err.code, ERR_INPUT);
		snprintf(where, sizeof(where), "event %llu ",
			 (unsigned long long)inconsistent[i].event);
		ASSERT_CONTAINS(err.message, where);
		ASSERT_CONTAINS(err.message, inconsistent[i].word);
		ASSERT_EQ(naive_check(text).event, inconsistent[i].event);
	}
}

/* Who sleeps through a signal is known later, but it is the signal that cannot happen. */
TAP_CASE(slept_through)
{
	static const struct {
		int event;
		const char *text;
	} rows[] = {
		/* a broadcast wakes everybody */
		{3, "a acquire l\na wait c l\nm broadcast c\nm signal c\na woken c l by=4\n"},
		{3, "a acquire l\na wait c l\nm broadcast c\nm broadcast c\na woken c l by=4\n"},
		{5, "a acquire l\na wait c l\nb acquire l\nb wait c l\nm broadcast c\nm signal c\n"
		    "a woken c l by=5\na release l\nb woken c l by=6\n"},
		/* a signal that woke nobody would have woken the one who slept */
		{3, "a acquire l\na wait c l\nm signal c\nm signal c\na woken c l by=4\n"},
		{3, "a acquire l\na wait c l\nm signal c\nm broadcast c\na woken c l by=4\n"},
		/* the same while another, of whom nothing more is known, waits too */
		{5, "b acquire l\nb wait c l\na acquire l\na wait c l\nm signal c\nm signal c\n"
		    "a woken c l by=6\n"},
		{5, "b acquire l\nb wait c l\na acquire l\na wait c l\nm signal c\nm signal c\n"
		    "a woken c l by=6\na release l\nb woken c l by=-\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char where[40];
		uint64_t events;
		struct err err;

		tap_at("row %zu: %s", i, rows[i].text);
		ASSERT_EQ(naive_check(rows[i].text).condition_lines[0], rows[i].event);
		if (check_text(rows[i].text, &events, &err) == 0)
			FAIL("accepted");
		snprintf(where, sizeof(where), "event %d cannot", rows[i].event);
		ASSERT_CONTAINS(err.message, where);
	}
}

/* Text that is no trace: the line, and a word of the message. */
static const struct {
	const char *text;
	int line;
	const char *word;
} unreadable[] = {
	{"a\n", 1, ""},
	{"a jump\n", 1, "jump"},
	{"a read\n", 1, "missing"},
	{"a read x\n", 1, "missing"},
	{"a read x y\n", 1, "y"},
	{"a read x 1.5\n", 1, "1.5"},
	{"a read x 18446744073709551616\n", 1, "64-bit"},
	{"a read x -9223372036854775809\n", 1, "64-bit"},
	{"a read x 0x10000000000000000\n", 1, "64-bit"},
	{"a read x 0 x 0\n", 1, "twice"},
	{"a read x 0 y\n", 1, "missing"},
	{"a rmw x 0\n", 1, "missing"},
	{"a read x 0 = 1\n", 1, "="},
	{"a read x 0 reads=\n", 1, "reads="},
	{"a acquire l order=relaxed\n", 1, "order"},
	{"a read x 0 order=weak\n", 1, "weak"},
	{"a acquire\n", 1, "missing"},
	{"a acquire l m\n", 1, "m"},
	{"a fork\n", 1, "missing"},
	{"a begin b\n", 1, "b"},
	{"a wait c\n", 1, "missing"},
	{"a woken c l\n", 1, "by="},
	{"a woken c l by=\n", 1, "by="},
	{"a woken c l by=1\n", 1, "earlier"},
	{"a read x 0\na branch reads=2\n", 2, "earlier"},
	{"a read x 0\na branch reads=3\n", 2, "earlier"},
	{"a read x 0\na branch reads=0\n", 2, "earlier"},
	{"a read x 0\na branch reads=1,\n", 2, "comma"},
	{"a read x 0\na branch reads=x\n", 2, "x"},
	{"a read x 0\na branch reads=1 if %1\n", 2, ""},
	{"a rmw x 0 0 at=1\n", 1, "earlier"},
	{"a rmw x 0 0 reads=2\n", 1, "earlier"},
	{"a read x 0 at=\n", 1, "at="},
	{"a branch if\n", 1, "complete"},
	{"a branch if (\n", 1, ""},
	{"a branch if (+ 1\n", 1, "complete"},
	{"a branch if (+ 1)\n", 1, "arguments"},
	{"a branch if (ite 1 2)\n", 1, "arguments"},
	{"a branch if (not 1 2)\n", 1, "arguments"},
	{"a branch if (plus 1 2)\n", 1, "plus"},
	{"a branch if (+ 1 x)\n", 1, "x"},
	{"a branch if %1\n", 1, "earlier"},
	{"a branch if )\n", 1, ")"},
	{"a branch = 1\n", 1, "="},
	{"a write x 1 if 1\n", 1, "missing"}, /* a second variable named `if` has a value: 1 */
	{"a read x 0 @\n", 1, "@"},
	{"a read x 0 @a @b\n", 1, "@b"},
	{"init x\n", 1, "missing"},
	{"init x 1 2\n", 1, "2"},
	{"init x 1\ninit x 2\n", 2, "two"},
	{"a read x 0\ninit x 1\n", 2, "late"},
	{"a read x 0\nvolatile x\n", 2, "late"},
	{"a sem-post s\nsem s 1\n", 2, "late"},
	{"sem s -1\n", 1, "-1"},
	{"barrier b 0\n", 1, "0"},
	{"barrier b\n", 1, "missing"},
	{"a read x 0\nmemory y b 0 4\n", 2, "before"},
	{"memory x b 0 0\n", 1, "0"},
	{"memory x b 0xffffffffffffffff 2\n", 1, "size"},
	{"memory x b 0 4\nmemory x b 4 4\n", 2, "two"},
	{"meta\n", 1, "missing"},
	{"constant 8\n", 1, "missing"},
	{"constant 8 123\n", 1, "two digits"},
	{"constant 8 0g\n", 1, "hexadecimal"},
	{"constant 8 010203\nconstant 10 00\n", 2, "twice"},
	{"constant 8 010203\nconstant 7 0000\n", 2, "twice"},
	{"constant 0xffffffffffffffff 0102\n", 1, "last address"},
	{"a branch if (+ $1 1)\n", 1, "$1"},
	{"a branch if $1=(+ $1 1)\n", 1, "$1"},
	{"a branch if (+ $2=(+ 1 1) 1)\n", 1, "$2="},
	{"a branch if (+ $1=(+ 1 1) $1=(+ 1 1))\n", 1, "$1="},
	{"a branch if (+ $1=(+ 1 1) $2)\n", 1, "$2"},
	{"a branch if $1=1\n", 1, "$1"},
	{"meta#k v\n", 1, "#"},
	{"a read x\001 0\n", 1, "not text"},
};

TAP_CASE(unreadable_by_hand)
{
	for (size_t i = 0; i < sizeof(unreadable) / sizeof(*unreadable); i++) {
		char where[40];
		uint64_t events;
		struct err err;

		tap_at("row %zu: %s", i, unreadable[i].text);
		if (!strcmp(unreadable[i].text, "a write x 1 if 1\n")) {
			assert_accepted(unreadable[i].text);
			continue;
		}
		if (check_text(unreadable[i].text, &events, &err) == 0)
			FAIL("accepted");
		ASSERT_EQ(err.code, ERR_INPUT);
		snprintf(where, sizeof(where), "trace:%d: ", unreadable[i].line);
		ASSERT_PREFIX(err.message, where);
		ASSERT_CONTAINS(err.message, unreadable[i].word);
	}
}

/* Values have as many bytes as their variable, overlapped or not. */
TAP_CASE(values_fit_their_bytes)
{
	static const char *const texts[] = {
		"memory x b 0 1\nmemory y b 0 1\na write x 256\n",
		"memory x b 0 1\nmemory y b 0 2\na write x 256\n",
		"memory x b 0 1\na write x 256\n",
		"memory x b 0 2\na write x -1\n",
		"memory x b 0 2\nmemory y b 0 1\na write x -1\n",
		"memory x b 0 4\na external x 0x100000000\n",
		"memory x b 0 4\na rmw x 0 0x100000000\n",
		"memory x b 0 9\na write x 0\n",
		"memory x b 0 9\nmemory y b 0 1\na write x 0\n",
		"memory x b 0 1\ninit x 256\na read x 256\n",
		"memory x b 0 4\nmemory y b 2 4\na read x 0 y 0\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		uint64_t events;
		struct err err;

		tap_at("row %zu: %s", i, texts[i]);
		if (check_text(texts[i], &events, &err) == 0)
			FAIL("accepted");
		ASSERT_EQ(err.code, ERR_INPUT);
	}
}

/* Mutation */

struct lines {
	char **at;
	size_t n;
};

static struct lines split_lines(const char *text)
{
	struct lines lines = {.at = calloc(strlen(text) + 1, sizeof(char *))};

	while (*text) {
		size_t length = strcspn(text, "\n");

		lines.at[lines.n++] = strndup(text, length);
		text += length + (text[length] == '\n');
	}
	return lines;
}

static char *join_lines(struct lines lines)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < lines.n; i++)
		fprintf(out, "%s\n", lines.at[i]);
	fclose(out);
	return text;
}

static void release_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->at[i]);
	free(lines->at);
}

static bool is_event(const char *line)
{
	static const char *const words[] = {"init ",   "volatile ", "sem ",	"barrier ",
					    "memory ", "meta ",	    "constant "};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(line, words[i], strlen(words[i])))
			return false;
	return true;
}

/* Another digit in a name, a value or the number of an event; not in an operator, the name of a
 * part or a location. */
static bool change_digit(struct random *r, char *line)
{
	size_t length = strcspn(line, "@");

	for (int tries = 0; tries < 20 && length; tries++) {
		size_t i = random_below(r, (uint32_t)length), word = i;

		while (word && !strchr(" (", line[word - 1]))
			word--;
		/* nor in a number that might leave its 64 bits */
		if (line[i] < '0' || line[i] > '9' || (word && line[word - 1] == '(') ||
		    line[word] == '$' || strcspn(line + word, " )") > 18)
			continue;
		line[i] = (char)('0' + random_below(r, 4));
		return true;
	}
	return false;
}

static void mutate(struct random *r, struct lines *lines)
{
	size_t i = random_below(r, (uint32_t)lines->n), k = random_below(r, (uint32_t)lines->n);

	if (random_percent(r, 50) && i + 1 < lines->n)
		k = i + 1;
	switch (random_below(r, 3)) {
	case 0:
		if (!strncmp(lines->at[i], "constant ", 9))
			break; /* the naive check has it by heart */
		free(lines->at[i]);
		memmove(lines->at + i, lines->at + i + 1, (lines->n - i - 1) * sizeof(char *));
		lines->n--;
		break;
	case 1:
		if (is_event(lines->at[i]) && is_event(lines->at[k])) {
			char *line = lines->at[i];

			lines->at[i] = lines->at[k];
			lines->at[k] = line;
		}
		break;
	case 2:
		if (is_event(lines->at[i]))
			change_digit(r, lines->at[i]);
		break;
	}
}

/* The line of a message: from "trace:LINE:", or of the event that it names. */
static uint64_t line_of_message(const char *message, struct lines lines)
{
	const char *event = strstr(message, "event ");
	uint64_t line = 0;

	if (!strncmp(message, "trace:", 6) && message[6] != ' ')
		return strtoull(message + 6, NULL, 10);
	for (uint64_t left = event ? strtoull(event + 6, NULL, 10) : 0; left && line < lines.n;
	     line++)
		left -= is_event(lines.at[line]);
	return line;
}

static bool is_one_of(uint64_t line, const struct naive_verdict *v)
{
	bool found = line == v->line;

	for (int i = 0; i < v->unreadable_count; i++)
		found = found || line == v->unreadable_lines[i];
	for (int i = 0; i < v->condition_count; i++)
		found = found || line == v->condition_lines[i];
	return found;
}

TAP_CASE(mutants_agree_with_naive_check)
{
	size_t accepted = 0, rejected = 0, exact = 0;

	for (uint64_t seed = 1; accepted + rejected < MUTANTS; seed++) {
		struct random_trace knobs =
			random_trace_knobs(seed, 25, RANDOM_EVERYTHING & ~RANDOM_SPELLING);
		char *text = random_trace_make(&knobs);
		struct random r = random_seeded(seed);
		struct lines lines = split_lines(text);

		for (int mutations = 1 + (int)random_below(&r, 3); mutations > 0 && lines.n;
		     mutations--) {
			mutate(&r, &lines);
			char *mutant = join_lines(lines);
			struct naive_verdict naive = naive_check(mutant);
			uint64_t events;
			struct err err;

			tap_at("seed %llu:\n%s", (unsigned long long)seed, mutant);
			bool ok = check_text(mutant, &events, &err) == 0;
			bool naive_ok =
				!naive.line && !naive.unreadable_count && !naive.condition_count;

			if (ok != naive_ok)
				FAIL("the check says %s, the naive one: line %llu %s "
				     "(unreadable: %d, conditions: %d)\n%s",
				     ok ? "yes" : err.message, (unsigned long long)naive.line,
				     naive.why, naive.unreadable_count, naive.condition_count,
				     mutant);
			uint64_t line = ok ? 0 : line_of_message(err.message, lines);

			if (!ok && !is_one_of(line, &naive))
				FAIL("%s\nbut the naive one: line %llu %s\n%s", err.message,
				     (unsigned long long)naive.line, naive.why, mutant);
			accepted += ok;
			rejected += !ok;
			exact += !ok && !naive.unreadable_count && !naive.condition_count;
			free(mutant);
		}
		release_lines(&lines);
		free(text);
	}
	tap_note("%zu mutants accepted by both, %zu rejected by both, of these %zu at the very "
		 "event",
		 accepted, rejected, exact);
	ASSERT_TRUE(accepted > MUTANTS / 20 && exact > MUTANTS / 4);
}
