#include "model/mhb.h"

/* A copy of an old stretch's clock; 0 is that of a thread that nobody forks. */
static uint32_t new_stretch(struct mhb *mhb, uint32_t from)
{
	size_t threads = mhb->index->thread_count;
	size_t n = mhb->clocks.n;

	vec_extend(&mhb->clocks, n + threads);
	for (size_t t = 0; t < threads; t++)
		mhb->clocks.at[n + t] = mhb->clocks.at[from * threads + t];
	return (uint32_t)(n / threads);
}

static uint32_t *clock_of(struct mhb *mhb, uint32_t stretch)
{
	return mhb->clocks.at + (size_t)stretch * mhb->index->thread_count;
}

static void join(struct mhb *mhb, uint32_t to, uint32_t from)
{
	uint32_t *a = clock_of(mhb, to), *b = clock_of(mhb, from);

	for (uint32_t t = 0; t < mhb->index->thread_count; t++)
		if (b[t] > a[t])
			a[t] = b[t];
}

struct mhb *mhb_new(const struct index *index)
{
	struct mhb *mhb = mem_alloc_zero(1, sizeof(*mhb));
	/* where each thread is now */
	uint32_t *now = mem_alloc_zero(index->thread_count, sizeof(*now));

	mhb->index = index;
	mhb->stretch = mem_alloc_zero((size_t)index->count + 1, sizeof(*mhb->stretch));
	vec_extend(&mhb->clocks, index->thread_count);
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (e->kind == EV_JOIN && index->threads[e->object].count) {
			now[e->thread] = new_stretch(mhb, now[e->thread]);
			join(mhb, now[e->thread], now[e->object]);
			clock_of(mhb, now[e->thread])[e->object] = index->threads[e->object].count;
		}
		mhb->stretch[n] = now[e->thread];
		if (e->kind == EV_FORK && index->threads[e->object].fork == n) {
			now[e->object] = new_stretch(mhb, now[e->thread]);
			clock_of(mhb, now[e->object])[e->thread] = index->position[n] + 1;
		}
	}
	mem_free(now);
	return mhb;
}

void mhb_free(struct mhb *mhb)
{
	if (!mhb)
		return;
	mem_free(mhb->stretch);
	vec_release(&mhb->clocks);
	mem_free(mhb);
}
