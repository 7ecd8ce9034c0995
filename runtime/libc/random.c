/* SPDX-License-Identifier: MIT */
/*
 * Random numbers. Those of rand and the like follow from a seed, but which thread gets which does
 * not. The real functions are called in any case: what comes after the last one that was recorded
 * is then not the first one of all.
 */
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <string.h>

/* In a schedule, the recorded number belongs to this draw if as much was drawn before it. */
static int64_t draw(enum log_input_function function, uint64_t drawn, int64_t real)
{
	struct norn_input in;
	if (!drawn)
		return norn_input_number(function, real);
	if (norn_input_given(function, &in) && in.size == sizeof drawn &&
	    !memcmp(in.bytes, &drawn, sizeof drawn))
		real = in.result;
	norn_input_keep(function, real, &drawn, sizeof drawn);
	return real;
}

int __norn_rand(void)
{
	uint64_t drawn = norn_draws(NORN_RANDOM);
	return (int)draw(INPUT_RAND, drawn, rand());
}

long __norn_random(void)
{
	uint64_t drawn = norn_draws(NORN_RANDOM);
	return draw(INPUT_RANDOM, drawn, random());
}

long __norn_lrand48(void)
{
	uint64_t drawn = norn_draws(NORN_RAND48);
	return draw(INPUT_LRAND48, drawn, lrand48());
}

long __norn_mrand48(void)
{
	uint64_t drawn = norn_draws(NORN_RAND48);
	return draw(INPUT_MRAND48, drawn, mrand48());
}

double __norn_drand48(void)
{
	uint64_t drawn = norn_draws(NORN_RAND48);
	double value = drand48();
	struct norn_input in;
	if (norn_input_given(INPUT_DRAND48, &in) && in.size == sizeof value &&
	    (!drawn || in.result == (int64_t)drawn))
		memcpy(&value, in.bytes, sizeof value);
	norn_input_keep(INPUT_DRAND48, (int64_t)drawn, &value, sizeof value);
	return value;
}

void __norn_srand(unsigned seed)
{
	norn_seeds(NORN_RANDOM, seed);
	srand(seed);
}

void __norn_srandom(unsigned seed)
{
	norn_seeds(NORN_RANDOM, seed);
	srandom(seed);
}

void __norn_srand48(long seed)
{
	norn_seeds(NORN_RAND48, (uint64_t)seed);
	srand48(seed);
}

uint32_t __norn_arc4random(void)
{
	return (uint32_t)norn_input_number(INPUT_ARC4RANDOM, arc4random());
}

uint32_t __norn_arc4random_uniform(uint32_t bound)
{
	return (uint32_t)norn_input_number(INPUT_ARC4RANDOM, arc4random_uniform(bound));
}

void __norn_arc4random_buf(void *to, size_t n)
{
	struct norn_inlet in;
	void *buffer = norn_inlet_begin(&in, to, n);
	arc4random_buf(buffer, n);
	norn_input_bytes(INPUT_ARC4RANDOM, 0, buffer, n);
	norn_inlet_end(NORN_CALLER, &in, n);
}

ssize_t __norn_getrandom(void *to, size_t n, unsigned flags)
{
	struct norn_inlet in;
	struct norn_input given;
	void *buffer = norn_inlet_begin(&in, to, n);
	ssize_t r;
	norn_long_call();
	if (norn_input_given(INPUT_GETRANDOM, &given) && given.size <= n) {
		r = given.result;
		memcpy(buffer, given.bytes, given.size);
	} else {
		r = getrandom(buffer, n, flags);
	}
	norn_input_keep(INPUT_GETRANDOM, r, buffer, r > 0 ? (size_t)r : 0);
	norn_inlet_end(NORN_CALLER, &in, r > 0 ? (size_t)r : 0);
	return r;
}

int __norn_getentropy(void *to, size_t n)
{
	struct norn_inlet in;
	void *buffer = norn_inlet_begin(&in, to, n);
	int r = getentropy(buffer, n);
	if (!r)
		norn_input_bytes(INPUT_GETENTROPY, 0, buffer, n);
	norn_inlet_end(NORN_CALLER, &in, r ? 0 : n);
	return r;
}
