/*
 * Every operator that an expression can have, over what was read: with other values in the reads each
 * has to give what the machine gives, or no value.
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
volatile int sink;
long total;

#define TELL(test) (total = total * 3 + ((test) ? 1 : 2))

static void divisions(void)
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

static void shifts(void)
{
	TELL((a << (v & 31)) > 100);
	TELL((u >> v) == 1);
	TELL((s >> v) < -5);
	TELL(w >> u);
	if (v < 32)
		total += (int)(u << v);
	total += v < 64 ? (long)(x << v) : 0;
}

static void singles(void)
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

static void doubles(void)
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

static void conversions(void)
{
	TELL((int)f > 1);
	TELL((unsigned)e > 1);
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
	x = (uint64_t)fabs(e);
}

static void others(void)
{
	TELL(abs(a) > 2);
	TELL(llabs(l) > 2);
	TELL(abs(least / 2) > 2);
	total += a < b ? a : b;
	total += u > v ? (long)u : (long)v;
	l = labs(m - l);
}

int main(void)
{
	divisions();
	shifts();
	singles();
	doubles();
	conversions();
	others();
	printf("%ld %d %lld %.9g %.9g %.17g %.17g %llu\n", total, a, (long long)l, (double)f,
	       (double)g, d, e, (unsigned long long)x);
	return 0;
}
