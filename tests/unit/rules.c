/* SPDX-License-Identifier: MIT */
/*
 * The rules of doc/model.md, what can happen and what it changes: for each a small trace that
 * the exhaustive engine would see otherwise without it.
 */
#include "tests/support/explored.h"
#include "tests/support/tap.h"

#include <stdio.h>

/* Locks */

TAP_CASE(a_writer_waits_for_readers)
{
	static const char text[] = "t1 acquire-shared a\n"
				   "t1 acquire b\n" /* 2 */
				   "t1 release b\n"
				   "t1 release-shared a\n"
				   "t1 end\n"
				   "t2 acquire b\n"
				   "t2 acquire a\n" /* 7 */
				   "t2 release a\n"
				   "t2 release b\n"
				   "t2 end\n";

	EXPECT(text, MODEL_VALUES, "-", "2,7", true);
	EXPECT(text, MODEL_SAID, "-", "-", false);
}

TAP_CASE(readers_do_not_wait_for_readers)
{
	EXPECT("t1 acquire-shared a\n"
	       "t1 acquire b\n"
	       "t1 release b\n"
	       "t1 release-shared a\n"
	       "t2 acquire b\n"
	       "t2 acquire-shared a\n",
	       MODEL_VALUES, "-", "-", false);
}

TAP_CASE(a_writer_waits_for_each_of_two_readers)
{
	EXPECT("t1 acquire-shared a\n"
	       "t2 acquire-shared a\n"
	       "t1 acquire b\n" /* 3 */
	       "t1 release b\n"
	       "t1 release-shared a\n"
	       "t2 acquire b\n" /* 6 */
	       "t2 release b\n"
	       "t2 release-shared a\n"
	       "t3 acquire b\n"
	       "t3 acquire a\n", /* 10 */
	       MODEL_VALUES, "-", "3,10 6,10", true);
}

TAP_CASE(a_lock_held_shared_by_both_does_not_order)
{
	static const char text[] = "t1 acquire-shared a\n"
				   "t1 acquire-shared a\n"
				   "t1 release-shared a\n"
				   "t1 write x 1\n" /* 4, still under a */
				   "t1 release-shared a\n"
				   "t2 acquire-shared a\n"
				   "t2 write x 2\n" /* 7 */
				   "t2 release-shared a\n"
				   "t3 acquire a\n"
				   "t3 write x 3\n"
				   "t3 release a\n";

	EXPECT_RACES(text, MODEL_VALUES, "4-7");
}

TAP_CASE(try_fail_needs_another_holder)
{
	/* the write of t2 happens only while t1 is between its acquire and its release */
	EXPECT_RACES("t1 write y 1\n"
		     "t1 acquire l\n"
		     "t1 write x 1\n" /* 3 */
		     "t2 try-fail l\n"
		     "t2 write x 2\n" /* 5 */
		     "t2 write y 2\n"
		     "t1 release l\n",
		     MODEL_VALUES, "3-5");
}

/* Threads */

TAP_CASE(fork_and_join_order)
{
	EXPECT_RACES("t1 write x 1\n"
		     "t1 fork t2\n"
		     "t1 write y 1\n" /* 3 */
		     "t2 write x 2\n"
		     "t2 write y 2\n" /* 5 */
		     "t1 join t2\n"
		     "t1 write x 3\n"
		     "t1 write y 3\n",
		     MODEL_VALUES, "3-5");
}

TAP_CASE(join_before_the_fork_is_no_wait)
{
	/* t1 holds the lock that the fork of t2 needs, but cannot be at the join before it */
	EXPECT("t3 acquire l\nt3 fork t2\nt3 release l\nt3 end\n"
	       "t1 acquire l\nt1 join t2\nt1 release l\nt1 end\n",
	       MODEL_VALUES, "-", "-", false);
}

TAP_CASE(join_needs_the_fork)
{
	/* t2 has no events */
	static const char text[] = "t1 write x 1\n" /* 1 */
				   "%s"
				   "t3 join t2\n"
				   "t3 write x 2\n";
	char with[200];

	sprintf(with, text, "t1 fork t2\n");
	EXPECT_RACES(with, MODEL_VALUES, "-");
	EXPECT_PROPER(with, MODEL_VALUES, 1);
	EXPECT_PROPER(with, MODEL_SAID, 1);
	/* nobody forks it */
	sprintf(with, text, "");
	EXPECT_RACES(with, MODEL_VALUES, "1-3");
	EXPECT_PROPER(with, MODEL_VALUES, 3);
}

