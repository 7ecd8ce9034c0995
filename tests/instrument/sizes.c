/* Arrays of a size that varies, alloca, locals whose address gets out in loops. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int *last;
static int out[8];

static int __attribute__((noinline)) peek(int *p, int n)
{
	int old = last ? out[n % 8] : 0;
	last = p;
	out[n % 8] += p[n];
	return old;
}

static int varies(int n)
{
	int a[n], sum = 0;
	for (int i = 0; i < n; i++)
		a[i] = i * n;
	for (int i = 0; i < n; i++) {
		int inner[3] = {i, n, a[i]};
		char *more = alloca((size_t)n + 1);
		memset(more, i, (size_t)n);
		more[n] = 0;
		sum += peek(inner, i % 3) + peek(a, i) + more[n / 2];
	}
	return sum;
}

int main(void)
{
	int total = 0;
	for (int n = 1; n < 12; n++)
		total = total * 3 + varies(n);
	printf("%d %d\n", total, out[3]);
	last = NULL;
	return 0;
}
