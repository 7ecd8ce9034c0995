/* va_arg of everything, lists that are handed on and copied. */
#include <stdarg.h>
#include <stdio.h>

struct small {
	int a, b;
};
struct large {
	long v[7];
};

static long next(va_list *list, char kind)
{
	switch (kind) {
	case 'i': return va_arg(*list, int);
	case 'l': return va_arg(*list, long);
	case 'd': return (long)(va_arg(*list, double) * 4);
	case 's': return va_arg(*list, struct small).b;
	case 'L': return va_arg(*list, struct large).v[6];
	case 'p': return *va_arg(*list, int *);
	default: return (long)va_arg(*list, long double);
	}
}

static long direct(int n, ...)
{
	va_list list, copy;
	long sum = 0;
	va_start(list, n);
	va_copy(copy, list);
	for (int i = 0; i < n; i++)
		sum = sum * 3 + va_arg(list, int);
	for (int i = 0; i < n; i++)
		sum += va_arg(copy, int);
	va_end(copy);
	va_end(list);
	return sum;
}

static long handed_on(const char *kinds, ...)
{
	va_list list;
	long sum = 0;
	va_start(list, kinds);
	for (; *kinds; kinds++)
		sum = sum * 7 + next(&list, *kinds);
	va_end(list);
	return sum;
}

static void print(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
}

int main(void)
{
	int x = 5;
	struct large large = {{1, 2, 3, 4, 5, 6, 7}};
	struct small small = {8, 9};
	print("%ld %ld\n", direct(9, 1, 2, 3, 4, 5, 6, 7, 8, 9),
	      handed_on("iildsLpxiiiiidddddddddsL", 1, 2, 3l, 1.5, small, large, &x, 2.5L, 1, 2, 3,
			4, 5, .1, .2, .3, .4, .5, .6, .7, .8, .9, small, large));
	return 0;
}
