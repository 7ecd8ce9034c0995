/* SPDX-License-Identifier: MIT */
/*
 * CSP_M: random processes against the equations of the book (tests/support/naive_csp.h), and what
 * the room offers to others. SOAK=100000: so many random pairs.
 */
#include "csp/csp.h"
#include "tests/support/naive_csp.h"
#include "tests/support/tap.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t rounds(uint64_t usual)
{
	const char *soak = getenv("SOAK");

	return soak ? strtoull(soak, NULL, 10) : TAP_PART(usual);
}

static struct csp *loaded(const char *text)
{
	struct csp *csp = csp_new(&(struct csp_limits){.bytes = (uint64_t)256 << 20});
	struct err err = {0};

	if (csp_read(csp, "script", text, strlen(text), NULL, &err) || csp_check(csp, &err))
		FAIL("%s\n%s", err.message, text);
	return csp;
}

/* The event as one of naive's symbols. */
static uint32_t symbol(struct csp *csp, uint32_t event)
{
	return event == CSP_TICK ? NAIVE_TICK : (uint32_t)(*csp_event_text(csp, event) - 'a');
}

struct pair {
	struct naive spec, impl;
};

/* A trace that is short enough to be known; false: it is not. */
static bool trace_of(struct csp *csp, const struct csp_answer *a, uint32_t *trace)
{
	*trace = 0;
	if (a->trace_length > NAIVE_LENGTH)
		return false;
	for (size_t i = 0; i < a->trace_length; i++)
		*trace = naive_longer(*trace, symbol(csp, a->trace[i]));
	return true;
}

static void compare_refinement(struct csp *csp, size_t i, const struct pair *p, bool recursive)
{
	enum naive_model model = (enum naive_model)csp_assertion(csp, i).model;
	struct csp_answer answer;
	struct err err = {0};
	uint32_t trace;

	if (csp_assertion_decide(csp, i, &answer, &err))
		FAIL("%s", err.message);
	bool want = naive_refines(&p->spec, &p->impl, model);

	if (answer.holds) {
		ASSERT_EQ(want, true);
		return;
	}
	/* a recursive one may fail where it is not known; but what is known has to fail */
	if (!trace_of(csp, &answer, &trace)) {
		ASSERT_TRUE(recursive);
		return;
	}
	ASSERT_EQ(want, false);
	ASSERT_TRUE(naive_breaks(&p->spec, &p->impl, model, trace));
}

static void compare_property(struct csp *csp, size_t i, const struct naive *p, bool recursive)
{
	struct csp_answer answer;
	struct err err = {0};
	bool want = false;

	if (csp_assertion_decide(csp, i, &answer, &err))
		FAIL("%s", err.message);
	switch (csp_assertion(csp, i).property) {
	case CSP_DEADLOCK_FREE: want = !naive_deadlocks(p); break;
	case CSP_DIVERGENCE_FREE: want = !naive_diverges(p); break;
	case CSP_DETERMINISTIC: want = naive_deterministic(p); break;
	default: BUG("no such property");
	}
	if (recursive && want && !answer.holds && answer.trace_length >= NAIVE_LENGTH)
		return;
	ASSERT_EQ(answer.holds, want);
}

static void compare_pair(uint64_t seed, bool recursive)
{
	struct random r = random_seeded(seed);
	struct naive_process *spec = naive_random(&r, recursive),
			     *impl = naive_random(&r, recursive);
	struct pair *p = mem_alloc(sizeof(*p));
	char one[4000], two[4000], text[9000];

	naive_print(spec, one, sizeof(one));
	naive_print(impl, two, sizeof(two));
	/* each is X in a let of its own */
	snprintf(text, sizeof(text),
		 "channel a, b, c\nSPEC = let X = %s within X\nIMPL = let X = %s within X\n"
		 "assert SPEC [T= IMPL\nassert SPEC [F= IMPL\nassert SPEC [FD= IMPL\n"
		 "assert SPEC :[deadlock free [F]]\nassert SPEC :[divergence free]\n"
		 "assert SPEC :[deterministic [F]]\n",
		 one, two);
	tap_at("seed %llu\n%s", (unsigned long long)seed, text);
	naive_meaning(spec, &p->spec);
	naive_meaning(impl, &p->impl);
	struct csp *csp = loaded(text);

	for (size_t i = 0; i < 3; i++)
		compare_refinement(csp, i, p, recursive);
	for (size_t i = 3; i < 6; i++)
		compare_property(csp, i, &p->spec, recursive);
	csp_free(csp);
	naive_free(spec);
	naive_free(impl);
	mem_free(p);
}

TAP_CASE(random_processes_mean_what_the_equations_say)
{
	for (uint64_t seed = 0; seed < rounds(6000); seed++)
		compare_pair(seed, false);
}

TAP_CASE(random_recursive_processes_do_so_up_to_a_length)
{
	for (uint64_t seed = 0; seed < rounds(4000); seed++)
		compare_pair(1000000 + seed, true);
}

/* A process from outside: counts to three, then ends. */
static uint32_t tock;

