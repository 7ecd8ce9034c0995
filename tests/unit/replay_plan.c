/* SPDX-License-Identifier: MIT */
/* Plans of replays: which steps, in which order, and where threads stop. */
#include "replay/planner.h"
#include "runtime/log.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

static const char race[] = "main begin\n"			    /* 1 */
			   "main fork T1 skip=3 @a.c:39:2:main\n"   /* 2 */
			   "main fork T2 skip=1 @a.c:40:2:main\n"   /* 3 */
			   "T1 begin\n"				    /* 4 */
			   "T1 acquire l @a.c:17:2:f\n"		    /* 5 */
			   "T1 write x 1 reads= @a.c:18:10:f\n"	    /* 6 */
			   "T1 release l @a.c:20:2:f\n"		    /* 7 */
			   "T2 begin\n"				    /* 8 */
			   "T2 acquire l @a.c:27:2:g\n"		    /* 9 */
			   "T2 branch reads= skip=-\n"		    /* 10 */
			   "T2 read y 0 skip=- @a.c:28:3:g\n"	    /* 11 */
			   "T2 release l @a.c:29:2:g\n"		    /* 12 */
			   "T2 read x 1 skip=65534 @a.c:30:13:g\n"; /* 13 */

static int plan_of(struct replay_plan *p, const char *trace, const char *witness, struct err *err)
{
	struct witness w = {0};
	struct input *in = input_open_memory(witness, strlen(witness), "witness");
	struct reader *r = reader_open_memory(trace, strlen(trace), "trace", NULL, err);

	if (!r)
		FAIL("%s", err->message);
	if (witness_read(&w, in, err) < 0)
		FAIL("%s", err->message);
	int code = replay_plan_make(p, r, &w, err);

	input_close(in);
	witness_release(&w);
	return code;
}

/* THREAD.STEP for each, stops behind a bar. */
static const char *steps_of(const struct replay_plan *p)
{
	static char text[1000];
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < p->steps.n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u.%llu",
					 i == p->steps.n - p->stops ? " | "
					 : i			    ? " "
								    : "",
					 p->steps.at[i].thread,
					 (unsigned long long)p->steps.at[i].step);
	return text;
}

static void makes(const char *trace, const char *witness, const char *want)
{
	struct replay_plan p;
	struct err err = {0};

	if (plan_of(&p, trace, witness, &err))
		FAIL("%s", err.message);
	ASSERT_STR_EQ(steps_of(&p), want);
	replay_plan_release(&p);
}

static void fails(const char *trace, const char *witness, int code, const char *message)
{
	struct replay_plan p;
	struct err err = {0};

	ASSERT_EQ(plan_of(&p, trace, witness, &err), code);
	ASSERT_CONTAINS(err.message, message);
	replay_plan_release(&p);
}

#define WITNESS(bug, run) "norn-witness 1\nmodel maximal\nbug " bug "\nrun " run "\nend\n"

TAP_CASE(steps_are_counted_and_ordered)
{
	makes(race, WITNESS("race 6 13", "1 2 3 8 9 10 11 12 4 5"),
	      "0.1 0.5 0.7 2.1 2.2 2.2 2.3 1.1 1.2 | 1.3 2.65538");
}

/* What a thread goes past makes no step: those behind it have lower numbers. */
TAP_CASE(what_is_skipped_is_no_step)
{
	static const char arm[] = "main begin\n"
				  "main fork T1 @a.c:1:1:f\n"
				  "main write x 1 @a.c:2:1:f\n" /* 3 */
				  "main write k 1 @a.c:3:1:f\n"
				  "T1 begin\n" /* 5 */
				  "T1 read k 1 skip=1 @a.c:4:1:g\n"
				  "T1 branch if (= %6 1) scope=2 @a.c:5:1:g\n" /* 7 */
				  "T1 write y 1 skip=2 @a.c:6:1:g\n"
				  "T1 branch reads= skip=4\n" /* 9 */
				  "T1 write x 2 reads= skip=1 @a.c:7:1:g\n"
				  "T1 end\n"; /* 11 */

	makes(arm, WITNESS("race 3 10", "1 2 5 6 7"), "0.1 0.2 1.1 1.3 1.4 | 0.3 1.6");
	makes(arm, WITNESS("race 3 10", "1 2 5 6 7 8 9"), "0.1 0.2 1.1 1.3 1.4 1.7 | 0.3 1.14");
	makes(arm, WITNESS("race 3 11", "1 2 5 6 7 10"), "0.1 0.2 1.1 1.3 1.4 1.6 | 0.3 1.7");
	makes(arm, WITNESS("race 3 8", "1 2 5 6 7"), "0.1 0.2 1.1 1.3 1.4 | 0.3 1.7");
}

