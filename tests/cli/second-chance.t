#!/bin/sh
# SPDX-License-Identifier: MIT
# Deadlocks and stuck threads that are held back by what the record could not follow: a replay shows which of
# them happen, and the trace of a run that came close to it proves it. Of a program that keeps its threads
# apart nothing is reported.
. tests/cli/lib.sh
. tests/cli/recorded.sh

cat >"$tmp/plain.c" <<'END'
int pass(int x)
{
	return x;
}
END
clang -O1 -c "$tmp/plain.c" -o "$tmp/plain.o"
cat >"$tmp/waits.c" <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
int pass(int x);
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t one, other;
static int count, data;
#if WAY == 1 /* two locks */
static void first_part(void)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); /* @first */
	data++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
}
static void second_part(void)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); /* @second */
	data++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
}
#elif WAY == 2 /* a signal before the wait */
static void first_part(void)
{
	pthread_mutex_lock(&a);
	count++;
	pthread_cond_wait(&changed, &a); /* @wait */
	pthread_mutex_unlock(&a);
}
static void second_part(void)
{
	pthread_mutex_lock(&a);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&a);
}
#elif WAY == 3 /* semaphores as locks */
static void first_part(void)
{
	sem_wait(&one);
	sem_wait(&other); /* @third */
	sem_post(&other);
	sem_post(&one);
}
static void second_part(void)
{
	sem_wait(&other);
	sem_wait(&one); /* @fourth */
	sem_post(&one);
	sem_post(&other);
}
#else /* a semaphore that is posted under a lock */
static void first_part(void)
{
	pthread_mutex_lock(&a); /* @lock */
	sem_post(&one);
	pthread_mutex_unlock(&a);
}
static void second_part(void)
{
	pthread_mutex_lock(&a);
	sem_wait(&one); /* @semaphore */
	pthread_mutex_unlock(&a);
}
#endif
static void *first(void *p)
{
	first_part();
	pthread_mutex_lock(&a);
	count++;
	pthread_mutex_unlock(&a);
	return p;
}
static int come(void)
{
	pthread_mutex_lock(&a);
	int got = pass(count + 7);
	pthread_mutex_unlock(&a);
	return got;
}
static void *second(void *p)
{
	usleep(300000);
	while (come() < 7 + LEAST)
		usleep(1000);
	second_part();
	return p;
}
int main(void)
{
	pthread_t t[2];

	sem_init(&one, 0, WAY == 3);
	sem_init(&other, 0, 1);
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL); /* @join */
	pthread_join(t[1], NULL);
	printf("%d\n", data);
	return 0;
}
END

# norn_in_tmp ARGUMENT…
norn_in_tmp()
{
	run sh -c 'cd "$1" && shift && exec timeout 100 "$@"' sh "$tmp" "$NORN" "$@"
}

# lines LABEL…: their numbers
lines()
{
	for label in "$@"; do
		grep -n "@$label \*/" "$tmp/waits.c" | cut -d: -f1
	done | sort -n | tr '\n' ' '
}

# found WAY KIND LABEL…
found()
{
	what=way-$1
	kind=$2
	way=$1
	shift 2
	"$NORN" cc -g -w -O1 -DWAY=$way -DLEAST=0 "$tmp/waits.c" "$tmp/plain.o" -o "$tmp/$what"
	norn_in_tmp run --no-optimism ./$what
	status_is 0 "$what: held back, exit 0"
	out_has '^  1 refuted only because of dependences that were not followed' "$what: told once"
	norn_in_tmp run --json ./$what
	status_is 66 "$what: a second chance finds it"
	json_is 'scalar @{$j->{findings}}' 1 "$what: once"
	json_is '$j->{findings}[0]{bug}' "$kind" "$what: $kind"
	json_is '$j->{findings}[0]{verdict}' confirmed "$what: confirmed"
	json_is 'join("", map { "$_ " } sort { $a <=> $b } map { $_->{location}{line} } @{$j->{findings}[0]{events}})' \
		"$(lines "$@")" "$what: the lines"
	json_is 'join " ", map { $j->{second_chance}{$_} } qw(replayed confirmed left)' '1 1 0' "$what: counted"
	run "$NORN" certify "$tmp/$what.second1.norn" "$tmp/$what.second1.norn.1.witness"
	status_is 0 "$what: certified by a trace of its own"
	norn_in_tmp replay "$what.second1.norn#1"
	status_is 66 "$what: it is seen again"
	"$NORN" cc -g -w -O1 -DWAY=$way -DLEAST=1 "$tmp/waits.c" "$tmp/plain.o" -o "$tmp/$what-right"
	norn_in_tmp run ./$what-right
	status_is 0 "$what: the right program has no finding"
	out_has '^  second chance: 1 candidate replayed, 0 confirmed$' "$what: it was tried"
	! ls "$tmp/$what-right".second* >/dev/null 2>&1
	result $? "$what: nothing is kept of it"
}

found 1 deadlock first second
found 2 stuck wait join
found 3 stuck third fourth join
found 4 stuck lock semaphore join

norn_in_tmp run ./way-1
out_has '^  A second chance: .* The trace of a run close to it certifies it: way-1.second1.norn$' \
	"text: how it was found"
norn_in_tmp predict --why way-1.norn
out_has '^    a condition, a call or an address: from the read of count \(event [0-9]+\), it is not known how$' \
	"an argument with an expression: what is not known of it"
run "$NORN" show "$tmp/way-1.norn"
out_has ' branch if \(= .* opaque @' "it is opaque"
run "$NORN" show --stat --json "$tmp/way-1.norn"
json_is '$j->{depends}{branches}{opaque} > 0 ? 1 : 0' 1 "and counted"
finish
