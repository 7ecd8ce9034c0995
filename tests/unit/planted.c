/* SPDX-License-Identifier: MIT */
/*
 * Generators of traces whose races are known: what they claim holds. Each kind of planted item
 * alone is put before the exhaustive engine; why that is enough stands in planted.h.
 */
#include "order/order.h"
#include "tests/support/dense.h"
#include "tests/support/explored.h"
#include "tests/support/guarded.h"
#include "tests/support/lock_planted.h"
#include "tests/support/planted.h"
#include "tests/support/predicted.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct index *index_of_bytes(struct bytes *text)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(text->at, text->n, "made", NULL, &err);
	struct index *index = r ? index_new(r, &err) : NULL;

	if (!index)
		FAIL("%s", err.message);
	return index;
}

/* The event at that line of the item's file. */
static uint32_t event_at(const struct index *index, const char *line)
{
	for (uint32_t i = 1; i <= index->count; i++) {
		const char *place =
			intern_text(&index->symbols->locations, index->events[i].location);

		if (strstr(place, line) && !strcmp(strstr(place, line), line))
			return i;
	}
	FAIL("nothing at %s", line);
}

static const char *wanted(const struct index *index, bool race)
{
	static char text[40];
	uint32_t a = event_at(index, ".c:1"), b = event_at(index, ".c:2");

	sprintf(text, "%u-%u", a, b);
	return race ? text : "-";
}

static void check_kind(const struct planted_kind *kind)
{
	const bool holds[MODEL_COUNT] = {[MODEL_VALUES] = kind->race,
					 [MODEL_MAXIMAL] = kind->maximal,
					 [MODEL_PREDICTABLE] = kind->predictable};
	struct memory_output memory;
	struct err err = {0};

	ASSERT_EQ(planted_write_one(kind, memory_output_open(&memory), "text", &err), 0);
	struct bytes text = memory_output_take(&memory);

	tap_at("%s\n%s", kind->name, text.at);
	struct index *index = index_of_bytes(&text);

	for (enum model model = MODEL_VALUES; model <= MODEL_PREDICTABLE; model++) {
		struct explore_result result = explored(index, model);

		ASSERT_STR_EQ(races_text(&result), wanted(index, holds[model]));
		explore_result_release(&result);
	}
	struct order_pairs hb = {0};

	ASSERT_EQ(order_pairs(order_by_name("hb"), index, 0, &hb, &err), 0);
	ASSERT_EQ(hb.pairs.n > 0, kind->hb);
	vec_release(&hb.pairs);
	index_free(index);
	bytes_release(&text);
}

TAP_CASE(planted_races_are_races)
{
	for (size_t i = 0; i < planted_race_count; i++)
		check_kind(&planted_races[i]);
}

TAP_CASE(planted_pairs_that_are_none)
{
	for (size_t i = 0; i < planted_near_count; i++)
		check_kind(&planted_near[i]);
}

TAP_CASE(planted_places_are_found_again)
{
	ASSERT_EQ(planted_find("race-0-plain.c:1", "race-0-plain.c:2"), 0);
	ASSERT_EQ(planted_find("race-14-handover.c:2", "race-14-handover.c:1"), 14);
	ASSERT_EQ(planted_find("race-14-handover.c:2", "race-14-handover.c:2"), -1);
	ASSERT_EQ(planted_find("race-14-handover.c:1", "race-1-handover.c:2"), -1);
	ASSERT_EQ(planted_find("near-14-lock.c:1", "near-14-lock.c:2"), -1);
	ASSERT_EQ(planted_find("src/module1.c:1", "near-14-lock.c:2"), -1);
}

/* How far apart the accesses of each planted race are, by its number. */
static void measure_gaps(const struct index *index, uint32_t *gaps)
{
	const struct intern *places = &index->symbols->locations;
	uint32_t *at = mem_alloc_zero(places->strings.n, sizeof(*at));

	for (uint32_t i = 1; i <= index->count; i++)
		at[index->events[i].location] = i;
	for (uint32_t a = 0; a < places->strings.n; a++)
		for (uint32_t b = a + 1; b < places->strings.n; b++) {
			long number = planted_find(intern_text(places, a), intern_text(places, b));

			if (number >= 0)
				gaps[number] = at[b] - at[a];
		}
	mem_free(at);
}

