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

void window_add(struct window *w, struct window_read read)
{
	if (w->n == w->room && w->room < WINDOW_MOST)
		grow(w);
	w->at[w->next] = read;
	w->next = (w->next + 1) & (w->room - 1);
	if (w->n < w->room)
		w->n++;
}

const struct window_read *window_find(const struct window *w, uint64_t position)
{
	uint32_t low = 0, high = w->n; /* counted back from the latest */

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct window_read *r = &w->at[(w->next - 1 - middle) & (w->room - 1)];

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
	mem_free(w->at);
	memset(w, 0, sizeof(*w));
}
