/*
 * What compilers have operators for beside those of C: each result is a write that says how it came
 * about. tests/cli/builtins.t looks at these.
 *
 * expect: nothing
 * flags: -lm
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	float a, b;
};

uint64_t first, second;
uint64_t results[96];

/* Two floats in a register, as compilers pass them. */
static __attribute__((noinline)) struct pair swapped(struct pair p)
{
	struct pair q = {p.b, p.a};
	return q;
}

#define COUNT(x, type, kind)                                    \
	*r++ = (uint64_t)__builtin_popcount##kind((type)(x));   \
	*r++ = (type)(x) ? __builtin_clz##kind((type)(x)) : 77; \
	*r++ = (type)(x) ? __builtin_ctz##kind((type)(x)) : 78

#define FITS(what, type)                                                        \
	do {                                                                    \
		type sum_;                                                      \
		bool o_ = __builtin_##what##_overflow((type)x, (type)y, &sum_); \
		*r++ = (uint64_t)sum_;                                          \
		*r++ = o_;                                                      \
	} while (0)

#define FIT(type)        \
	FITS(add, type); \
	FITS(sub, type); \
	FITS(mul, type)

static uint64_t bits_of(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static uint32_t bits_of_float(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline __attribute__((always_inline)) uint64_t *round_all(uint64_t *r, double d, double e)
{
	*r++ = bits_of(floor(d));
	*r++ = bits_of(ceil(d));
	*r++ = bits_of(trunc(d));
	*r++ = bits_of(round(d));
	*r++ = bits_of(rint(d));
	*r++ = bits_of(nearbyint(d * 0.5));
	*r++ = bits_of(fmin(d, e));
	*r++ = bits_of(fmax(e, fmin(d, 2.5)));
	*r++ = bits_of(sqrt(fabs(d)));
	*r++ = bits_of(fma(d, e, 0.25));
	*r++ = (uint64_t)lround(d);
	*r++ = (uint64_t)llrint(d);
	return r;
}

static inline __attribute__((always_inline)) void round_float(uint64_t *r, float f, float g)
{
	*r++ = bits_of_float(floorf(f));
	*r++ = bits_of_float(ceilf(f));
	*r++ = bits_of_float(truncf(f));
	*r++ = bits_of_float(roundf(f));
	*r++ = bits_of_float(rintf(f));
	*r++ = bits_of_float(fmaxf(f, g));
	*r++ = bits_of_float(sqrtf(fabsf(f)));
	*r++ = (uint64_t)lrintf(f);
}

static void compute(uint64_t x, uint64_t y)
{
	uint64_t *r = results;
	COUNT(x, unsigned, );
	COUNT(x, unsigned long, l);
	*r++ = __builtin_bswap16((uint16_t)x);
	*r++ = __builtin_bswap32((uint32_t)x);
	*r++ = __builtin_bswap64(x);
	*r++ = (uint32_t)x << (y & 31) | (uint32_t)x >> (-y & 31);
	*r++ = x >> (y & 63) | x << (-y & 63);
	*r++ = x > y ? x - y : 0;
	FIT(int);
	FIT(unsigned);
	FIT(long);
	FIT(unsigned long);
	FIT(signed char);
	FIT(unsigned short);
	struct pair p = {(float)(int)x, (float)(int)y}, q = swapped(p);
	uint32_t bits;
	memcpy(&bits, &q.a, sizeof(bits));
	*r++ = bits;
	r = round_all(r, (double)(int64_t)x / 1024, (double)(int64_t)y);
	round_float(r, (float)(int64_t)x / 8, (float)(int64_t)y);
}

static void *work(void *unused)
{
	compute(first, second);
	return unused;
}

static void try(uint64_t x, uint64_t y)
{
	pthread_t t;
	first = x;
	second = y;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	for (int i = 0; i < 96; i++)
		results[i] = 0;
}

int main(void)
{
	static const uint64_t edges[] = {
		0,	    1,		7,	    0x7f,	0x80,
		0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, (1ull << 53) + 1,
		512,	    1536,	2560,	    -512ull,	-1536ull,
		INT64_MAX,  1ull << 63, -1ull,	    -7ull,	0xfffffffffffffc00};
	for (unsigned i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		for (unsigned k = i % 2; k < sizeof(edges) / sizeof(*edges); k += 2)
			try(edges[i], edges[k]);
	return 0;
}
