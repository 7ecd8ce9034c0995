/* SPDX-License-Identifier: MIT */
/* Reports: the text as it is, JSON and SARIF as programs see them; all of random traces. */
#include "predict/suppress.h"
#include "report/report.h"
#include "tests/support/explored.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Predictions */

static void add_findings(struct prediction *p, const struct explore_finding *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct finding f = {.engine = "explore", .instances = 1};

		witness_copy(&f.witness, &at[i].witness);
		vec_push(&p->findings, f);
	}
}

/* All that the exhaustive engine finds. */
static struct prediction predicted(const struct index *index, enum model model)
{
	struct prediction p = {.index = index, .model = model};
	struct explore_limits limits = {.states = 20000};
	struct explore_result all = {0};
	struct err err = {0};

	explore(index, model, &limits, &all, &err);
	for (int bug = 0; bug < BUG_COUNT; bug++)
		add_findings(&p, all.bugs[bug].at, all.bugs[bug].n);
	for (size_t i = 0; i < p.findings.n; i++)
		p.kinds[p.findings.at[i].witness.bug].signatures++;
	p.kinds[BUG_RACE].asked_for = p.kinds[BUG_DEADLOCK].asked_for = true;
	p.kinds[BUG_STUCK].asked_for = true;
	explore_result_release(&all);
	return p;
}

static void release(struct prediction *p)
{
	for (size_t i = 0; i < p->findings.n; i++)
		witness_release(&p->findings.at[i].witness);
	vec_release(&p->findings);
	vec_release(&p->undecided);
}

static const struct report_options plain = {.trace = "a.trace", .version = "0.1.0"};

static struct bytes written(const char *kind, const struct prediction *p,
			    const struct report_options *options)
{
	struct memory_output m;
	struct output *out = memory_output_open(&m);

	report_write(report_by_name(kind), p, options, out);
	return memory_output_take(&m);
}

static void expect_text(const char *trace, const char *want)
{
	struct index *index = index_of_text(trace);
	struct prediction p = predicted(index, MODEL_MAXIMAL);
	struct bytes got = written("text", &p, &plain);

	ASSERT_STR_EQ(got.at, want);
	bytes_release(&got);
	release(&p);
	index_free(index);
}

/* Text */

TAP_CASE(text_of_a_race)
{
	expect_text(
		"t1 fork t2 @src/main.c:40:3:main\n"
		"t1 acquire l @src/main.c:9:2:produce\n"
		"t1 write x 1 @src/main.c:10:2:produce\n"
		"t1 write y 1 @src/main.c:11:2:produce\n"
		"t1 release l @src/main.c:12:2:produce\n"
		"t2 acquire l @src/main.c:20:2:consume\n"
		"t2 read y 1 @src/main.c:21:2:consume\n"
		"t2 release l @src/main.c:22:2:consume\n"
		"t2 read x 1 @src/main.c:23:2:consume\n",
		"==================\n"
		"WARNING: Norn: data race on x (certified)\n"
		"  Write of x = 1 by thread t1:\n"
		"    #0 produce src/main.c:10:2 (event 3)\n"
		"    holds l, taken at src/main.c:9\n"
		"\n"
		"  Read of x = 1 by thread t2:\n"
		"    #0 consume src/main.c:23:2 (event 9)\n"
		"\n"
		"  Thread t2 created by thread t1 at:\n"
		"    #0 main src/main.c:40:3 (event 1)\n"
		"\n"
		"  Why it can happen: after 5 events of 2 threads both accesses are next.\n"
		"    1. thread t1: 1 event, src/main.c:40, starts t2\n"
		"    2. thread t2: 3 events, src/main.c:20 … src/main.c:22, takes l, releases l\n"
		"       reads y at src/main.c:21 as it was at the start, recorded as written at "
		"src/main.c:11\n"
		"    3. thread t1: 1 event, src/main.c:9, takes l\n"
		"  next: thread t1 writes x at src/main.c:10\n"
		"  next: thread t2 reads x at src/main.c:23\n"
		"\n"
		"SUMMARY: Norn: data race: src/main.c:10 in produce, src/main.c:23 in consume\n"
		"==================\n"
		"Norn: 1 candidate, model maximal: 1 proved, 0 refuted, 0 undecided\n"
		"Every candidate is decided: race, deadlock and stuck, of this record, "
		"under sequential consistency.\n");
}

