#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory that threads hand over by fork and join: not in the trace if it is certain (handed.h), and
# nothing is lost.
. tests/cli/lib.sh

# Workers fill their parts of an array, again and again, and main sums it up behind each join.
# SHARED: one of them reads what another one writes meanwhile. RACE: one element is written by two.
cat >"$tmp/parts.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define LENGTH 12000
#define ROUNDS 3
int other, found;
static int *numbers;
static void *fill(void *p)
{
	int *part = p, base = 1;
#ifdef SHARED
	if (part == numbers)
		base = other;
	else
		other = 2;
#endif
#ifdef RACE
	numbers[LENGTH / 2] = 5;
#endif
	for (int i = 0; i < LENGTH / 2; i++)
		part[i] = part[i] + base;
	return p;
}
int main(void)
{
	pthread_t t[2];
	long sum = 0;
	numbers = malloc(LENGTH * sizeof(*numbers));
	for (int i = 0; i < LENGTH; i++)
		numbers[i] = i;
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, fill, numbers + i * LENGTH / 2);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		for (int i = 0; i < LENGTH; i++)
			sum += numbers[i];
	}
	if (numbers[0] == 2 * ROUNDS)
		found = 1;
	printf("%d\n", sum > 0);
	free(numbers);
	return 0;
}
END
# recorded NAME OPTION…: records it and counts the events.
recorded()
{
	name=$1
	shift
	run "$NORN" cc -O1 -g "$@" "$tmp/parts.c" -o "$tmp/$name"
	run "$NORN" record -o "$tmp/$name.norn" "$tmp/$name"
	run "$NORN" check "$tmp/$name.norn"
	status_is 0 "$name: consistent"
	events=$(sed -n 's/.*, \([0-9]*\) events$/\1/p' "$tmp/out")
}

# The places of all races, those of one bug on one line each.
races()
{
	"$NORN" predict --bugs race "$1" 2>/dev/null | sed -n 's/^SUMMARY: Norn: //p; s/^  Also\( on [^ ]*\)\{0,1\}: //p' | sort -u
}

# The element that two threads write.
recorded race -DRACE
races "$tmp/race.norn" >"$tmp/out"
grep -q 'parts.c:18.*parts.c:21\|parts.c:21.*parts.c:18' "$tmp/out"
result $? "what two threads write at the same time is found"

recorded certain
[ "$events" -lt 200 ]
result $? "what is certain is left out: $events events"
run "$NORN" predict "$tmp/certain.norn"
status_is 0 "certain: no findings"
run "$NORN" replay --recorded "$tmp/certain.norn"
grep -q '^replayed' "$tmp/out"
result $? "certain: the recorded schedule is replayed"

# What a worker wrote depends on what it read, and main goes on because of it.
recorded shared -DSHARED
[ "$events" -gt 10000 ]
result $? "what is not certain is kept: $events events"
races "$tmp/shared.norn" >"$tmp/out"
grep -q 'parts.c:13.*parts.c:15\|parts.c:15.*parts.c:13' "$tmp/out"
result $? "shared: the race is found"

# A worker fills a block and reads it again and again, and a table that main made; main gives both
# back. Another thread reads the table, too. JOINED: each is given back when those who used it have
# been joined. Else when the worker says that it is done; DONE: it says so too early.
cat >"$tmp/given.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define LENGTH 4000
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int *table, *block, done, other;
static void tell(void)
{
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&told);
	pthread_mutex_unlock(&lock);
}
static void *work(void *p)
{
	long sum = 0;
	block = malloc(LENGTH * sizeof(*block));
	for (int i = 0; i < LENGTH; i++)
		block[i] = table[i] + other;
	for (int i = 1; i < LENGTH - 1; i++)
		sum += block[i];
#ifdef DONE
	tell();
	sum += block[LENGTH - 1];
#else
	sum += block[LENGTH - 1];
	tell();
#endif
	return (void *)sum;
}
static void *look(void *p)
{
	long sum = 0;
	for (int i = 0; i < LENGTH; i++)
		sum += table[i];
	other = 1;
	return (void *)sum;
}
int main(void)
{
	pthread_t t, u;
	void *result;
	table = malloc(LENGTH * sizeof(*table));
	for (int i = 0; i < LENGTH; i++)
		table[i] = i;
	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, look, NULL);
#ifdef JOINED
	pthread_join(t, &result);
#else
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&told, &lock);
	pthread_mutex_unlock(&lock);
#endif
	free(block);
#ifdef JOINED
	pthread_join(u, NULL);
#endif
	free(table);
#ifndef JOINED
	pthread_join(t, &result);
	pthread_join(u, NULL);
#endif
	printf("%ld\n", (long)result);
	return 0;
}
END

# given NAME OPTION…: records it and counts the events.
given()
{
	name=$1
	shift
	run "$NORN" cc -O1 -g "$@" "$tmp/given.c" -o "$tmp/$name"
	run "$NORN" record -o "$tmp/$name.norn" "$tmp/$name"
	run "$NORN" check "$tmp/$name.norn"
	status_is 0 "$name: consistent"
	events=$(sed -n 's/.*, \([0-9]*\) events$/\1/p' "$tmp/out")
}

given joined -DJOINED
[ "$events" -lt 100 ]
result $? "what is freed behind the join of all who used it is left out: $events events"
races "$tmp/joined.norn" >"$tmp/out"
grep -q 'given.c:37' "$tmp/out"
result $? "joined: the race of another variable is found"

given told
[ "$events" -gt 4000 ]
result $? "what is freed before the join is kept: $events events"
"$NORN" predict "$tmp/told.norn" 2>/dev/null >"$tmp/out"
grep '^SUMMARY' "$tmp/out" | grep 'given.c:36' | grep -q 'given.c:61'
result $? "told: the table is freed while another thread may read it"
! grep '^SUMMARY' "$tmp/out" | grep -q 'given.c:57'
result $? "told: the block is not freed before it was read"

given done -DDONE
"$NORN" predict "$tmp/done.norn" 2>/dev/null >"$tmp/out"
grep '^SUMMARY' "$tmp/out" | grep 'given.c:25' | grep -q 'given.c:57'
result $? "done: the block is freed while the worker may read it"

finish