TAP_CASE(stuck_at_a_join)
{
	/* t2 waits for the lock that t1 holds while it joins t2 */
	static const char text[] = "t1 fork t2\n"
				   "t2 acquire l\n"
				   "t2 release l\n"
				   "t2 end\n"
				   "t1 acquire l\n"
				   "t1 join t2\n"
				   "t1 release l\n";

	EXPECT(text, MODEL_VALUES, "-", "-", true);
}

TAP_CASE(a_thread_without_end_is_not_stuck)
{
	/* as above, but t3 may still do something about it */
	EXPECT("t1 fork t2\n"
	       "t3 mark m\n"
	       "t2 acquire l\n"
	       "t2 release l\n"
	       "t2 end\n"
	       "t1 acquire l\n"
	       "t1 join t2\n"
	       "t1 release l\n",
	       MODEL_VALUES, "-", "-", false);
}

TAP_CASE(a_thread_at_a_branch_is_not_stuck)
{
	/* when t1 and t2 wait for each other, t3 has read 0 where it read 2 */
	static const char text[] = "t1 fork t2\n"
				   "t2 acquire l\n"
				   "t2 write x 2\n" /* 3 */
				   "t2 release l\n"
				   "t2 end\n"
				   "t1 fork t3\n"
				   "t3 read x 2\n" /* 7 */
				   "t3 %s\n"
				   "t3 end\n"
				   "t1 acquire l\n"
				   "t1 join t2\n"
				   "t1 end\n";
	char with[400];

	sprintf(with, text, "branch");
	EXPECT(with, MODEL_VALUES, "3-7", "-", false);
	sprintf(with, text, "mark m");
	EXPECT(with, MODEL_VALUES, "3-7", "-", true);
	EXPECT(with, MODEL_MCM, "3-7", "-", false);
}

/* Conditions */

TAP_CASE(a_signal_waits_for_its_sleeper)
{
	/* 4 needs 3, so 5 cannot race with 2 */
	EXPECT_RACES("t1 acquire l\n"
		     "t1 write x 1\n"
		     "t1 wait c l\n"
		     "t2 signal c\n"
		     "t2 write x 2\n" /* 5 */
		     "t1 woken c l by=4\n"
		     "t1 write x 3\n" /* 7 */
		     "t1 release l\n",
		     MODEL_VALUES, "5-7");
}

TAP_CASE(two_sleepers_and_one_signal)
{
	/* the signal for t1 may find t2 asleep or not yet; that for t2 only finds t2 */
	static const char text[] = "t1 acquire l\n"
				   "t1 wait c l\n"
				   "t2 acquire l\n"
				   "t2 wait c l\n"
				   "t3 signal c\n" /* 5, for t1 */
				   "t1 woken c l by=5\n"
				   "t1 write x 1\n" /* 7 */
				   "t1 release l\n"
				   "t3 signal c\n" /* 9, for t2 */
				   "t2 woken c l by=9\n"
				   "t2 write x 2\n"
				   "t2 release l\n"
				   "t3 write x 3\n"; /* 13 */

	EXPECT_RACES(text, MODEL_VALUES, "7-13 11-13");
	/* without the second signal t2 sleeps unnoticed: nothing is known of it */
	EXPECT_PROPER("t1 acquire l\n"
		      "t1 wait c l\n"
		      "t2 signal c\n"
		      "t1 woken c l by=3\n",
		      MODEL_VALUES, 1);
}

TAP_CASE(a_broadcast_wakes_all_who_sleep)
{
	/* 2 woke nobody, so nobody may sleep: 1 2 3 4 5, 2 1 3 4 5; after 1 3 nobody can move */
	EXPECT_PROPER("t1 acquire l\n"
		      "t2 broadcast c\n"
		      "t1 wait c l\n"
		      "t2 broadcast c\n"
		      "t1 woken c l by=4\n",
		      MODEL_VALUES, 3);
}