TAP_CASE(text_of_a_use_after_free)
{
	expect_text("memory p heap 0x1000 4\n"
		    "t1 rmw p 0 1\nt2 free p\n",
		    "==================\n"
		    "WARNING: Norn: use after free on p (certified)\n"
		    "  Rmw of p = 0 to 1 by thread t1:\n"
		    "    #0 event 1\n"
		    "\n"
		    "  Free of p by thread t2:\n"
		    "    #0 event 2\n"
		    "\n"
		    "  p is 4 bytes at 0x1000 of heap\n"
		    "\n"
		    "  Why it can happen: at the start both accesses are next.\n"
		    "  next: thread t1 updates p at event 1\n"
		    "  next: thread t2 frees p at event 2\n"
		    "\n"
		    "SUMMARY: Norn: use after free: t1 rmw p, t2 free p\n"
		    "==================\n"
		    "Norn: 1 candidate, model maximal: 1 proved, 0 refuted, 0 undecided\n"
		    "Every candidate is decided: race, deadlock and stuck, of this record, "
		    "under sequential consistency.\n");
}

static void expect_passes(const char *command, const struct bytes *text)
{
	FILE *pipe = popen(command, "w");

	ASSERT_TRUE(pipe != NULL);
	fwrite(text->at, 1, text->n, pipe);
	if (pclose(pipe) != 0)
		FAIL("%s fails on:\n%s", command, text->at);
}

static void expect_json(const struct bytes *json, const char *condition)
{
	char command[600];

	snprintf(command, sizeof(command),
		 "perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>); exit !(%s)'",
		 condition);
	expect_passes(command, json);
}

TAP_CASE(where_a_block_was_allocated)
{
	struct index *index = index_of_text("memory heap:a.c:3~1 heap:a.c:3~1 0x1000 8\n"
					    "memory g memory 0x500000000000 8\n"
					    "t1 alloc heap:a.c:3~1 @a.c:3:1:make\nt1 fork t2\n"
					    "t1 write heap:a.c:3~1 94824992860600 @a.c:4\n"
					    "t2 free heap:a.c:3~1 @a.c:5\nt1 write g 1 @a.c:6\n"
					    "t2 read g 1 @a.c:7\n");
	struct prediction p = predicted(index, MODEL_MAXIMAL);
	struct bytes text = written("text", &p, &plain), json = written("json", &p, &plain);
	struct bytes sarif = written("sarif", &p, &plain);

	ASSERT_CONTAINS(text.at, "Write of heap:a.c:3~1 = 0x563e2a03e9b8 by thread t1:\n");
	ASSERT_CONTAINS(text.at, "  heap:a.c:3~1 is 8 bytes at 0x1000\n"
				 "\n"
				 "  Allocated by thread t1 at:\n"
				 "    #0 make a.c:3:1 (event 1)\n");
	ASSERT_CONTAINS(text.at, "  g is 8 bytes at 0x500000000000\n");
	expect_json(&json, "(grep { $_->{allocated} && $_->{allocated}{event} == 1 && "
			   "$_->{allocated}{thread} eq \"t1\" && "
			   "$_->{allocated}{location}{line} == 3 } @{$j->{findings}}) == 1 && "
			   "(grep { !$_->{allocated} } @{$j->{findings}}) == 1");
	ASSERT_CONTAINS(sarif.at, "alloc of heap:a.c:3~1 by thread t1");
	expect_passes("tests/support/check_sarif", &sarif);
	bytes_release(&text);
	bytes_release(&json);
	bytes_release(&sarif);
	release(&p);
	index_free(index);
}

