#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that still run when the program exits get some time, and what they do is recorded; not
# more time than they have use for; and findings from there are replayed.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# build NAME OPTION…: $tmp/NAME, from $tmp/NAME.c or $tmp/NAME.cpp
build()
{
	built=$1
	shift
	for file in "$tmp/$built.c" "$tmp/$built.cpp"; do
		[ ! -e "$file" ] || compile norn "$file" -w "$@" -pthread -o "$tmp/$built"
	done
}

# finds NAME STATUS TEXT ARGUMENT…: predict reports TEXT at each level, replay shows it, and the exit
# status is what it was.
finds()
{
	program=$1 want=$2 text=$3
	shift 3
	for level in -O0 -O1 -O2; do
		name="$program $* $level"
		build $program $level
		run timeout 100 "$NORN" record -o "$tmp/t.norn" "$tmp/$program" "$@" </dev/null
		status_is $want "$name: the exit status stays"
		run timeout 100 "$NORN" check "$tmp/t.norn"
		status_is 0 "$name: norn check"
		run timeout 100 "$NORN" predict --replay "$tmp/t.norn" </dev/null
		out_has "^WARNING: Norn: $text .confirmed" "$name: $text"
	done
}

cat >"$tmp/leaves.c" <<'EOF'
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
int x;
static void *one(void *unused)
{
	usleep(50000);
	x = 1;
	return unused;
}
static void *two(void *unused)
{
	usleep(100000);
	x = 2;
	return unused;
}
static void *ends(void *unused)
{
	exit(5);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t a, b, c;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_detach(b);
	switch (argc > 1 ? argv[1][0] : 0) {
	case 'e': exit(5);
	case 'w': err(5, "a library ends it");
	case 't': /* while main waits for the thread that exits */
		pthread_create(&c, NULL, ends, NULL);
		pthread_join(c, NULL);
	case 'm': /* or is over itself */
		pthread_create(&c, NULL, ends, NULL);
		pthread_exit(NULL);
	}
	return 5;
}
EOF
finds leaves 5 "data race on x"
finds leaves 5 "data race on x" exits
finds leaves 5 "data race on x" warns
finds leaves 5 "data race on x" thread-exits
finds leaves 5 "data race on x" main-is-over
build leaves -O1 -static
run timeout 100 "$NORN" run -o "$tmp/t.norn" "$tmp/leaves"
status_is 66 "a static program"

# Without the time, that is not seen; with _exit there never is any.
build leaves -O1
run timeout 100 "$NORN" run --exit-wait 0 -o "$tmp/t.norn" "$tmp/leaves"
status_is 0 "--exit-wait 0"
sed 's/return 5;/_exit(5);/' "$tmp/leaves.c" >"$tmp/hurries.c"
build hurries -O1
run timeout 100 "$NORN" run -o "$tmp/t.norn" "$tmp/hurries"
status_is 0 "_exit waits for nobody"

# What main does at exit comes afterwards, as it did; and races with the threads.
cat >"$tmp/late.cpp" <<'EOF'
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
struct kept {
	int value = 1;
	~kept() { value = 0; }
} kept;
static void at_exit() { std::puts("exit handler"); }
int main()
{
	std::atexit(at_exit);
	std::thread([] {
		usleep(50000);
		kept.value++;
		std::puts("thread");
	}).detach();
	std::puts("main");
	return 0;
}
EOF
finds late 0 "data race on kept"
run timeout 100 "$NORN" record -o "$tmp/t.norn" "$tmp/late"
out_is "handlers at exit, and the last writes, come after the threads" <<EOF
main
thread
exit handler
EOF

# Two that take locks the wrong way round, when main is over.
cat >"$tmp/cycle.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}
static void *two(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, one, NULL);
	pthread_create(&t, NULL, two, NULL);
	return 3;
}
EOF
finds cycle 3 "deadlock of 2 threads"

# Who waits for good is not waited for: else this would take an hour.
cat >"$tmp/waits.c" <<'EOF'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static pthread_t first;
static void *locks(void *unused)
{
	pthread_mutex_lock(&held);
	return unused;
}
static void *sleeps(void *unused)
{
	pthread_mutex_lock(&m);
	for (;;)
		pthread_cond_wait(&never, &m);
	return unused;
}
static void *posts(void *unused)
{
	sem_wait(&sem);
	return unused;
}
static void *meets(void *unused)
{
	pthread_barrier_wait(&barrier);
	return unused;
}
static void *reads(void *unused)
{
	pthread_rwlock_rdlock(&rw);
	return unused;
}
static void *joins(void *unused)
{
	pthread_join(first, NULL);
	return unused;
}
int main(void)
{
	static void *(*const all[])(void *) = {sleeps, posts, meets, reads, joins};
	pthread_t t;
	sem_init(&sem, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&rw);
	pthread_create(&first, NULL, locks, NULL);
	for (int i = 0; i < 5; i++)
		pthread_create(&t, NULL, all[i], NULL);
	exit(7);
}
EOF
build waits -O1
run timeout 100 "$NORN" record --exit-wait 3600 -o "$tmp/t.norn" "$tmp/waits"
status_is 7 "threads that wait for good"
run "$NORN" check "$tmp/t.norn"
status_is 0 "threads that wait for good: norn check"

# Who can be woken by one that is still on its way is waited for.
cat >"$tmp/chain.c" <<'EOF'
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
int x;
static sem_t sem;
static void *waits(void *unused)
{
	sem_wait(&sem);
	x = 1;
	return unused;
}
static void *wakes(void *unused)
{
	usleep(100000);
	sem_post(&sem);
	x = 2;
	return unused;
}
int main(void)
{
	pthread_t t;
	sem_init(&sem, 0, 0);
	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&t, NULL, wakes, NULL);
	return 5;
}
EOF
finds chain 5 "data race on x"

# Who never ends is ended.
cat >"$tmp/serves.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
volatile int x;
static void *serves(void *unused)
{
	for (;;) {
		x++;
		usleep(1000);
	}
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, serves, NULL);
	return 6;
}
EOF
build serves -O1
run timeout 60 "$NORN" record --exit-wait 0.2 -o "$tmp/t.norn" "$tmp/serves"
status_is 6 "a thread that never ends"
run "$NORN" check "$tmp/t.norn"
status_is 0 "a thread that never ends: norn check"

# Two exits: the first one decides.
cat >"$tmp/twice.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *late(void *unused)
{
	usleep(50000);
	exit(9);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, late, NULL);
	return 4;
}
EOF
build twice -O1
run timeout 60 "$NORN" record -o "$tmp/t.norn" "$tmp/twice"
status_is 4 "two exits"

for bad in '' . 1. 1.x -1 1e3 99999999999 100000000; do
	run "$NORN" record --exit-wait "$bad" -o "$tmp/t.norn" true
	status_is 2 "--exit-wait '$bad' is refused"
done
finish
