#!/bin/sh
# SPDX-License-Identifier: MIT
# What code without hooks does depends on what it reads, in memory that it was given, now or earlier: on all that its
# thread has read before. One thread publishes under a lock; another one hands on what it sees there, and does something
# only because of what such code makes of it. None of that races, but for what no such code decides.
. tests/cli/lib.sh

cat >"$tmp/plain.h" <<'END'
#include <pthread.h>
#include <semaphore.h>
struct pair { int in, out; };
struct outer { struct pair *inner; };
void compute(struct pair *p);
void keep(struct pair *p);
void compute_kept(void);
void compute_inner(struct outer *o);
void post_if(struct pair *p, sem_t *s);
void call_if(struct pair *p, void (*function)(void));
END
cat >"$tmp/plain.c" <<'END'
#include "plain.h"
static struct pair *kept;
void compute(struct pair *p) { p->out = p->in == 7; }
void keep(struct pair *p) { kept = p; }
void compute_kept(void) { compute(kept); }
void compute_inner(struct outer *o) { compute(o->inner); }
void post_if(struct pair *p, sem_t *s) { if (p->in == 7) sem_post(s); }
void call_if(struct pair *p, void (*function)(void)) { if (p->in == 7) function(); }
END
cat >"$tmp/pure.c" <<'END'
void add_up(const int *list, int n, int *to) { for (*to = 0; n; n--) *to += *list++; }
END

# The name of each way is that of its data: TWO is what the second thread does, with v as it was published.
cat >"$tmp/program.c" <<'END'
#include <stdio.h>
#include <unistd.h>
#include "plain.h"
void add_up(const int *list, int n, int *to);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int published = 3, data;
static struct pair shared, own;
static void follow(void) { data = 2; }
static void *one(void *unused)
{
	pthread_mutex_lock(&other);
	shared.in = shared.out = START;
	pthread_mutex_unlock(&other);
	data = 1;
	pthread_mutex_lock(&mutex);
	published = 7;
	pthread_mutex_unlock(&mutex);
	return unused;
}
static void *two(void *unused)
{
	struct pair local = {0, 0};
	struct outer outer = {&shared};
	int v, before = own.out;

	usleep(100000);
	pthread_mutex_lock(&mutex);
	v = published;
	pthread_mutex_unlock(&mutex);
	(void)before, (void)outer, (void)local;
	TWO
	return unused;
}
static void *three(void *unused)
{
	THREE
	return unused;
}
int main(void)
{
	pthread_t a, b, c;

	sem_init(&semaphore, 0, 0);
	FIRST
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_create(&c, NULL, three, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	printf("%d\n", data);
	return 0;
}
END
gcc -O1 -fPIC -shared "$tmp/plain.c" -o "$tmp/libplain.so" && gcc -O1 -fPIC -shared "$tmp/pure.c" -o "$tmp/libpure.so"
result $? "libraries"

# try_way FOUND NAME START TWO [THREE [FIRST]]: norn predict finds so many races, at -O0 and -O2
try_way()
{
	for level in -O0 -O2; do
		run timeout 100 "$NORN" cc -g $level -w -DSTART="$3" -DTWO="$4" -DTHREE="$5" -DFIRST="$6" "$tmp/program.c" \
			-L"$tmp" -lplain -lpure -Wl,-rpath,"$tmp" -o "$tmp/program"
		status_is 0 "$2 $level: norn cc"
		run timeout 100 "$NORN" record -o "$tmp/program.norn" "$tmp/program" </dev/null
		status_is 0 "$2 $level: norn record"
		out_has '^2$' "$2 $level: what is decided is done"
		run timeout 100 "$NORN" predict --bugs race "$tmp/program.norn"
		[ "$(grep -c 'WARNING: Norn: data race on data ' "$tmp/out")" = "$1" ]
		result $? "$2 $level: $1 found"
	done
}

locked='pthread_mutex_lock(&other); shared.in = v;'
unlocked='v = shared.out; pthread_mutex_unlock(&other);'
try_way 0 shared 0 "$locked compute(&shared); $unlocked if (v) data = 2;"
try_way 0 "same value" 1 "$locked compute(&shared); $unlocked if (v) data = 2;"
try_way 0 "own global, as it was" 0 "own.in = v + 1; compute(&own); if (own.out == before) data = 2;"
try_way 0 "a local" 0 "local.in = v; compute(&local); if (local.out) data = 2;"
try_way 0 "a pointer that is kept" 0 "$locked compute_kept(); $unlocked if (v) data = 2;" "" "keep(&shared);"
try_way 0 "a pointer in what is given" 1 "$locked compute_inner(&outer); $unlocked if (v) data = 2;"
try_way 0 "a semaphore" 0 "local.in = v; post_if(&local, &semaphore);" "sem_wait(&semaphore); data = 2;"
try_way 0 "a callback" 0 "local.in = v; call_if(&local, follow);"
try_way 1 "own memory, and nothing asked" 0 "int list[2] = {v, v}, sum; add_up(list, 2, &sum); data = 2;"
finish