TAP_CASE(steps_have_kinds_places_and_links)
{
	struct replay_plan p;
	struct err err = {0};

	ASSERT_EQ(plan_of(&p, race, WITNESS("race 6 13", "1 2 3 8 9 10 11 12 4 5"), &err), 0);
	ASSERT_EQ(p.threads.n, 3);
	ASSERT_EQ(p.threads.at[0].first, 0);
	ASSERT_EQ(p.threads.at[1].first, 7);
	ASSERT_EQ(p.threads.at[2].first, 3);
	ASSERT_EQ(p.steps.at[2].kind, LOG_FORK);
	ASSERT_EQ(p.steps.at[2].other, 2);
	ASSERT_EQ(p.steps.at[2].place, 0);
	ASSERT_EQ(p.steps.at[2].next, PLAN_NONE);
	ASSERT_EQ(p.steps.at[4].kind, LOG_ACQUIRE);
	ASSERT_EQ(p.steps.at[4].loose, 0);
	ASSERT_EQ(p.steps.at[5].loose, 1);
	ASSERT_EQ(p.steps.at[6].next, 10);
	ASSERT_EQ(p.steps.at[9].kind, LOG_WRITE);
	ASSERT_EQ(p.steps.at[9].place, (uint64_t)18 << 32 | 10);
	ASSERT_EQ(p.events.at[10], 13);
	ASSERT_STR_EQ(replay_plan_location(&p, 10), "a.c:30:13:g");
	replay_plan_release(&p);
}

TAP_CASE(records_that_stand_for_dropped_ones_are_no_steps)
{
	makes("main begin\nmain fork T1\nmain branch skip=70 reads=\nmain write x 1 skip=2\n"
	      "T1 begin\nT1 write x 2\n",
	      WITNESS("race 4 6", "1 2 3 5"), "0.1 0.2 1.1 | 0.76 1.2");
}

TAP_CASE(who_wakes_is_told)
{
	const char *trace = "main begin\nmain fork T1\nT1 begin\nT1 acquire l\nT1 wait c l\n"
			    "main acquire l\nmain signal c\nmain release l\nT1 woken c l by=7\n"
			    "T1 write x 1\nmain write x 2\n";
	struct replay_plan p;
	struct err err = {0};

	ASSERT_EQ(plan_of(&p, trace, WITNESS("race 10 11", "1 2 3 4 5 6 7 8 9"), &err), 0);
	ASSERT_EQ(p.steps.at[8].kind, LOG_WOKEN);
	ASSERT_EQ(p.steps.at[8].other, 7);
	replay_plan_release(&p);
}

static void makes_recorded(const char *trace, uint64_t last, const char *want)
{
	struct replay_plan p;
	struct err err = {0};
	struct reader *r = reader_open_memory(trace, strlen(trace), "trace", NULL, &err);

	if (!r || replay_plan_recorded(&p, r, last, &err))
		FAIL("%s", err.message);
	ASSERT_EQ(p.stops, 0);
	ASSERT_STR_EQ(steps_of(&p), want);
	replay_plan_release(&p);
}

TAP_CASE(the_recorded_order_has_no_stops)
{
	makes_recorded(race, 6, "0.1 0.5 0.7 1.1 1.2 1.3");
	makes_recorded(race, UINT64_MAX, "0.1 0.5 0.7 1.1 1.2 1.3 1.4 2.1 2.2 2.2 2.3 2.65538");
}

TAP_CASE(the_recorded_order_knows_who_wakes)
{
	const char *trace = "main begin\nmain fork T1\nT1 begin\nT1 acquire l\nT1 wait c l\n"
			    "main acquire l\nmain signal c\nmain release l\nT1 woken c l by=7\n";
	struct replay_plan p;
	struct err err = {0};
	struct reader *r = reader_open_memory(trace, strlen(trace), "trace", NULL, &err);

	ASSERT_EQ(replay_plan_recorded(&p, r, UINT64_MAX, &err), 0);
	ASSERT_EQ(p.steps.at[8].other, 7);
	replay_plan_release(&p);
}