TAP_CASE(a_spurious_waking_needs_the_lock_only)
{
	/* and counts as an acquire: t1 holds a and wants l, t2 holds l and wants a */
	EXPECT("t1 acquire a\n"
	       "t1 acquire l\n"
	       "t1 wait c l\n"
	       "t1 woken c l by=-\n" /* 4 */
	       "t1 release l\n"
	       "t1 release a\n"
	       "t1 end\n"
	       "t2 acquire l\n"
	       "t2 acquire a\n" /* 9 */
	       "t2 end\n",
	       MODEL_VALUES, "-", "2,9 4,9", true);
}

/* Barriers, semaphores, once */

TAP_CASE(barrier_rounds_may_swap_but_not_mix)
{
	static const char text[] = "barrier b 2\n"
				   "t1 barrier-enter b\n"
				   "t2 barrier-enter b\n"
				   "t3 barrier-enter b\n"
				   "t4 barrier-enter b\n";

	/* 2 orders of the rounds, 2 within each */
	EXPECT_PROPER(text, MODEL_VALUES, 8);
}

TAP_CASE(barriers_order)
{
	EXPECT_RACES("barrier b 2\n"
		     "t1 write x 1\n" /* 1 */
		     "t2 write x 2\n" /* 2 */
		     "t1 barrier-enter b\n"
		     "t2 barrier-enter b\n"
		     "t2 barrier-exit b\n"
		     "t1 barrier-exit b\n"
		     "t2 write x 3\n"  /* 7 */
		     "t1 write x 4\n", /* 8 */
		     MODEL_VALUES, "1-2 7-8");
}

TAP_CASE(stuck_at_a_barrier)
{
	/* if t3 takes the lock first, t2 never comes to the barrier */
	EXPECT("barrier b 2\n"
	       "t1 barrier-enter b\n"
	       "t2 acquire l\n"
	       "t2 barrier-enter b\n"
	       "t2 barrier-exit b\n"
	       "t2 release l\n"
	       "t2 end\n"
	       "t1 barrier-exit b\n"
	       "t1 end\n"
	       "t3 acquire l\n"
	       "t3 end\n",
	       MODEL_VALUES, "-", "-", true);
}

TAP_CASE(semaphores)
{
	static const char text[] = "t1 write x 1\n"
				   "t1 sem-post s\n"
				   "t2 sem-wait s\n"
				   "t2 write x 2\n"
				   "t2 end\n"
				   "t1 end\n";
	char with_count[300];

	EXPECT_RACES(text, MODEL_VALUES, "-");
	sprintf(with_count, "sem s 1\n%s", text);
	EXPECT_RACES(with_count, MODEL_VALUES, "1-4");
	/* each has one of the two that it needs */
	EXPECT("sem s 2\n"
	       "t1 sem-wait s\n"
	       "t1 sem-wait s\n"
	       "t1 sem-post s\n"
	       "t1 sem-post s\n"
	       "t1 end\n"
	       "t2 sem-wait s\n"
	       "t2 sem-wait s\n"
	       "t2 end\n",
	       MODEL_VALUES, "-", "-", true);
}

TAP_CASE(sem_fail_needs_zero)
{
	/* only between 2 and 6 */
	EXPECT_RACES("sem s 1\n"
		     "t1 write x 1\n"
		     "t1 sem-wait s\n"
		     "t2 sem-fail s\n"
		     "t2 write x 2\n" /* 4 */
		     "t1 write x 3\n" /* 5 */
		     "t1 sem-post s\n",
		     MODEL_VALUES, "4-5");
	/* a thread before a sem-fail that cannot happen does not wait */
	EXPECT("sem s 1\n"
	       "t1 sem-wait s\n"
	       "t2 sem-fail s\n"
	       "t2 end\n"
	       "t1 sem-post s\n"
	       "t1 end\n",
	       MODEL_VALUES, "-", "-", false);
}

TAP_CASE(once)
{
	/* 5 comes after 2, but not always after 6 */
	EXPECT_RACES("t1 once-begin o\n"
		     "t1 write x 1\n"
		     "t1 once-end o\n"
		     "t2 once-pass o\n"
		     "t2 read x 1\n"
		     "t1 write x 2\n", /* 6 */
		     MODEL_VALUES, "5-6");
	/* t1 waits in the once for a lock that t2 holds while it waits for the once */
	EXPECT("t1 once-begin o\n"
	       "t1 acquire l\n"
	       "t1 release l\n"
	       "t1 once-end o\n"
	       "t1 end\n"
	       "t2 acquire l\n"
	       "t2 once-pass o\n"
	       "t2 release l\n"
	       "t2 end\n",
	       MODEL_VALUES, "-", "-", true);
}

