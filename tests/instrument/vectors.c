/* Vectors of all sizes, 128-bit integers. */
#include <stdio.h>
#include <string.h>

typedef int int4 __attribute__((vector_size(16)));
typedef float float2 __attribute__((vector_size(8)));
typedef double double4 __attribute__((vector_size(32)));
typedef unsigned char byte4 __attribute__((vector_size(4)));

static int4 a = {1, 2, 3, 4}, b;
static float2 f = {0.5f, 2};
static double4 d;
static byte4 bytes = {250, 1, 2, 3};
static __int128 wide = 1;
static int plain[64];

int main(void)
{
	for (int i = 0; i < 9; i++) {
		b = a * 3 + b;
		a = (a + i) ^ (b > a);
		f = f * f - 1;
		d += (double4){f[0], f[1], a[2], i};
		bytes += 7;
		wide = wide * 1000003 + a[1];
	}
	for (int i = 0; i < 64; i++)
		plain[i] = plain[i / 2] * 3 + i;
	for (int i = 1; i < 64; i++)
		plain[0] += plain[i] ^ (plain[i] >> 3);
	long long low, high;
	memcpy(&low, &wide, 8);
	memcpy(&high, (char *)&wide + 8, 8);
	printf("%d %d %g %g %g %g %d %d %llx %llx\n", a[3], b[0], (double)f[0], (double)f[1], d[0],
	       d[3], bytes[0], plain[0], low, high);
	return 0;
}
