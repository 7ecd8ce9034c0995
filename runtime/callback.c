/* SPDX-License-Identifier: MIT */
#include "runtime/callback.h"

#include "runtime/hooks.h"
#include "runtime/libc/ranges.h"

static uint64_t hash_of(const char *types)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (; *types; types++)
		hash = (hash ^ (unsigned char)*types) * UINT64_C(0x100000001b3);
	return hash << 8;
}

uint64_t norn_callback(const void *function, const char *types)
{
	uint64_t key = (uintptr_t)function + hash_of(types);
	__norn_slots.callee = key + 1;
	__norn_slots.from = 0;
	return key;
}

uint64_t norn_called_back(uint64_t key)
{
	bool hooked = __norn_slots.from == key;
	__norn_slots.callee = 0;
	return hooked ? __norn_slots.result[0] : NORN_ANY_READ;
}

static bool depends(unsigned arguments)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < arguments; i++)
		any |= __norn_slots.argument[i];
	return any != 0;
}

void norn_gives_nothing(const void *function, const char *types, unsigned arguments, uint64_t *hash)
{
	if (NORN_UNLIKELY(!*hash))
		*hash = hash_of(types);
	uint64_t key = (uintptr_t)function + *hash, callee = __norn_slots.callee;
	if (callee != key + 1 && (callee != key || depends(arguments)))
		return;
	__norn_slots.from = key;
	__norn_slots.result[0] = 0;
}