/* Memory */

TAP_CASE(atomic_accesses_do_not_race_with_each_other)
{
	EXPECT_RACES("volatile v\n"
		     "t1 write v 1\n"
		     "t1 write x 1 order=release\n" /* 2 */
		     "t1 rmw y 0 1\n"		    /* 3 */
		     "t2 write v 2\n"
		     "t2 read x 1 order=acquire\n"
		     "t2 rmw y 1 2\n"
		     "t2 read x 1\n"   /* 7 */
		     "t2 write y 3\n", /* 8 */
		     MODEL_VALUES, "2-7 3-8");
}

TAP_CASE(an_rmw_depends_on_itself)
{
	/* t1 at 3 while t3 has read 2: the sections took the other order, both still added 1 */
	static const char text[] = "t1 acquire l\n"
				   "t1 rmw x 0 1%s\n" /* 2 */
				   "t1 write y 1\n"   /* 3 */
				   "t1 release l\n"
				   "t2 acquire l\n"
				   "t2 rmw x 1 2%s\n" /* 6 */
				   "t2 release l\n"
				   "t3 read x 2\n" /* 8 */
				   "t3 branch\n"
				   "t3 write y 2\n"; /* 10 */
	char with[400];

	sprintf(with, text, " = (+ %2 1)", " = (+ %6 1)");
	EXPECT_RACES(with, MODEL_VALUES, "2-8 3-10 6-8");
	EXPECT_RACES(with, MODEL_MAXIMAL, "2-8 6-8");
	sprintf(with, text, "", "");
	EXPECT_RACES(with, MODEL_VALUES, "2-8 6-8");
	/* exchanges: t2 leaves 2 whatever it read, and t3 sees that before t1 comes */
	sprintf(with, text, " reads=", " reads=");
	EXPECT_RACES(with, MODEL_MAXIMAL, "2-8 3-10 6-8");
}

TAP_CASE(use_after_free)
{
	static const char text[] = "t1 alloc p\n"
				   "t2 write p 1\n"
				   "t1 free p\n";

	/* the alloc is no race; without it 2 cannot happen, after the free neither */
	EXPECT_RACES(text, MODEL_VALUES, "2-3");
	EXPECT_PROPER(text, MODEL_VALUES, 2);
	EXPECT_RACES("t1 alloc p\n"
		     "t1 fork t2\n"
		     "t2 read p 0\n"
		     "t1 join t2\n"
		     "t1 free p\n",
		     MODEL_VALUES, "-");
}

TAP_CASE(a_free_is_never_atomic)
{
	/* 2, 3 and 4 do not race with each other, nor 1 with anything */
	EXPECT_RACES("volatile v\n"
		     "t1 alloc v\n"
		     "t2 write v 1\n"
		     "t3 rmw v 1 2\n"
		     "t2 read v 2 order=acquire\n"
		     "t1 free v\n", /* 5 */
		     MODEL_VALUES, "2-5 3-5 4-5");
	/* at the end of one that is larger */
	EXPECT_RACES("memory object m 0 64\n"
		     "memory v m 8 4\n"
		     "volatile object\n"
		     "volatile v\n"
		     "t1 write v 1\n"
		     "t2 write v 2\n"
		     "t2 free object\n", /* 3 */
		     MODEL_VALUES, "1-3");
}

TAP_CASE(external_stays_in_its_place)
{
	/* neither can it move before 1, nor 3 before it */
	static const char text[] = "t1 write x 1\n"
				   "t2 external x 5\n"
				   "t1 read x 5\n"
				   "t1 branch\n";

	EXPECT_RACES(text, MODEL_VALUES, "-");
	EXPECT_PROPER(text, MODEL_VALUES, 1);
}