/* Consistent (index_new checks that), as large as asked for, and every race where it should be. */
static void check_planted(const struct planted_size *size, const char *format)
{
	struct memory_output memory;
	struct err err = {0};

	tap_at("%llu events, %u threads, seed %llu", (unsigned long long)size->events,
	       size->threads, (unsigned long long)size->seed);
	ASSERT_EQ(planted_write(size, memory_output_open(&memory), format, &err), 0);
	struct bytes bytes = memory_output_take(&memory);
	struct index *index = index_of_bytes(&bytes);
	uint32_t *gaps = mem_alloc_zero(size->items, sizeof(*gaps)), wide = 0;

	ASSERT_TRUE(index->count >= size->events && index->count < size->events + 1000);
	measure_gaps(index, gaps);
	for (uint32_t i = 0; i < size->items; i++) {
		ASSERT_TRUE(gaps[i] > 0);
		wide += gaps[i] > size->events / 10;
	}
	ASSERT_TRUE(wide >= size->items / 2 - 1);
	mem_free(gaps);
	index_free(index);
	bytes_release(&bytes);
}

TAP_CASE(planted_traces_are_consistent)
{
	for (uint64_t seed = 0; seed < 10; seed++)
		check_planted(&(struct planted_size){10000, 8 + 2 * (uint32_t)seed, 40, seed},
			      seed % 2 ? "text" : "binary");
}

/* By quick, the weakest order, nothing of the background is even suspected. */
TAP_CASE(the_background_has_no_race)
{
	struct planted_size size = {20000, 12, 0, 3};
	struct memory_output memory;
	struct err err = {0};

	ASSERT_EQ(planted_write(&size, memory_output_open(&memory), "binary", &err), 0);
	struct bytes bytes = memory_output_take(&memory);
	struct index *index = index_of_bytes(&bytes);
	struct order_pairs quick = quick_of(index);

	ASSERT_EQ(quick.pairs.n, 0);
	vec_release(&quick.pairs);
	index_free(index);
	bytes_release(&bytes);
}

TAP_CASE(guarded_hides_its_race)
{
	for (int i = 0; i < 4; i++) {
		struct guarded g = {2, i % 2, i / 2};
		struct memory_output memory;
		struct err err = {0};

		ASSERT_EQ(guarded_write(&g, memory_output_open(&memory), "text", &err), 0);
		struct bytes text = memory_output_take(&memory);

		tap_at("%s", text.at);
		struct index *index = index_of_bytes(&text);
		struct order_pairs hb = {0};

		ASSERT_EQ(order_pairs(order_by_name("hb"), index, 0, &hb, &err), 0);
		ASSERT_EQ(hb.pairs.n, 0);
		for (enum model model = MODEL_VALUES; model <= MODEL_PREDICTABLE; model++) {
			struct explore_result result = explored(index, model);

			/* read and write of one x++, each with the other's; not two reads */
			ASSERT_EQ(result.bugs[BUG_RACE].n, 3);
			for (size_t k = 0; k < 3; k++) {
				const uint64_t *pair =
					result.bugs[BUG_RACE].at[k].witness.bug_events.at;

				ASSERT_STR_EQ(intern_text(&index->symbols->locations,
							  index->events[pair[0]].location),
					      GUARDED_FIRST);
				ASSERT_STR_EQ(intern_text(&index->symbols->locations,
							  index->events[pair[1]].location),
					      GUARDED_SECOND);
			}
			explore_result_release(&result);
		}
		index_free(index);
		bytes_release(&text);
	}
}

TAP_CASE(dense_traces_are_consistent)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct dense d = {200 + 100 * (uint32_t)seed, 2 + (uint32_t)seed % 7, seed};
		struct memory_output memory;
		struct err err = {0};

		ASSERT_EQ(dense_write(&d, memory_output_open(&memory), "text", &err), 0);
		struct bytes text = memory_output_take(&memory);
		struct index *index = index_of_bytes(&text);

		ASSERT_EQ(index->count, d.events);
		index_free(index);
		bytes_release(&text);
	}
}

