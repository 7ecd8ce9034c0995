/* Structs: copied, passed as copies, returned, packed, in unions. */
#include <stdio.h>
#include <string.h>

struct point {
	int x, y;
};
struct large {
	struct point p[5];
	char name[13];
	double weight;
};
union any {
	long l;
	double d;
	struct point p;
	char c[8];
};
struct __attribute__((packed)) odd {
	char c;
	int i;
	long l;
};
struct empty {
};

static struct large things[4];
static union any any;
static struct odd odd[3];

static struct large make(int n)
{
	struct large l = {.name = "a thing", .weight = n / 2.0};
	for (int i = 0; i < 5; i++)
		l.p[i] = (struct point){n, i};
	return l;
}

static int sum(struct large l, struct point p, struct empty e)
{
	(void)e;
	l.p[0].x += p.x;
	struct point *where = &l.p[p.y % 5];
	return where->x * 10 + where->y + l.name[3] + (int)l.weight;
}

static int __attribute__((noinline)) keeps(struct large l, int (*look)(const struct large *))
{
	l.p[2].x = 77;
	return look(&l);
}

static int look(const struct large *l)
{
	return l->p[2].x + l->p[1].y;
}

static struct point swap(struct point p)
{
	return (struct point){p.y, p.x};
}

int main(void)
{
	int total = 0;
	struct empty e;
	for (int i = 0; i < 4; i++) {
		things[i] = make(i);
		things[(i + 1) % 4] = things[i];
		total += sum(things[i], swap(things[i].p[3]), e) + keeps(things[i], look);
		memmove(&things[1].p[1], &things[1].p[0], 3 * sizeof(struct point));
		any.p = things[1].p[i];
		total += any.c[i] + (any.l > 5);
		odd[i % 3].i = total;
		odd[i % 3].l = odd[(i + 2) % 3].i * 3l;
	}
	memset(&things[3], 1, sizeof(things[3]));
	printf("%d %d %ld %d %s\n", total, things[3].p[4].y, odd[1].l, things[1].p[3].y,
	       things[2].name);
	return memcmp(&things[0], &things[1], sizeof(things[0])) ? 0 : 1;
}