TAP_CASE(at_guards_an_access)
{
	static const char text[] = "t1 write a 8\n"    /* 1 */
				   "t1 write i 1\n"    /* 2 */
				   "t2 read i 1\n"     /* 3 */
				   "t2 write a 7%s\n"; /* 4 */
	char with[200];

	sprintf(with, text, "");
	EXPECT_RACES(with, MODEL_VALUES, "1-4 2-3");
	sprintf(with, text, " at=3");
	EXPECT_RACES(with, MODEL_VALUES, "2-3");
}

TAP_CASE(at_guards_a_wait_in_a_deadlock)
{
	static const char text[] = "t1 acquire a\n"
				   "t1 acquire b\n" /* 2 */
				   "t1 write i 1\n" /* 3 */
				   "t1 release b\n"
				   "t1 release a\n"
				   "t2 read i 1\n" /* 6 */
				   "t2 acquire b\n"
				   "t2 acquire a%s\n"; /* 8 */
	char with[300];

	sprintf(with, text, "");
	EXPECT(with, MODEL_VALUES, "3-6", "2,8", true);
	sprintf(with, text, " at=6");
	EXPECT(with, MODEL_VALUES, "3-6", "-", false);
}

TAP_CASE(accesses_of_several_variables)
{
	/* 6 needs both values that 4 read, so it comes after 3 */
	static const char text[] = "t1 write a 1\n" /* 1 */
				   "t1 write c 2\n"
				   "t1 write b 1\n" /* 3 */
				   "t2 read a 1 b 1\n"
				   "t2 branch%s\n"
				   "t2 write c 1%s\n";
	char with[200];

	sprintf(with, text, "", "");
	EXPECT_RACES(with, MODEL_VALUES, "1-4 3-4");
	sprintf(with, text, " reads=4", "");
	EXPECT_RACES(with, MODEL_VALUES, "1-4 3-4");
	sprintf(with, text, " reads=", " at=4");
	EXPECT_RACES(with, MODEL_VALUES, "1-4 3-4");
	sprintf(with, text, " reads=", "");
	EXPECT_RACES(with, MODEL_VALUES, "1-4 2-6 3-4");
	/* atomic on one of them is not enough */
	EXPECT_RACES("volatile y\n"
		     "t1 write x 1 y 1\n"
		     "t2 write y 2\n"
		     "t2 write y 3 x 3\n",
		     MODEL_VALUES, "1-3");
}

TAP_CASE(the_value_of_several_variables)
{
	/* hi alone decides that the whole is above what lo can be */
	static const char text[] = "memory lo m 0 1\n"
				   "memory hi m %d 1\n"
				   "t1 write hi 1\n" /* 1 */
				   "t1 write y 1\n"  /* 2 */
				   "t1 write lo 5\n" /* 3 */
				   "t2 read lo 5 hi 1\n"
				   "t2 branch if (> %%4 %lld)\n"
				   "t2 write y 2\n"; /* 6 */
	/* t3 comes to 11 before t1 has read what t2 wrote: the expression gave 256, not 257 */
	static const char store[] = "memory word m 0 2\n"
				    "memory hi m 1 1\n"
				    "t2 acquire l\n"
				    "t2 write y 2\n" /* 2 */
				    "t2 write k 1\n"
				    "t2 release l\n"
				    "t1 acquire l\n"
				    "t1 read k 1\n"
				    "t1 write word 257 = (+ %6 256)\n" /* 7 */
				    "t1 release l\n"
				    "t3 read hi 1\n" /* 9 */
				    "t3 branch\n"
				    "t3 write y 1\n"; /* 11 */

	char with[300];

	for (int place = 1; place < 8; place++) {
		sprintf(with, text, place, (1LL << 8 * place) - 1);
		EXPECT_RACES(with, MODEL_VALUES, "1-4 2-6 3-4");
		EXPECT_RACES(with, MODEL_MAXIMAL, "1-4 3-4");
		sprintf(with, text, place, 1LL << 8 * place);
		EXPECT_RACES(with, MODEL_VALUES, "1-4 3-4");
	}
	EXPECT_RACES(store, MODEL_VALUES, "2-11 7-9");
	EXPECT_RACES(store, MODEL_MAXIMAL, "7-9");
}

