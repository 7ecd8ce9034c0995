/*
 * Every operator that an expression can have, over what was read: with other values in the reads
 * each has to give what the machine gives, or no value.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int32_t a = 7, b = 3, least = INT32_MIN;
int64_t l = 123456789012, m = 5;
uint32_t u = 40, v = 5;
uint64_t w = 1ull << 63, x = 9;
int16_t s = -300;
uint8_t c = 200;
float f = 1.5f, g = -2.25f;
double d = 0.1, e = 1e10;
int results[128];
long total;

/* The value is written, and then decides. */
#define TELL(test)                             \
	do {                                   \
		results[__COUNTER__] = (test); \
		if (test)                      \
			total++;               \
	} while (0)

static __attribute__((noinline)) void divisions(void)
{
	TELL(a / b == 2);
	TELL(a % b == 1);
	TELL(l / m > 100);
	TELL(l % m == 2);
	TELL(u / v == 8);
	TELL(u % v);
	TELL(w / x > 5);
	TELL(w % x == 8);
	TELL(s / (b + 1) < 0);
	total += a / b + a % b + (int)(w % x);
}

static __attribute__((noinline)) void shifts(void)
{
	TELL((a << (v & 31)) > 100);
	TELL((u >> v) == 1);
	TELL((s >> v) < -5);
	TELL(w >> u);
	if (v < 32)
		total += (int)(u << v);
	total += v < 64 ? (long)(x << v) : 0;
}

static __attribute__((noinline)) void singles(void)
{
	TELL(f < g);
	TELL(f <= g);
	TELL(f > g);
	TELL(f >= g);
	TELL(f == g);
	TELL(f != g);
	TELL(!(f < g));
	TELL(isnan(f));
	TELL(isunordered(f, g));
	TELL(islessgreater(f, g));
	TELL(!isgreaterequal(f, g));
	TELL(f + g < 0);
	TELL(f * g - f / g > -5);
	TELL(-f < fabsf(g));
	f = f * 2 + g;
	g = g / 3;
}

static __attribute__((noinline)) void doubles(void)
{
	TELL(d < e);
	TELL(d != e);
	TELL(d * e == 1e9);
	TELL(d - e < -1);
	TELL(e / d > 5);
	TELL(fabs(d) > 0.05);
	TELL(copysign(e, d) > 0);
	TELL((d > e ? d : e) > 3);
	TELL(__builtin_sqrt(e) > 3);
	d = d * e + 1;
	e = -e;
}

static __attribute__((noinline)) void conversions(void)
{
	TELL((int)f > 1);
	TELL((unsigned)fabs(d) > 1);
	TELL((int64_t)d > 100);
	TELL((uint64_t)d > 100);
	TELL((int16_t)g < 0);
	TELL((uint8_t)f == 0);
	TELL((float)d > 2);
	TELL((double)f < 2);
	TELL((float)a / 2 > 3);
	TELL((double)u * 0.5 > 19);
	TELL((float)w > 1e18f);
	TELL((double)l > 1e11);
	d = (double)x + s;
	f = (float)l;
	a = (int)g;
	x = (uint64_t)fabs(e) | 1;
}

static __attribute__((noinline)) void others(void)
{
	TELL(abs(a) > 2);
	TELL(llabs(l) > 2);
	TELL(abs(least / 2) > 2);
	total += a < b ? a : b;
	total += u > v ? (long)u : (long)v;
	l = labs(m - l);
}

/* Each value of some is odd. */
static __attribute__((noinline)) void set(int round)
{
	static const float floats[] = {1.5f, -0.0f, 1e-40f, 3e4f};
	static const double reals[] = {0.1, -0.0, 1e-310, 4e9};
	a = 7 + 1000 * round;
	b = round ? -1 - round : 3;
	l = 123456789012 - ((int64_t)round << 40);
	u = 40 + (unsigned)round;
	s = (int16_t)(-300 * round);
	w = (1ull << 63) + (unsigned)round;
	f = floats[round];
	g = -2.25f / (float)(round + 1);
	d = reals[round];
	e = 1e9 * (round + 1);
}

static void show(int round)
{
	int sum = 0;
	for (int i = 0; i < 128; i++)
		sum = sum * 3 + results[i];
	printf("%d: %d %ld %d %lld %.9g %.9g %.17g %.17g %llu\n", round, sum, total, a,
	       (long long)l, (double)f, (double)g, d, e, (unsigned long long)x);
}

static void run(int round)
{
	set(round);
	divisions();
	shifts();
	singles();
	doubles();
	conversions();
	others();
	show(round);
}

int main(void)
{
	for (int round = 0; round < 4; round++)
		run(round);
	/* what is not a number compares with nothing */
	f = NAN;
	e = INFINITY;
	singles();
	doubles();
	show(4);
	return 0;
}
