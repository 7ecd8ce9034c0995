/* Values that go through calls: what they depend on comes along, and nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

int in[8] = {3, 1, 4, 1, 5, 9, 2, 6}, out[40];
long wide[3] = {10, 20, 30};
double real[2] = {1.5, 2.5};
_Bool flag = 1;
static unsigned at;

static APART void note(int value)
{
	out[at++ % 40] = value;
}

struct small { int a, b; };
struct large { long a[5]; };
struct mixed { double d; long n; };

static APART int add(int a, int b) { return a + b; }
static APART struct small make_small(int a, int b) { return (struct small){a, b + 1}; }
static APART int sum_small(struct small s) { return s.a * 2 + s.b; }
static APART struct large make_large(long a) { return (struct large){{a, a + 1, a + 2, 0, 7}}; }
static APART long sum_large(struct large l) { return l.a[0] + l.a[2] + l.a[4]; }
static APART struct mixed make_mixed(double d, long n) { return (struct mixed){d + 1, n}; }
static APART double sum_mixed(struct mixed m) { return m.d + (double)m.n; }
static APART int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
static APART _Bool both(_Bool a, int b) { return a && b > 2; }
static APART int *pick(int *a, int *b, int c) { return c ? a : b; }
static APART void put(int *to, int value) { *to = value; }
static APART unsigned char low(long v) { return (unsigned char)v; }
static APART int constant(int v) { (void)v; return 5; }

static APART int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,
		      int l, int m, int n, int o, int p, int q, int r)
{
	return a + b * 2 + c + d + e + f + g + h + i + j + k + l + m + n + o + p * 3 + q * 5 + r;
}

static APART int total(int n, ...)
{
	va_list list;
	int sum = 0;
	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

/* No hooks: what it is given and what it gives depends on anything. */
__attribute__((noinline, disable_sanitizer_instrumentation)) int unseen(int a, int (*f)(int, int))
{
	return f ? f(a, 1) + a : a * 3;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int (*table[])(int, int) = {add, add};
/* Called as something else than it is. */
static int (*twisted)(long) = (int (*)(long))add;
extern int add2(int, int) __attribute__((alias("add3")));
APART int add3(int a, int b) { return a - b; }
__attribute__((weak)) APART int weak(int a) { return a + 100; }

static jmp_buf jump;
static APART int jumps(int v)
{
	if (v > 2)
		longjmp(jump, v);
	return v;
}

static APART int tail(int a, int b)
{
	if (a > 3)
		__attribute__((musttail)) return add(b, a);
	__attribute__((musttail)) return add3(a, b);
}

static APART int loop(const int *p, int n)
{
	int sum = 0, most = 0, count = 0;
	for (int i = 0; i < n; i++) {
		sum += p[i];
		if (p[i] > most)
			most = p[i];
		while (add(count, i) < most / 2)
			count++;
	}
	note(most);
	note(count);
	return sum;
}

/* More than three sources, in one expression. */
static APART int poly(void)
{
	return in[0] * in[1] + in[2] * in[3] + (in[4] ^ in[5]) - (in[6] | in[7]);
}

static APART int choose(int c)
{
	switch (add(c, in[1])) {
	case 1: return in[2];
	case 4: return add(in[3], 2);
	case 5: return 7;
	default: return c;
	}
}

int main(void)
{
	int copy[4] = {in[2], in[0], in[3], in[1]}, local = in[4];
	note(add(in[0], in[1]));
	note(add(in[0], 7));
	note(constant(in[0]));
	note(sum_small(make_small(in[2], in[3])));
	note((int)sum_large(make_large(wide[0])));
	note((int)sum_mixed(make_mixed(real[0], wide[1])));
	note(fact(in[2]));
	note(both(flag, in[0]));
	put(pick(&out[30], &out[31], in[1] - 1), in[5]);
	put(&local, add(local, 1));
	note(local);
	note(low(wide[2]));
	note(many(in[0], 1, 2, 3, in[1], 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, in[2], in[3], in[4]));
	note(total(3, in[0], 2, in[1]));
	note(unseen(in[0], NULL));
	note(unseen(in[1], add));
	note(unseen(4, table[in[3] & 1]));
	note(table[in[1] & 1](in[2], 1));
	note(add2(in[0], in[2]));
	note(weak(in[3]));
	note(tail(in[0], in[5]));
	note(tail(in[2], in[5]));
	note(loop(in, 8));
	note(poly());
	note(choose(in[0]));
	if (at > 1000)
		note(twisted(in[0]));
	qsort(copy, 4, sizeof(*copy), compare);
	note(copy[0]);
	if (!setjmp(jump))
		note(jumps(in[0]));
	else
		note(jumps(in[1]));
	for (unsigned i = 0; i < 40; i++)
		printf("%d ", out[i]);
	return 0;
}
