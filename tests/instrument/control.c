/* Ways through code: switches, computed gotos, loops in loops, merges, early ends. */
#include <stdio.h>

static int input[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9};
static int seen[10], matrix[6][6], total;

static int name(int n)
{
	switch (n) {
	case 1: return seen[1] + 5;
	case 2:
	case 3: total++; /* fall through */
	case 4: return total;
	case 900 ... 1000: return -1;
	default: return n * 2;
	}
}

static int machine(const unsigned char *code)
{
	static void *const labels[] = {&&add, &&twice, &&back, &&end};
	int a = seen[3], n = 0;
	goto *labels[*code];
add:
	a += input[n++ % 15];
	goto *labels[*++code];
twice:
	a = a * 2 % 1000;
	goto *labels[*++code];
back:
	code -= n < 6 ? 2 : 0;
	goto *labels[*++code];
end:
	return a;
}

int main(void)
{
	int last = -1, best = 0;
	for (unsigned i = 0; i < sizeof(input) / sizeof(*input); i++) {
		int v = input[i];
		int *where = v % 2 ? &seen[v] : &total;
		++*where;
		if (v == last)
			continue;
		for (int j = 0; j < v; j++) {
			for (int k = j; k < 6; k++) {
				matrix[k][j % 6] += input[k] > v ? v : last;
				if (matrix[k][j % 6] > 40)
					goto out;
			}
		}
	out:
		best = seen[v] > best ? seen[v] : best;
		last = name(v);
		if (total > 30)
			break;
	}
	static const unsigned char code[] = {0, 1, 0, 2, 1, 0, 3};
	printf("%d %d %d %d %d\n", last, best, total, matrix[5][1], machine(code));
	return 0;
}
