/* SPDX-License-Identifier: MIT */
/*
 * Which iterations of a static loop a thread has: computed from the loop's bounds, which the
 * program has put into variables of its own, and put back there.
 */
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"

/* Iterations `first` to `last` of `count`; how far it is to the next ones. */
struct part {
	uint64_t first, last, stride;
	bool some, has_last;
};

static struct part blocks_of(uint64_t count, uint64_t number, uint64_t parts)
{
	uint64_t each = count / parts, more = count % parts;
	struct part part = {.stride = count};
	part.first = number * each + (number < more ? number : more);
	part.last = part.first + each + (number < more) - 1;
	part.some = each || number < more;
	part.has_last = part.some && part.last == count - 1;
	return part;
}

static struct part chunks_of(uint64_t count, uint64_t chunk, uint64_t number, uint64_t parts)
{
	struct part part = {.stride = chunk * parts};
	part.first = chunk * number;
	part.last = part.first + chunk - 1;
	part.some = part.first < count;
	part.has_last = count && (count - 1) / chunk % parts == number;
	return part;
}

static struct part part_of(int32_t schedule, uint64_t count, int64_t chunk, uint64_t number,
			   uint64_t parts)
{
	bool chunked = schedule == OMP_STATIC_CHUNKED || schedule == OMP_DISTRIBUTE_CHUNKED ||
		       schedule == OMP_BALANCED_CHUNKED;
	return chunked ? chunks_of(count, chunk > 0 ? (uint64_t)chunk : 1, number, parts)
		       : blocks_of(count, number, parts);
}

static int32_t plain(int32_t schedule)
{
	schedule &= ~OMP_MODIFIERS;
	if (schedule >= OMP_UNMERGED)
		schedule -= OMP_UNMERGED;
	return schedule;
}

static bool is_of_league(int32_t schedule)
{
	return schedule == OMP_DISTRIBUTE || schedule == OMP_DISTRIBUTE_CHUNKED;
}

/* A loop's bounds, as they were; all that is put back depends on them. */
#define GET(to, from) norn_get(pc, &(to), from, sizeof(to))
#define PUT(to, value)                                                     \
	do {                                                               \
		__typeof__(*(to)) norn_value = (__typeof__(*(to)))(value); \
		norn_pass(pc, to, &norn_value, sizeof norn_value);         \
	} while (0)

#define STATIC_ROW(name, type, step)                                                               \
	static uint64_t count_##name(type lower, type upper, step increment)                       \
	{                                                                                          \
		if (increment > 0)                                                                 \
			return upper < lower ? 0                                                   \
					     : ((uint64_t)upper - (uint64_t)lower) /               \
							       (uint64_t)increment +               \
						       1;                                          \
		return lower < upper ? 0                                                           \
				     : ((uint64_t)lower - (uint64_t)upper) / (uint64_t) -          \
					       (int64_t)increment + 1;                             \
	}                                                                                          \
                                                                                                   \
	static void give_##name(const void *pc, const struct part *part, uint64_t count,           \
				type from, step increment, int32_t *last, type *lower,             \
				type *upper, step *stride)                                         \
	{                                                                                          \
		type low = (type)((uint64_t)from + part->first * (uint64_t)increment);             \
		type up = (type)((uint64_t)from + part->last * (uint64_t)increment);               \
		/* none: as the compiler looks for it */                                           \
		if (!part->some) {                                                                 \
			low = (type)((uint64_t)from + count * (uint64_t)increment);                \
			up = (type)(low - (type)increment);                                        \
		}                                                                                  \
		PUT(lower, low);                                                                   \
		PUT(upper, up);                                                                    \
		if (stride)                                                                        \
			PUT(stride, part->stride *(uint64_t)increment);                            \
		if (last)                                                                          \
			PUT(last, part->has_last);                                                 \
	}                                                                                          \
                                                                                                   \
	static void share_##name(const void *pc, int32_t schedule, uint64_t number,                \
				 uint64_t parts, int32_t *last, type *lower, type *upper,          \
				 step *stride, step increment, step chunk)                         \
	{                                                                                          \
		type low, up;                                                                      \
		norn_gather();                                                                     \
		GET(low, lower);                                                                   \
		GET(up, upper);                                                                    \
		uint64_t count = count_##name(low, up, increment);                                 \
		/* nothing to be shared: all threads see that it is so */                          \
		if (!count) {                                                                      \
			if (last)                                                                  \
				PUT(last, 0);                                                      \
			return;                                                                    \
		}                                                                                  \
		struct part part = part_of(schedule, count, chunk, number, parts);                 \
		give_##name(pc, &part, count, low, increment, last, lower, upper, stride);         \
	}                                                                                          \
                                                                                                   \
	void OMP(__kmpc_for_static_init_##name)(omp_where where, int32_t gtid, int32_t schedule,   \
						int32_t * last, type * lower, type * upper,        \
						step * stride, step increment, step chunk)         \
	{                                                                                          \
		struct omp_task *me = omp_self();                                                  \
		(void)where, (void)gtid;                                                           \
		schedule = plain(schedule);                                                        \
		if (is_of_league(schedule))                                                        \
			share_##name(OMP_CALLER, schedule, (uint64_t)me->team->league,             \
				     (uint64_t)me->team->league_size, last, lower, upper, stride,  \
				     increment, chunk);                                            \
		else                                                                               \
			share_##name(OMP_CALLER, schedule, (uint64_t)me->number,                   \
				     (uint64_t)me->team->size, last, lower, upper, stride,         \
				     increment, chunk);                                            \
	}                                                                                          \
                                                                                                   \
	void OMP(__kmpc_team_static_init_##name)(omp_where where, int32_t gtid, int32_t * last,    \
						 type * lower, type * upper, step * stride,        \
						 step increment, step chunk)                       \
	{                                                                                          \
		struct omp_task *me = omp_self();                                                  \
		(void)where, (void)gtid;                                                           \
		share_##name(OMP_CALLER, OMP_DISTRIBUTE_CHUNKED, (uint64_t)me->team->league,       \
			     (uint64_t)me->team->league_size, last, lower, upper, stride,          \
			     increment, chunk);                                                    \
	}                                                                                          \
                                                                                                   \
	/* First for the team, then in it. */                                                      \
	void OMP(__kmpc_dist_for_static_init_##name)(                                              \
		omp_where where, int32_t gtid, int32_t schedule, int32_t * last, type * lower,     \
		type * upper, type * upper_of_team, step * stride, step increment, step chunk)     \
	{                                                                                          \
		struct omp_task *me = omp_self();                                                  \
		const void *pc = OMP_CALLER;                                                       \
		type of_team;                                                                      \
		(void)where, (void)gtid;                                                           \
		share_##name(pc, OMP_DISTRIBUTE, (uint64_t)me->team->league,                       \
			     (uint64_t)me->team->league_size, last, lower, upper, NULL, increment, \
			     0);                                                                   \
		norn_gather();                                                                     \
		GET(of_team, upper);                                                               \
		PUT(upper_of_team, of_team);                                                       \
		share_##name(pc, plain(schedule), (uint64_t)me->number, (uint64_t)me->team->size,  \
			     last, lower, upper, stride, increment, chunk);                        \
	}
OMP_COUNTERS(STATIC_ROW)

void OMP(__kmpc_for_static_fini)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
}