static const char deadlock[] = "main begin\nmain fork T1\nmain fork T2\nT1 begin\n"
			       "T1 acquire a\nT1 acquire b\nT1 release b\nT1 release a\nT1 end\n"
			       "T2 begin\nT2 acquire b\nT2 acquire a\nmain join T1\n";

/* T1 copies c to d in two pieces, and prints what is in s, which begins in one line and ends in the
 * next. */
static const char pieces[] = "memory c0 c 1000 4\nmemory c1 c 1004 4\n"
			     "memory d0 d 2044 4\nmemory d1 d 2048 4\n"
			     "memory s0 s 3000 4\nmemory s1 s 3004 4\nmemory s2 s 3008 4\n"
			     "main begin\n"			      /* 1 */
			     "main fork T1 @a.c:1:1:main\n"	      /* 2 */
			     "main write c1 0 reads= @a.c:2:1:main\n" /* 3 */
			     "main write d1 0 reads= @a.c:3:1:main\n" /* 4 */
			     "main write s1 0 reads= @a.c:4:1:main\n" /* 5 */
			     "main write s2 0 reads= @a.c:5:1:main\n" /* 6 */
			     "T1 begin\n"			      /* 7 */
			     "T1 read c0 0 @a.c:7:2:f\n"	      /* 8 */
			     "T1 write d0 0 @a.c:7:2:f\n"	      /* 9 */
			     "T1 read c1 0 skip=- @a.c:7:2:f\n"	      /* 10 */
			     "T1 write d1 0 skip=- @a.c:7:2:f\n"      /* 11 */
			     "T1 branch reads= @a.c:8:1:f\n"	      /* 12 */
			     "T1 read s0 0 skip=- @a.c:8:2:f\n"	      /* 13 */
			     "T1 branch skip=-\n"		      /* 14 */
			     "T1 read s1 0 skip=- @a.c:8:2:f\n"	      /* 15 */
			     "T1 branch skip=-\n"		      /* 16 */
			     "T1 read s2 0 skip=- @a.c:8:2:f\n";      /* 17 */

TAP_CASE(a_stop_in_a_range_is_before_all_of_it)
{
	/* the second read: not even the first one is planned */
	makes(pieces, WITNESS("race 3 10", "1 2 7 8 9"), "0.1 0.2 1.1 | 0.3 1.3");
	/* the second write: the reads are, and the stop is where the first write was */
	makes(pieces, WITNESS("race 4 11", "1 2 3 7 8 9 10"), "0.1 0.2 0.3 1.1 1.2 | 0.4 1.3");
	makes(pieces, WITNESS("race 6 17", "1 2 3 4 5 7 8 9 10 11 12 13 14 15 16"),
	      "0.1 0.2 0.3 0.4 0.5 1.1 1.2 1.3 1.3 1.3 1.4 | 0.6 1.4");
}

TAP_CASE(a_line_of_a_string_is_one_step)
{
	/* s0 and s1 lie in one, s2 in the next */
	makes(pieces, WITNESS("stuck 6", "1 2 3 4 5 7 8 9 10 11 12 13 14 15 16 17"),
	      "0.1 0.2 0.3 0.4 0.5 1.1 1.2 1.3 1.3 1.3 1.4 1.4 1.4 | 0.6");
}

TAP_CASE(handlers_are_planned_up_to_the_last_step)
{
	char trace[sizeof(pieces) + 200];
	struct replay_plan p;
	struct err err = {0};

	snprintf(trace, sizeof(trace), "%s%s",
		 "meta handler T1 2 10\nmeta handler main 2 12\n"
		 "meta handler T1 2 11\nmeta handler T1 3 14\nmeta handler T1 x\n",
		 pieces);
	ASSERT_EQ(plan_of(&p, trace, WITNESS("race 3 10", "1 2 7 8 9"), &err), 0);
	ASSERT_EQ(p.handlers.n, 4);
	ASSERT_EQ(p.threads.at[0].handler, 0);
	ASSERT_EQ(p.threads.at[1].handler, 1);
	ASSERT_EQ(p.handlers.at[0].signal, 12);
	ASSERT_EQ(p.handlers.at[1].signal, 10);
	ASSERT_EQ(p.handlers.at[2].signal, 11);
	ASSERT_EQ(p.handlers.at[2].step, 2);
	replay_plan_release(&p);
	/* T1 begins, and does no more */
	ASSERT_EQ(plan_of(&p, trace, WITNESS("race 3 8", "1 2 7"), &err), 0);
	ASSERT_EQ(p.handlers.n, 1);
	ASSERT_EQ(p.threads.at[1].handler, PLAN_NONE);
	replay_plan_release(&p);
}

