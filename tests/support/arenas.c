/* SPDX-License-Identifier: MIT */
#include "support/arenas.h"

#define TAP_WITHOUT_MAIN
#include "support/ranges_log.h"
#include "support/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char *new_arena(void)
{
	char *p = mmap(NULL, ARENA_SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	ASSERT_TRUE(p != MAP_FAILED && !mprotect(p + ARENA_SIZE, 4096, PROT_NONE));
	return p;
}

void arenas_init(struct arenas *a, uint64_t seed)
{
	a->ours = new_arena();
	a->libcs = new_arena();
	a->before = new_arena();
	a->random = random_seeded(seed);
}

void arenas_fill(struct arenas *a, const char *letters)
{
	size_t n = strlen(letters);
	for (size_t i = ARENA_SIZE - ARENA_USED; i < ARENA_SIZE; i++)
		a->ours[i] = random_percent(&a->random, 3)
				     ? 0
				     : letters[random_below(&a->random, (uint32_t)n)];
	a->ours[ARENA_SIZE - 1] = 0;
	memcpy(a->libcs, a->ours, ARENA_SIZE);
	memcpy(a->before, a->ours, ARENA_SIZE);
	ranges_log_clear();
}

size_t arenas_place(struct arenas *a, size_t room)
{
	size_t end = random_percent(&a->random, 30) ? 80 : ARENA_USED;
	if (end < room)
		end = room;
	return ARENA_SIZE - room - random_below(&a->random, (uint32_t)(end - room + 1));
}

void arenas_check(struct arenas *a)
{
	for (size_t i = 0; i < ARENA_SIZE; i++)
		if (a->ours[i] != a->libcs[i])
			FAIL("byte %zu is %d, and libc's is %d", i, a->ours[i], a->libcs[i]);
	ranges_log_replay(a->ours, a->before, ARENA_SIZE);
	for (size_t i = 0; i < ARENA_SIZE; i++)
		if (a->ours[i] != a->before[i])
			FAIL("byte %zu is %d, the log says %d", i, a->ours[i], a->before[i]);
}
