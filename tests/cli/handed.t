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

races()
{
	"$NORN" predict --bugs race "$1" 2>/dev/null | sed -n 's/^SUMMARY: Norn: //p' | sort -u
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

finish
