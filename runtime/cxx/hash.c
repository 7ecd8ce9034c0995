/* SPDX-License-Identifier: MIT */
/*
 * How many buckets a hash table of C++ has: libstdc++ computes it, on a copy of what the table
 * keeps for that.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

/* Whether it writes, too, depends on these. */
static void take(const void *pc, struct norn_rehash_policy *copy,
		 const struct norn_rehash_policy *from)
{
	norn_gather();
	norn_decide_by(pc, &copy->max_load_factor, &from->max_load_factor,
		       sizeof copy->max_load_factor);
	norn_decide_by(pc, &copy->next_resize, &from->next_resize, sizeof copy->next_resize);
}

static void give_back(const void *pc, struct norn_rehash_policy *to,
		      const struct norn_rehash_policy *copy, size_t before)
{
	if (copy->next_resize != before)
		norn_pass(pc, &to->next_resize, &copy->next_resize, sizeof copy->next_resize);
}

struct norn_rehash __norn__ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(
	const struct norn_rehash_policy *policy, size_t buckets, size_t elements, size_t more)
{
	struct norn_rehash_policy copy;
	take(NORN_CALLER, &copy, policy);
	size_t before = copy.next_resize;
	struct norn_rehash result = _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(
		&copy, buckets, elements, more);
	give_back(NORN_CALLER, (struct norn_rehash_policy *)policy, &copy, before);
	return result;
}

size_t
__norn__ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(const struct norn_rehash_policy *policy,
							    size_t n)
{
	struct norn_rehash_policy copy;
	take(NORN_CALLER, &copy, policy);
	size_t before = copy.next_resize;
	size_t buckets = _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(&copy, n);
	give_back(NORN_CALLER, (struct norn_rehash_policy *)policy, &copy, before);
	return buckets;
}
