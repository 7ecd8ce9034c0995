/* SPDX-License-Identifier: MIT */
#include "record/keep/graves.h"

void graves_add(struct graves *graves, const struct grave *grave)
{
	graves->at[graves->n++ % GRAVES] = *grave;
}

static uint32_t kept(const struct graves *graves)
{
	return graves->n < GRAVES ? graves->n : GRAVES;
}

bool graves_meet(const struct graves *graves, uint64_t from, uint64_t size)
{
	for (uint32_t i = 0; i < kept(graves); i++) {
		const struct grave *g = &graves->at[i];

		if (g->block.address < from + size && from < g->block.address + g->size)
			return true;
	}
	return false;
}

const struct grave *graves_find(const struct graves *graves, uint64_t address)
{
	for (uint32_t i = 1; i <= kept(graves); i++) {
		const struct grave *g = &graves->at[(graves->n - i) % GRAVES];

		if (address >= g->block.address && address - g->block.address < g->size)
			return g;
	}
	return NULL;
}
