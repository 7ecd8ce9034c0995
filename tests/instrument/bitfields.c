/* Bit fields, booleans, odd widths. */
#include <stdbool.h>
#include <stdio.h>

struct bits {
	unsigned a : 3;
	int b : 5;
	unsigned long c : 33;
	bool d : 1;
	signed char e;
	unsigned f : 24;
} __attribute__((packed));

static struct bits s, t[3];
static bool flags[4];
static _Bool *flag = &flags[1];
static unsigned _BitInt(24) odd;
static _BitInt(40) odder = -5;

int main(void)
{
	for (int i = 0; i < 20; i++) {
		s.a += 3;
		s.b -= i;
		s.c = s.c * 5 + s.a;
		s.d = !s.d || s.b < 0;
		s.e ^= (signed char)(s.f >> 3);
		s.f += 77777;
		t[i % 3] = s;
		*flag = t[0].d != flags[2];
		flags[2] = *flag & (i > 4);
		odd = (unsigned _BitInt(24))(odd * 3 + 1);
		odder -= (_BitInt(40))i;
		printf("%u %d %lu %d %d %u %d %d %d %lld\n", s.a, s.b, (unsigned long)s.c, s.d, s.e,
		       s.f, flags[1], flags[2], (int)odd, (long long)odder);
	}
	return 0;
}