TAP_CASE(text_of_a_deadlock)
{
	/* t1 does not end, so that nobody is stuck */
	expect_text(
		"t1 acquire m @a.c:1\nt1 acquire p @a.c:2\nt1 release p\nt1 release m\n"
		"t2 acquire p @b.c:1:1:second\nt2 acquire m @b.c:2\nt2 release m\nt2 release p\n"
		"t3 mark x\n",
		"==================\n"
		"WARNING: Norn: deadlock of 2 threads (certified)\n"
		"  Thread t1 waits for p, which thread t2 holds:\n"
		"    #0 a.c:2 (event 2)\n"
		"    p was taken by thread t2 at b.c:1 in second (event 5)\n"
		"    holds m, taken at a.c:1\n"
		"\n"
		"  Thread t2 waits for m, which thread t1 holds:\n"
		"    #0 b.c:2 (event 6)\n"
		"    m was taken by thread t1 at a.c:1 (event 1)\n"
		"    holds p, taken at b.c:1\n"
		"\n"
		"  Why it can happen: after 2 events of 2 threads each of them waits for the "
		"next.\n"
		"    1. thread t1: 1 event, a.c:1, takes m\n"
		"    2. thread t2: 1 event, b.c:1, takes p\n"
		"  next: thread t1 waits for p at a.c:2\n"
		"  next: thread t2 waits for m at b.c:2\n"
		"\n"
		"SUMMARY: Norn: deadlock: a.c:2, b.c:2\n"
		"==================\n"
		"Norn: 1 candidate, model maximal: 1 proved, 0 refuted, 0 undecided\n"
		"Every candidate is decided: race, deadlock and stuck, of this record, "
		"under sequential consistency.\n");
}

TAP_CASE(text_of_threads_that_are_stuck)
{
	struct index *index = index_of_text("sem s 1\nt2 sem-wait s\nt2 sem-post s\nt2 end\n"
					    "t1 sem-wait s\nt1 end\n");
	struct prediction p = predicted(index, MODEL_MAXIMAL);
	struct bytes got = written("text", &p, &plain);

	ASSERT_CONTAINS(got.at, "WARNING: Norn: threads that wait forever (certified)\n"
				"  Thread t2 waits for semaphore s:\n    #0 event 1\n"
				"    s is 0, it was last decremented by thread t1 at event 4\n");
	ASSERT_CONTAINS(got.at, "after 2 events of 1 thread no thread can continue");
	bytes_release(&got);
	release(&p);
	index_free(index);
}

/* The witness is as recorded, 60 switches long: the end alone is shown. */
static struct index *long_trace(void)
{
	char text[8000];
	size_t used = 0;

	for (int i = 0; i < 60; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "t%d write y%d 1 @a.c:%d\n", i % 2, i, i + 1);
	snprintf(text + used, sizeof(text) - used, "t0 write x 1\nt1 write x 2\n");
	return index_of_text(text);
}

static struct prediction long_prediction(const struct index *index)
{
	struct prediction p = {.index = index, .kinds[BUG_RACE].signatures = 1};
	struct finding f = {.witness = {.bug = BUG_RACE}};

	vec_push(&f.witness.bug_events, 61);
	vec_push(&f.witness.bug_events, 62);
	for (uint64_t i = 1; i <= 60; i++)
		vec_push(&f.witness.run, i);
	vec_push(&p.findings, f);
	return p;
}

TAP_CASE(long_witnesses_are_summed_up)
{
	struct index *index = long_trace();
	struct prediction p = long_prediction(index);
	struct witness *w = &p.findings.at[0].witness;
	struct bytes got = written("text", &p, &plain);

	ASSERT_CONTAINS(got.at, "after 60 events of 2 threads both accesses are next.\n"
				"       as recorded up to event 40\n"
				"   41. thread t0: 1 event, a.c:41\n");
	ASSERT_CONTAINS(got.at, "   60. thread t1: 1 event, a.c:60\n  next: thread t0 writes x");
	bytes_release(&got);
	/* the second event comes first, and one is not there */
	memmove(w->run.at + 30, w->run.at + 31, 29 * sizeof(*w->run.at));
	w->run.n--;
	got = written("text", &p, &plain);
	ASSERT_CONTAINS(got.at, "       39 events in the order of the trace, up to event 40\n");
	bytes_release(&got);
	w->run.at[0] = 2;
	w->run.at[1] = 1;
	got = written("text", &p, &plain);
	ASSERT_CONTAINS(got.at, "       1 event in the order of the trace, up to event 2\n"
				"       38 events in another order, not shown\n");
	bytes_release(&got);
	release(&p);
	index_free(index);
}