static void count(void *context, uint64_t state, csp_emit *emit, void *to)
{
	(void)context;
	if (state < 3)
		emit(to, tock, state + 1);
	else
		emit(to, CSP_TICK, 0);
}

TAP_CASE(a_process_may_come_from_outside)
{
	struct csp *csp = csp_new(&(struct csp_limits){0});
	struct csp_answer answer;
	struct err err = {0};
	static const char given[] = "channel tock\nnametype thread = {0, 1}\n";
	static const char script[] = "channel open : thread\n"
				     "THREE = tock -> tock -> tock -> SKIP\n"
				     "assert THREE [FD= PROGRAM\nassert PROGRAM [FD= THREE\n"
				     "assert STOP [T= PROGRAM \\ {tock}\n";

	ASSERT_EQ(csp_read(csp, "given", given, strlen(given), NULL, &err), 0);
	ASSERT_EQ(csp_declare_process(csp, "PROGRAM", count, NULL, &err), 0);
	ASSERT_EQ(csp_read(csp, "script", script, strlen(script), NULL, &err), 0);
	ASSERT_EQ(csp_check(csp, &err), 0);
	ASSERT_EQ(csp_event(csp, "tock", &tock, &err), 0);
	ASSERT_EQ(csp_assertion_count(csp), 3);
	for (size_t i = 0; i < 2; i++) {
		ASSERT_EQ(csp_assertion_decide(csp, i, &answer, &err), 0);
		ASSERT_TRUE(answer.holds);
	}
	ASSERT_EQ(csp_assertion_decide(csp, 2, &answer, &err), 0);
	ASSERT_FALSE(answer.holds);
	ASSERT_EQ(answer.trace_length, 1);
	ASSERT_EQ(answer.trace[0], CSP_TICK);
	csp_free(csp);
}

TAP_CASE(a_later_text_hides_an_earlier_one)
{
	struct csp *csp = csp_new(&(struct csp_limits){0});
	struct csp_process *p;
	struct err err = {0};
	static const char given[] = "channel a : {0}\nx = 1\n", script[] = "channel a : {0..2}\n";

	ASSERT_EQ(csp_read(csp, "given", given, strlen(given), NULL, &err), 0);
	ASSERT_EQ(csp_read(csp, "script", script, strlen(script), NULL, &err), 0);
	ASSERT_EQ(csp_check(csp, &err), 0);
	ASSERT_EQ(csp_process(csp, "a.2 -> RUN(Events)", &p, &err), 0);
	ASSERT_EQ(csp_process(csp, "a.3 -> STOP", &p, &err), 0);
	const struct csp_step *steps;
	size_t n;

	ASSERT_EQ(csp_process_steps(csp, p, &steps, &n, &err), ERR_INPUT);
	ASSERT_PREFIX(err.message, "expression:1:1: the channel a cannot carry 3");
	csp_free(csp);
}

TAP_CASE(specifications_are_followed_event_by_event)
{
	struct csp *csp = loaded("channel a, b, c\nP = a -> (b -> P |~| c -> STOP)\n");
	struct csp_process *p;
	struct csp_normal *normal;
	struct err err = {0};
	uint32_t a, b, c, node;
	const uint32_t *events;
	size_t n;

	ASSERT_EQ(csp_event(csp, "a", &a, &err), 0);
	ASSERT_EQ(csp_event(csp, "b", &b, &err), 0);
	ASSERT_EQ(csp_event(csp, "c", &c, &err), 0);
	ASSERT_EQ(csp_process(csp, "P", &p, &err), 0);
	ASSERT_STR_EQ(csp_process_name(csp, p), "P");
	ASSERT_EQ(csp_normal_new(csp, p, CSP_FAILURES, &normal, &err), 0);
	ASSERT_EQ(csp_normal_after(normal, 0, b, &node, &err), 0);
	ASSERT_EQ(node, CSP_NODE_NONE);
	ASSERT_EQ(csp_normal_after(normal, 0, a, &node, &err), 0);
	ASSERT_EQ(csp_normal_initials(normal, node, &events, &n, &err), 0);
	ASSERT_EQ(n, 2);
	ASSERT_EQ(events[0] + events[1], b + c);
	ASSERT_EQ(csp_normal_after(normal, node, b, &node, &err), 0);
	ASSERT_EQ(node, 0);
	ASSERT_TRUE(csp_normal_state(normal, node) == p);
	csp_normal_free(normal);
	csp_free(csp);
}

TAP_CASE(an_error_leaves_everything_usable)
{
	struct csp *csp = loaded("channel a : {0..3}\nP(n) = a.n -> P(n + 1)\nQ = a?x -> Q\n"
				 "assert Q [T= P(0)\nassert Q [FD= Q\n");
	struct csp_answer answer;
	struct err err = {0};

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(csp_assertion_decide(csp, 0, &answer, &err), ERR_INPUT);
		ASSERT_PREFIX(err.message, "script:2:8: the channel a cannot carry 4");
		ASSERT_EQ(csp_assertion_decide(csp, 1, &answer, &err), 0);
		ASSERT_TRUE(answer.holds);
	}
	csp_free(csp);
}
