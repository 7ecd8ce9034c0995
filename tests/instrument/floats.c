/* Floating point of all sizes, through memory. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

static float f[8];
static double d[8];
static long double l[8];
static double complex c;

static double mix(int i)
{
	f[i] = (float)i / 3;
	d[i] = f[i] * 1.5 + (i ? d[i - 1] : 0);
	l[i] = d[i] > 2 ? sqrtl(d[i]) : -(long double)f[i];
	c = c * I + d[i];
	return fabs(d[i]) + (double)l[i] + copysign(1, -d[i]);
}

int main(void)
{
	double sum = 0;
	for (int i = 0; i < 8; i++)
		sum += mix(i) + (d[i] < sum) + fmax(sum, d[i]) + (int)f[i];
	float *p = &f[3];
	*p = *p != *p ? 1 : *p + 2;
	printf("%.9g %.9Lg %.9g %.9g %.9g\n", sum, l[7], (double)f[3], creal(c), cimag(c));
	return 0;
}
