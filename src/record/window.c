#include "record/window.h"

#include <string.h>

#define WINDOW_FIRST 64

static void grow(struct window *w)
{
	uint32_t room = w->room ? 2 * w->room : WINDOW_FIRST;

	/* it has never gone round: a ring goes round only at its full size */
	w->at = mem_resize(w->at, room * sizeof(*w->at));
	w->room = room;
	w->next = w->n;
}

struct window_read *window_add(struct window *w)
{
	if (w->n == w->room && w->room < WINDOW_MOST)
		grow(w);
	struct window_read *added = &w->at[w->next];

	w->next = (w->next + 1) & (w->room - 1);
	if (w->n < w->room)
		w->n++;
	else
		mem_free(added->expr);
	return added;
}

/* Number `back`, counted back from the latest. */
static const struct window_read *read_at(const struct window *w, uint32_t back)
{
	return &w->at[(w->next - 1 - back) & (w->room - 1)];
}

const struct window_read *window_find(const struct window *w, uint64_t position)
{
	if (!w->n || position < read_at(w, w->n - 1)->position)
		return NULL;
	/* mostly it is one of the last few */
	uint32_t high = 1;

	while (high < w->n && read_at(w, high - 1)->position > position)
		high *= 2;
	uint32_t low = high / 2;

	high = high < w->n ? high : w->n;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct window_read *r = read_at(w, middle);

		if (r->position == position)
			return r;
		if (r->position > position)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void window_release(struct window *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		mem_free(w->at[i].expr);
	mem_free(w->at);
	memset(w, 0, sizeof(*w));
}