TAP_CASE(acquires_and_waits_are_stops)
{
	makes(deadlock, WITNESS("deadlock 6 12", "1 2 3 4 5 10 11"),
	      "0.1 0.2 0.3 1.1 1.2 2.1 2.2 | 1.3 2.3");
	/* all who wait, also those that the bug does not name */
	makes(deadlock, WITNESS("stuck 6", "1 2 3 4 5 10 11"),
	      "0.1 0.2 0.3 1.1 1.2 2.1 2.2 | 0.4 1.3 2.3");
}

TAP_CASE(bad_witnesses_are_refused)
{
	fails(race, WITNESS("race 6 13", "1 2 3 9 8 10 11 12 4 5"), ERR_INPUT,
	      "order of thread T2");
	fails(race, WITNESS("race 6 13", "1 2 3 9 10 11 12 4 5"), ERR_INPUT, "order of thread T2");
	fails(race, WITNESS("race 6 13", "1 2 3 4 4 5"), ERR_INPUT, "event 4 twice");
	fails(race, WITNESS("race 6 13", "1 2 3 77"), ERR_INPUT, "event 77");
	fails(race, WITNESS("race 6 13", "1 2 3 4 5"), ERR_INPUT, "event 13 of the bug");
	fails("t1 write x 1\nt2 write x 2\n", WITNESS("race 1 2", ""), ERR_INPUT, "thread \"t1\"");
}

TAP_CASE(what_cannot_be_replayed_is_said)
{
	fails("main begin\nmain fork T1\nT1 begin\nT1 external x 3 skip=-\nmain read x 3\n",
	      WITNESS("race 4 5", "1 2 3"), 1, "event 4");
	fails("main begin\nmain mark a\n", WITNESS("property 2", "1"), ERR_INPUT,
	      "event 2 of the bug is not in the run");
}

TAP_CASE(a_property_stops_before_its_last_event)
{
	static const char trace[] = "main begin\nmain fork T1\nT1 begin\nT1 mark a\nmain mark b\n"
				    "T1 mark c skip=-\n";

	makes(trace, WITNESS("property 4 5", "1 2 3 4 5"), "0.1 0.2 1.1 1.2 | 0.3");
	makes(trace, WITNESS("property 5 4", "1 2 3 5 4"), "0.1 0.2 1.1 0.3 | 1.2");
	/* what comes behind it is not wanted */
	makes(trace, WITNESS("property 4", "1 2 3 4 5"), "0.1 0.2 1.1 | 1.2");
	/* a mark of code without hooks is no step */
	makes(trace, WITNESS("property 4 6", "1 2 3 4 6"), "0.1 0.2 1.1 1.2");
}

TAP_CASE(the_file_is_what_the_runtime_reads)
{
	struct replay_plan p;
	struct err err = {0};
	struct plan head;
	char path[] = "/tmp/norn-plan.XXXXXX";
	int fd = mkstemp(path);

	ASSERT_EQ(plan_of(&p, deadlock, WITNESS("deadlock 6 12", "1 2 3 4 5 10 11"), &err), 0);
	ASSERT_EQ(replay_plan_write(&p, path, (struct plan){.end = PLAN_ALL, .hold = 1, .grace = 5},
				    &err),
		  0);
	ASSERT_EQ(read(fd, &head, sizeof(head)), sizeof(head));
	unlink(path);
	ASSERT_EQ(head.magic, PLAN_MAGIC);
	ASSERT_EQ(head.threads, 3);
	ASSERT_EQ(head.steps, 9);
	ASSERT_EQ(head.stops, 2);
	ASSERT_EQ(head.end, PLAN_ALL);
	ASSERT_EQ(lseek(fd, 0, SEEK_END),
		  sizeof(head) + 3 * sizeof(struct plan_thread) + 9 * sizeof(struct plan_step));
	close(fd);
	replay_plan_release(&p);
}
