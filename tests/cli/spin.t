#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that wait by looking (LOG_SPIN): the log counts the times, and what can be found stays.
. tests/cli/lib.sh

# With BROKEN each time has a write of its own, and so all of them are in the log.
cat >"$tmp/spin.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_int ready, tickets;
int data, early, late, last;
static volatile int own;
static void pass(int i)
{
#ifdef BROKEN
	own = i;
#endif
}
static void *work(void *p)
{
	int seen = 0, ticket = atomic_fetch_add(&tickets, 1);
	early = 1;
	while (!(seen = atomic_load(&ready)))
		pass(seen);
	data++;
	late = seen;
	while (atomic_load(&ready) < 2 + ticket)
		pass(ticket);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	usleep(PAUSE);
	early = 2;
	data = 5;
	atomic_store(&ready, 1);
	late = 3;
	usleep(PAUSE);
	atomic_store(&ready, 2);
	pthread_join(t, NULL);
	last = data;
	printf("%d\n", last);
	return 0;
}
END

races()
{
	"$NORN" predict --bugs race "$1" 2>/dev/null |
		sed -n 's/^SUMMARY: Norn: //p' | sort -u
}

for level in O0 O2; do
	run "$NORN" cc -$level -g -DPAUSE=300000 "$tmp/spin.c" -o "$tmp/spin"
	run "$NORN" record -o "$tmp/spin.norn" "$tmp/spin"
	status_is 0 "$level: recorded"
	run "$NORN" check "$tmp/spin.norn"
	status_is 0 "$level: consistent"
	events=$(sed -n 's/.*, \([0-9]*\) events$/\1/p' "$tmp/out")
	spins=$("$NORN" convert "$tmp/spin.norn" - | sed -n 's/^meta dropped-spins //p')
	[ "${spins:-0}" -gt 1000 ] && [ "$events" -lt $((60 + 2 * spins / 5000)) ]
	result $? "$level: times are counted: ${spins:-0}, in $events events"
	run "$NORN" replay --recorded --timeout 60 "$tmp/spin.norn"
	grep -q '^replayed' "$tmp/out"
	result $? "$level: the recorded schedule is replayed"

	run "$NORN" cc -$level -g -DPAUSE=1000 -DBROKEN "$tmp/spin.c" -o "$tmp/broken"
	races "$tmp/spin.norn" >"$tmp/found"
	# on a busy machine the thread may not come to look before the short pause is over
	for _ in 1 2 3 4 5; do
		run "$NORN" record -o "$tmp/broken.norn" "$tmp/broken"
		races "$tmp/broken.norn" >"$tmp/want"
		diff "$tmp/want" "$tmp/found" >"$tmp/out" && break
	done
	[ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/found"
	result $? "$level: the same races as in the log of all times"
done

# A constant that is another one each time, such as how often it was.
cat >"$tmp/counted.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_int ready;
static int data;
static void *work(void *p)
{
	for (int i = 0; i < 2000000000; i++)
		if (atomic_load(&ready) > i - 2000000000)
			if (atomic_load(&ready))
				break;
	data++;
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	usleep(30000);
	atomic_store(&ready, 1);
	pthread_join(t, NULL);
	printf("%d\n", data);
	return 0;
}
END
run "$NORN" cc -O2 -g "$tmp/counted.c" -o "$tmp/counted"
run "$NORN" record -o "$tmp/counted.norn" "$tmp/counted"
run "$NORN" check "$tmp/counted.norn"
status_is 0 "constants: consistent"
run "$NORN" predict "$tmp/counted.norn"
status_is 0 "constants: no findings"

# The count begins anew after each piece of work, which is an arm: the loops have one head.
cat >"$tmp/served.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static _Atomic long pending;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stop;
static long data;
static void *serve(void *p)
{
	while (1) {
		for (int i = 0; i < 1000000; i++)
			if (atomic_load(&pending) != 0)
				break;
		if (atomic_load(&pending) == 0) {
			pthread_mutex_lock(&mutex);
			int stops = stop;
			pthread_mutex_unlock(&mutex);
			if (stops)
				return p;
			continue;
		}
		data++;
		atomic_store(&pending, 0);
	}
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, serve, NULL);
	for (int i = 0; i < 4; i++) {
		usleep(100000);
		data++;
		atomic_store(&pending, 1);
		while (atomic_load(&pending))
			;
	}
	pthread_mutex_lock(&mutex);
	stop = 1;
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
	printf("%ld\n", data);
	return 0;
}
END
for level in O0 O1 O2; do
	run "$NORN" cc -$level -g "$tmp/served.c" -o "$tmp/served"
	run "$NORN" record -o "$tmp/served.norn" "$tmp/served"
	run "$NORN" check "$tmp/served.norn"
	status_is 0 "$level, a count that begins anew: consistent"
	events=$(sed -n 's/.*, \([0-9]*\) events$/\1/p' "$tmp/out")
	spins=$("$NORN" convert "$tmp/served.norn" - | sed -n 's/^meta dropped-spins //p')
	[ "${spins:-0}" -gt 1000 ] && [ "$events" -lt $((200 + 2 * spins / 5000)) ]
	result $? "$level, a count that begins anew: ${spins:-0} times, in $events events"
	run "$NORN" predict "$tmp/served.norn"
	status_is 0 "$level, a count that begins anew: no findings"
done

finish