TAP_CASE(planted_deadlocks_are_deadlocks)
{
	for (size_t i = 0; i < lock_planted_kind_count; i++) {
		const struct lock_planted_kind *kind = &lock_planted_kinds[i];
		struct memory_output memory;
		struct err err = {0};

		ASSERT_EQ(lock_planted_write_one(kind, memory_output_open(&memory), "text", &err),
			  0);
		struct bytes text = memory_output_take(&memory);

		tap_at("%s\n%s", kind->name, text.at);
		struct index *index = index_of_bytes(&text);
		struct explore_result result = explored(index, MODEL_VALUES);

		ASSERT_EQ(result.bugs[BUG_DEADLOCK].n, kind->deadlock);
		explore_result_release(&result);
		index_free(index);
		bytes_release(&text);
	}
}

/* Prediction */

static void write_planted(const struct planted_size *size, char *path)
{
	struct err err = {0};
	int fd = mkstemp(path);

	ASSERT_TRUE(fd >= 0);
	close(fd);
	struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);

	ASSERT_TRUE(out != NULL);
	ASSERT_EQ(planted_write(size, out, "binary", &err), 0);
	ASSERT_EQ(output_close(out, &err), 0);
}

/* Two races of each kind, one of them across the trace, and nothing else. */
TAP_CASE(predict_finds_what_was_planted)
{
	struct planted_size size = {TAP_PART(60000), 12, 2 * (uint32_t)planted_race_count, 5};
	char path[] = "/tmp/norn-planted.XXXXXX";

	write_planted(&size, path);
	for (enum model model = MODEL_VALUES; model <= MODEL_PREDICTABLE; model++) {
		const char *arguments[] = {"--bugs", "race,deadlock", "--model", model_text[model],
					   NULL};
		struct predicted p;

		tap_at("model %s", model_text[model]);
		predicted_run(&p, path, arguments, 0);
		struct planted_score score = planted_judge(&p, size.items, (int)model);

		ASSERT_TRUE(p.readable);
		ASSERT_EQ(p.status, 66);
		tap_note("%s: %u of %u found, %llu refuted, %llu undecided", model_text[model],
			 score.found, score.there, (unsigned long long)p.refuted,
			 (unsigned long long)p.undecided);
		ASSERT_EQ(score.wrong, 0);
		ASSERT_EQ(score.missed, 0);
		predicted_release(&p);
	}
	unlink(path);
}

/* Four items of each kind, two of them across a part of the trace, and nothing else. */
TAP_CASE(predict_finds_the_deadlocks_that_were_planted)
{
	struct lock_planted_size size = {TAP_PART(60000), 8, 100,
					 4 * (uint32_t)lock_planted_kind_count, 3};
	char path[] = "/tmp/norn-planted.XXXXXX";
	const char *arguments[] = {"--bugs", "deadlock", NULL};
	struct err err = {0};
	int fd = mkstemp(path);

	ASSERT_TRUE(fd >= 0);
	close(fd);
	struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);
	struct predicted p;

	ASSERT_EQ(lock_planted_write(&size, out, "binary", &err), 0);
	ASSERT_EQ(output_close(out, &err), 0);
	predicted_run(&p, path, arguments, 0);
	struct lock_planted_score score = lock_planted_judge(&p, size.items);

	ASSERT_TRUE(p.readable);
	tap_note("%u of %u found, %llu candidates, %llu refuted, %llu undecided", score.found,
		 score.there, (unsigned long long)p.candidates, (unsigned long long)p.refuted,
		 (unsigned long long)p.undecided);
	ASSERT_EQ(p.status, 66);
	ASSERT_EQ(score.wrong, 0);
	ASSERT_EQ(score.missed, 0);
	ASSERT_EQ(p.undecided, 0);
	predicted_release(&p);
	unlink(path);
}