TAP_CASE(a_variable_takes_its_own_bytes)
{
	/*
	 * t3 comes to 11 before t1 has read 1 at 6, if b is the same for all that: the
	 * expression gave 512, not 256
	 */
	static const char text[] = "%s\n"
				   "init b 7\n"
				   "t2 acquire l\n"
				   "t2 write y 2\n" /* 2 */
				   "t2 write k 1\n"
				   "t2 release l\n"
				   "t1 acquire l\n"
				   "t1 read k 1\n"
				   "t1 %s = (- 512 (* 256 %%6))\n" /* 7 */
				   "t1 release l\n"
				   "t3 read b %d\n" /* 9 */
				   "t3 branch\n"
				   "t3 write y 1\n"; /* 11 */
	char with[400];

	sprintf(with, text, "memory b m 0 1", "write b 0", 0);
	EXPECT_RACES(with, MODEL_VALUES, "2-11 7-9");
	EXPECT_RACES(with, MODEL_MAXIMAL, "7-9");
	sprintf(with, text, "memory b m 0 1", "rmw b 7 0", 0);
	EXPECT_RACES(with, MODEL_VALUES, "2-11 7-9");
	sprintf(with, text, "memory b m 0 1\nmemory c m 4 1", "write b 0 c 0", 0);
	EXPECT_RACES(with, MODEL_VALUES, "2-11 7-9");
	/* all of its bits */
	sprintf(with, text, "volatile k", "write b 256", 256);
	EXPECT_RACES(with, MODEL_VALUES, "7-9");
	sprintf(with, text, "memory b m 0 2", "write b 256", 256);
	EXPECT_RACES(with, MODEL_VALUES, "7-9");
	/* b takes nothing of it, c does */
	sprintf(with, text, "memory b m 0 1\nmemory c m 1 1", "write b 0 c 1", 0);
	EXPECT_RACES(with, MODEL_VALUES, "2-11 7-9");
	sprintf(with, text, "memory c m 0 1\nmemory b m 1 1", "write c 0 b 1", 1);
	EXPECT_RACES(with, MODEL_VALUES, "7-9");
}

/* Scopes */

/*
 * t2 reads what t1 writes under the lock, and adds to a counter if that is 1. Without the arm it
 * comes to 10 while t1 stands at 1.
 */
TAP_CASE(branch_that_governs_its_arm)
{
	static const char text[] = "t1 write x 1\n"
				   "t1 acquire l\n"
				   "t1 write k 1\n" /* 3 */
				   "t1 release l\n"
				   "t2 acquire l\n"
				   "t2 read k 1\n" /* 6 */
				   "t2 release l\n"
				   "t2 branch if (= %%6 1)%s\n" /* 8 */
				   "t2 %s\n"
				   "t2 write x 2 %s\n" /* 10 */
				   "t2 end\n";
	char with[400];

	sprintf(with, text, "", "write c 1", "reads=");
	EXPECT_RACES(with, MODEL_VALUES, "-");
	sprintf(with, text, " scope=1", "write c 1", "reads=");
	EXPECT_RACES(with, MODEL_VALUES, "1-10");
	/* only who knows that the guard is 0 knows where the thread goes on */
	EXPECT_RACES(with, MODEL_MAXIMAL, "-");
	EXPECT_RACES(with, MODEL_PREDICTABLE, "-");
	EXPECT_RACES(with, MODEL_MCM, "-");
	EXPECT_RACES(with, MODEL_SAID, "-");
	/* it governs the write too */
	sprintf(with, text, " scope=2", "write c 1", "reads=");
	EXPECT_RACES(with, MODEL_VALUES, "-");
	/* what a skipped read would have returned is not known */
	sprintf(with, text, " scope=1", "read c 0", "at=9");
	EXPECT_RACES(with, MODEL_VALUES, "-");
	sprintf(with, text, " scope=1", "read c 0", "at=6");
	EXPECT_RACES(with, MODEL_VALUES, "-");
	sprintf(with, text, " scope=1", "read c 0", "reads=9");
	EXPECT_RACES(with, MODEL_VALUES, "1-10");
}