/* What was not decided is said. */
TAP_CASE(text_is_honest)
{
	struct index *index = index_of_text("t1 write x 1 @a.c:1\nt2 write x 2 @a.c:2\n");
	struct prediction p = predicted(index, MODEL_MAXIMAL);
	struct suppressions s = {0};
	struct err err = {0};
	static const char file[] = "race:^x$\nrace:y\nrace:z\n";
	struct input *in = input_open_memory(file, strlen(file), "my.supp");
	struct undecided slow = {.bug = BUG_RACE, .closest = {2, {1, 2}}, .why = "out of time"};
	struct undecided large = {.bug = BUG_RACE, .closest = {2, {1, 2}}, .why = "too large"};
	struct report_options options = plain;

	options.suppressions = &s;
	ASSERT_EQ(suppressions_read(&s, in, &err), 0);
	input_close(in);
	suppressions_match(&s, index, &p.findings.at[0]);
	vec_push(&p.undecided, slow);
	vec_push(&p.undecided, large);
	vec_push(&p.undecided, slow);
	p.kinds[BUG_RACE].signatures = 9;
	p.kinds[BUG_RACE].refuted = 2;
	p.interrupted = true;
	struct bytes got = written("text", &p, &options);

	ASSERT_STR_EQ(
		got.at,
		"Norn: 9 candidates, model maximal: 1 proved (1 suppressed), 2 refuted, "
		"3 undecided, 3 not looked at\n"
		"  2 undecided: out of time; --budget gives each candidate more time, --time "
		"all of them\n"
		"    race: write of x by thread t1 at a.c:1, write of x by thread t2 at a.c:2\n"
		"    race: write of x by thread t1 at a.c:1, write of x by thread t2 at a.c:2\n"
		"  1 undecided: too large; a shorter run has less between the two places\n"
		"    race: write of x by thread t1 at a.c:1, write of x by thread t2 at a.c:2\n"
		"  1 suppressed: race:^x$ (my.supp:1)\n"
		"  2 suppressions matched nothing\n"
		"Interrupted: 3 candidates were not looked at; there may be more "
		"findings.\n");
	bytes_release(&got);
	p.kinds[BUG_RACE].signatures = 6; /* all were begun */
	got = written("text", &p, &options);
	ASSERT_CONTAINS(got.at, "Interrupted: undecided candidates may be findings.\n");
	bytes_release(&got);
	p.interrupted = false;
	got = written("text", &p, &options);
	ASSERT_CONTAINS(got.at, "Not complete: undecided candidates may be findings.\n");
	bytes_release(&got);
	suppressions_release(&s);
	release(&p);
	index_free(index);
}

/* JSON and SARIF */

/* Feeds the text to a command; the case fails if that does. */
static const char located[] = "t1 fork t2 @/home/u/p/src/main.c:40:3:main\n"
			      "t1 acquire l @/home/u/p/src/main.c:9:2:produce\n"
			      "t1 write x 1 @/home/u/p/src/main.c:10:2:produce\n"
			      "t1 release l\n"
			      "t2 read x 1 @./lib/b%20c.c:23\n";

TAP_CASE(json_has_it_all)
{
	struct index *index = index_of_text(located);
	struct prediction p = predicted(index, MODEL_MAXIMAL);
	struct undecided u = {.bug = BUG_RACE, .closest = {2, {3, 5}}, .why = "out of time"};

	vec_push(&p.undecided, u);
	p.tiers[0] = (struct tier){"greedy", 2, 1, 0, 1, 0.25};
	p.tier_count = 1;
	p.kinds[BUG_RACE].signatures++;
	struct bytes got = written("json", &p, &plain);

	expect_json(&got, "$j->{format} eq \"norn-report\" && $j->{version} == 3");
	expect_json(&got, "$j->{trace} eq \"a.trace\" && $j->{norn} eq \"0.1.0\"");
	expect_json(&got, "!$j->{complete} && $j->{candidates}{proved} == 1");
	expect_json(&got,
		    "$j->{tiers}[0]{engine} eq \"greedy\" && $j->{tiers}[0]{seconds} == 0.25");
	expect_json(&got, "$j->{undecided}[0]{why} eq \"out of time\"");
	expect_json(&got,
		    "$j->{findings}[0]{bug} eq \"race\" && $j->{findings}[0]{variable} eq \"x\"");
	expect_json(&got, "$j->{findings}[0]{events}[0]{holds}[0]{location}{line} == 9");
	expect_json(&got, "$j->{findings}[0]{events}[1]{created}{location}{function} eq \"main\"");
	expect_json(&got, "join(q( ), map { ref $_ ? \"@$_\" : $_ } "
			  "@{$j->{findings}[0]{witness}{run}}) eq \"1 2\"");
	bytes_release(&got);
	release(&p);
	index_free(index);
}

