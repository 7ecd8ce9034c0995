/* Functions of all sorts: weak, aliases, resolved at start, constructors, thread-local, tail calls.
 */
#include <stdio.h>

static int order[8], orders;
static _Thread_local int mine = 4;
const int table[5] = {2, 3, 5, 7, 11};

__attribute__((constructor(101))) static void early(void)
{
	order[orders++] = 1;
}
__attribute__((constructor)) static void late(void)
{
	order[orders++] = 2;
}

__attribute__((weak)) int overridden(int n)
{
	return n + mine;
}

int real_name(int n)
{
	mine += n;
	return mine * 2;
}
int other_name(int n) __attribute__((alias("real_name")));

static int chosen_now(int n)
{
	return n + order[0];
}
static int (*choose(void))(int)
{
	return chosen_now;
}
int chosen(int) __attribute__((ifunc("choose")));

__attribute__((naked)) int naked(void)
{
	__asm__("movl $42, %eax\n\tret");
}

__attribute__((disable_sanitizer_instrumentation)) static int without_hooks(int *p)
{
	return ++*p;
}

static int down(int n, int *sum)
{
	*sum += n;
	if (!n)
		return *sum;
	__attribute__((musttail)) return down(n - 1, sum);
}

__attribute__((const)) static int square(int n)
{
	return n * n + table[n % 5];
}
__attribute__((pure, noinline)) static int first(void)
{
	return order[0] + square(order[1]);
}

static int assembly(int n)
{
	int result;
	__asm__("leal 1(%1), %0" : "=r"(result) : "r"(n));
	__asm__ volatile("" ::: "memory");
	return result + order[n & 1];
}

int main(void)
{
	int sum = 0;
	printf("%d %d\n", order[0], order[1]);
	printf("%d %d %d %d\n", overridden(1), other_name(3), chosen(5), naked());
	printf("%d %d %d %d %d\n", without_hooks(&order[2]), down(1000, &sum), sum, first(),
	       assembly(3));
	return 0;
}