/* A skipped write does not happen, and a skipped section is in nobody's way. */
TAP_CASE(what_is_skipped_does_nothing)
{
	static const char arm[] = "t1 write k 1\n"
				  "t2 read k 1\n"
				  "t2 branch if (= %%2 1) scope=%d\n" /* 3 */
				  "t2 acquire l\n"
				  "t2 write y 1\n" /* 5 */
				  "t2 release l\n"
				  "t2 write x 1 reads=\n" /* 7 */
				  "t3 read y 1\n"
				  "t3 branch\n"
				  "t3 write x 2\n"; /* 10 */
	char with[400];

	sprintf(with, arm, 3);
	EXPECT_RACES(with, MODEL_VALUES, "1-2 5-8 7-10");
	static const char lock[] = "t1 acquire l\n"
				   "t1 write z 1\n" /* 2 */
				   "t1 write k 1\n"
				   "t1 release l\n"
				   "t2 read k 1\n" /* 5 */
				   "t2 branch if (= %5 1) scope=2\n"
				   "t2 acquire l\n"
				   "t2 release l\n"
				   "t2 write z 2 reads=\n" /* 9 */
				   "t2 end\n";

	EXPECT_RACES(lock, MODEL_VALUES, "2-9 3-5");
	EXPECT_RACES(lock, MODEL_MAXIMAL, "3-5");
}

/* Scopes in scopes; one that nothing is recorded behind governs all. */
TAP_CASE(scopes_in_scopes)
{
	static const char text[] = "t1 write k 1\n"
				   "t2 read k 1\n"
				   "t2 read j 0\n"
				   "t2 branch if (= %2 1) scope=3\n" /* 4 */
				   "t2 write a 1\n"
				   "t2 branch if (= %3 0) scope=1\n" /* 6 */
				   "t2 write b 1\n"
				   "t2 write c 1 reads=\n" /* 8 */
				   "t3 write j 1\n"
				   "t3 write b 2\n"  /* 10 */
				   "t1 write c 2\n"  /* 11 */
				   "t3 write c 3\n"; /* 12 */

	EXPECT_RACES(text, MODEL_VALUES, "1-2 3-9 7-10 8-11 8-12 11-12");
	EXPECT_RACES("t1 write k 1\nt1 write x 1\nt2 read k 1\nt2 branch if (= %3 1) scope=1\n"
		     "t2 write x 2\nt3 join t2\nt3 write x 3\n",
		     MODEL_VALUES, "1-3 2-5 2-7");
}

/* More information never removes a prediction: nothing < reads= < expression. */
TAP_CASE(unknown_values)
{
	/* t1 at 4 while t3 has read both 1s: t1 read 1 at 2; what did it write at 3? */
	static const char text[] = "t1 acquire l\n"
				   "t1 read x 0\n"
				   "t1 write y 1%s\n" /* 3 */
				   "t1 write w 1\n"   /* 4 */
				   "t1 release l\n"
				   "t2 acquire l\n"
				   "t2 write x 1\n" /* 7 */
				   "t2 release l\n"
				   "t3 read x 1\n" /* 9 */
				   "t3 read y 1\n" /* 10 */
				   "t3 branch\n"
				   "t3 write w 3\n"; /* 12 */
	char with[400];

	sprintf(with, text, "");
	EXPECT_RACES(with, MODEL_VALUES, "3-10 7-9");
	sprintf(with, text, " reads=");
	EXPECT_RACES(with, MODEL_VALUES, "3-10 4-12 7-9");
	EXPECT_RACES(with, MODEL_MAXIMAL, "3-10 4-12 7-9");
	EXPECT_RACES(with, MODEL_PREDICTABLE, "3-10 4-12 7-9");
	/* t1 comes to 3 before t3 has read 1 at 9, or not at all */
	EXPECT_RACES(with, MODEL_MCM, "7-9");
	EXPECT_RACES(with, MODEL_SAID, "7-9");
	sprintf(with, text, " = (+ 1 (* 0 %2))");
	EXPECT_RACES(with, MODEL_VALUES, "3-10 4-12 7-9");
	EXPECT_RACES(with, MODEL_MAXIMAL, "3-10 7-9");
	sprintf(with, text, " = (+ 1 %2)"); /* that is 2 */
	EXPECT_RACES(with, MODEL_VALUES, "3-10 7-9");
	sprintf(with, text, " = (/ 1 (- 1 %2))"); /* division by zero */
	EXPECT_RACES(with, MODEL_VALUES, "3-10 7-9");
}