TAP_CASE(sarif_of_a_race)
{
	struct index *index = index_of_text(located);
	struct prediction p = predicted(index, MODEL_MAXIMAL);
	struct report_options options = plain;

	options.root = "/home/u/p/";
	options.exit_status = 66;
	struct bytes got = written("sarif", &p, &options);

	expect_passes("tests/support/check_sarif", &got);
	ASSERT_CONTAINS(got.at, "\"uri\": \"src/main.c\"");
	ASSERT_CONTAINS(got.at, "\"uri\": \"lib/b%2520c.c\"");
	ASSERT_CONTAINS(got.at, "\"exitCode\": 66");
	expect_json(&got, "$j->{runs}[0]{results}[0]{ruleId} eq \"norn/data-race\"");
	expect_json(&got, "$j->{runs}[0]{results}[0]{locations}[0]{physicalLocation}{region}"
			  "{startColumn} == 2");
	expect_json(&got, "$j->{runs}[0]{results}[0]{codeFlows}[1]{threadFlows}[1]{locations}[-1]"
			  "{executionOrder} == 2");
	expect_json(&got, "$j->{runs}[0]{invocations}[0]{executionSuccessful}");
	bytes_release(&got);
	p.findings.at[0].suppressed = true;
	p.interrupted = true;
	options.root = NULL;
	got = written("sarif", &p, &options);
	expect_passes("tests/support/check_sarif", &got);
	ASSERT_CONTAINS(got.at, "\"uri\": \"file:///home/u/p/src/main.c\"");
	expect_json(&got, "$j->{runs}[0]{results}[0]{suppressions}[0]{kind} eq \"external\"");
	expect_json(&got, "!$j->{runs}[0]{invocations}[0]{executionSuccessful}");
	bytes_release(&got);
	release(&p);
	index_free(index);
}

/* The same bug in another trace, with other numbers, has the same fingerprint. */
TAP_CASE(fingerprints_stay)
{
	static const char *const traces[] = {
		"t1 write x 1 @a.c:1\nt2 write x 2 @a.c:2\n",
		"t1 write y 1\nt2 write x7 2 @a.c:2\nt3 write x7 1 @a.c:1\n",
		"t1 write x 1 @a.c:1\nt2 write x 2 @a.c:3\n",
	};
	char prints[3][40];

	for (int i = 0; i < 3; i++) {
		struct index *index = index_of_text(traces[i]);
		struct prediction p = predicted(index, MODEL_MAXIMAL);
		struct bytes got = written("json", &p, &plain);
		const char *at = strstr(got.at, "\"fingerprint\"");

		ASSERT_TRUE(at != NULL);
		snprintf(prints[i], sizeof(prints[i]), "%.34s", at);
		bytes_release(&got);
		release(&p);
		index_free(index);
	}
	ASSERT_STR_EQ(prints[0], prints[1]);
	ASSERT_FALSE(!strcmp(prints[0], prints[2]));
}

TAP_CASE(reports_of_random_traces)
{
	size_t findings = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct random_trace knobs = random_trace_knobs(seed, 30, RANDOM_EVERYTHING);
		char *text = random_trace_make(&knobs);
		struct index *index = index_of_text(text);
		struct prediction p = predicted(index, seed % MODEL_COUNT);

		tap_at("seed %llu", (unsigned long long)seed);
		for (size_t k = 0; k < report_kind_count; k++) {
			struct bytes got = written(report_kinds[k]->name, &p, &plain);

			if (report_kinds[k] == &report_perfetto) { /* these are no text */
				expect_passes("tests/support/check_perfetto >/dev/null", &got);
				bytes_release(&got);
				continue;
			}
			for (const char *c = got.at; *c; c++)
				ASSERT_TRUE((unsigned char)*c >= ' ' || *c == '\n' ||
					    (*c == '\t' && report_kinds[k] == &report_html));
			if (report_kinds[k] == &report_json)
				expect_json(&got, "1");
			if (report_kinds[k] == &report_sarif)
				expect_passes("tests/support/check_sarif", &got);
			bytes_release(&got);
		}
		findings += p.findings.n;
		release(&p);
		index_free(index);
		free(text);
	}
	ASSERT_TRUE(findings > 60);
}
