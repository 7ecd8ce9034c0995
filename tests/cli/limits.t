#!/bin/sh
# SPDX-License-Identifier: MIT
# Limits: a program with little address space, traces that ask for more than they are, packed data
# that becomes too large, and programs that die by a signal.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# Address space. What the program may use beyond what it has is 100 KiB, and more each time, until
# all is recorded; it may see that there is no memory, but never crashes.
cat >"$tmp/little.c" <<'EOC'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *work(void *with)
{
	for (int i = 0; i < 300; i++) {
		char *p = malloc(100 + i % 50);

		if (!p)
			return NULL;
		p[3] = (char)i;
		pthread_mutex_lock(&lock);
		sum += p[3];
		pthread_mutex_unlock(&lock);
		free(p);
	}
	return with;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t threads[6];
	struct rlimit limit;
	long pages;
	int n = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (argc < 2 || !f || fscanf(f, "%ld", &pages) != 1 || fclose(f))
		return 9;
	limit.rlim_cur = (rlim_t)(pages * 4 + atol(argv[1])) << 10;
	limit.rlim_max = RLIM_INFINITY;
	if (setrlimit(RLIMIT_AS, &limit))
		return 9;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	while (n < 6 && !pthread_create(&threads[n], &small, work, &sum))
		n++;
	while (n)
		pthread_join(threads[--n], NULL);
	return 5;
}
EOC
for link in "" -static; do
	compile norn "$tmp/little.c" -w -O1 $link -o "$tmp/little"
	good=0 silent=0 inconsistent=0 stopped=0 runs=0 whole=0
	for room in 1 60 100 150 200 250 300 400 500 600 700 800 1000 1200 1500 4000 64000; do
		rm -f "$tmp/t.norn"
		run timeout 100 "$NORN" record -o "$tmp/t.norn" "$tmp/little" $room
		runs=$((runs + 1))
		[ "$status" -eq 5 ] && good=$((good + 1))
		"$NORN" check "$tmp/t.norn" >/dev/null 2>&1 || inconsistent=$((inconsistent + 1))
		if grep -q 'the recording is not complete: failure: .*Cannot allocate memory (.*ulimit -v' \
			"$tmp/err"; then
			stopped=$((stopped + 1))
		elif grep -q 'not complete' "$tmp/err"; then
			silent=$((silent + 1))
		else
			whole=$room
		fi
	done
	[ $good -eq $runs ]
	result $? "address space$link: the program ends as it would"
	[ $inconsistent -eq 0 ]
	result $? "address space$link: all traces are consistent"
	[ $silent -eq 0 ]
	result $? "address space$link: no other reason than that there was no memory"
	[ $stopped -gt 2 ]
	result $? "address space$link: the recording stopped with a word, $stopped times"
	[ $whole -eq 64000 ]
	result $? "address space$link: with enough, all is recorded"
done

# Traces that ask for more than they are: many ranges for each of many events, and long names for
# each of many ranges. What is little here would be gigabytes.
ranges()
{
	awk -v cells="$1" -v events="$2" -v base="$3" 'BEGIN {
		printf "memory block %s 0 %d\n", base, 3 * cells
		for (i = 0; i < cells; i++)
			printf "memory x%d %s %d 2\n", i, base, 3 * i
		for (i = 0; i < events; i++)
			print "main alloc block"
	}' </dev/null
}
little()
{
	run sh -c 'ulimit -v 400000 && exec "$@"' sh "$@"
}
ranges 10000 2500 heap >"$tmp/many.trace"
for verb in check predict 'pairs --by hb' explore; do
	little "$NORN" $verb "$tmp/many.trace"
	status_is 3 "many ranges, $verb: exit 3"
	err_has '^norn: .*/many.trace:10003: event 2 cannot happen: x0 was accessed before$' \
		"many ranges, $verb: says why"
done
little "$NORN" show --stat "$tmp/many.trace"
status_is 0 "many ranges, show: exit 0"
out_has '^events +2500' "many ranges, show: all events"
long=$(head -c 300 /dev/zero | tr '\0' b)
ranges 2 1 "$long" >"$tmp/long.trace"
run "$NORN" show "$tmp/long.trace"
status_is 0 "a long name of memory: exit 0"
out_has "b{200}~[0-9]+:0x2:1" "a long name of memory: ranges have its start and a number"
! grep -q 'b\{201\}' "$tmp/out"
result $? "a long name of memory: no more of it"

# Packed data that becomes too large is not copied to the disk; the copy goes to TMPDIR.
"$NORN" convert "$conformance/control-flow-race.trace" "$tmp/small.norn"
{
	head -c 5 "$tmp/small.norn" # so it looks like a trace
	head -c 100000000 /dev/zero
} | gzip -9 >"$tmp/bomb.norn.gz"
run "$NORN" check "$tmp/bomb.norn.gz"
status_is 3 "gzip data that grows too much: exit 3"
err_has '^norn: .*/bomb.norn.gz: the gzip data becomes more than 100 times as large; gunzip it' \
	"gzip data that grows too much: says so"
gzip -c "$tmp/small.norn" >"$tmp/small.norn.gz"
run env TMPDIR="$tmp" "$NORN" check "$tmp/small.norn.gz"
status_is 0 "gzip data: exit 0"
run env TMPDIR="$tmp/missing" "$NORN" check "$tmp/small.norn.gz"
status_is 3 "a TMPDIR that is not there: exit 3"
err_has '^norn: .*: no space for a copy: No such file.*; TMPDIR says where it goes$' \
	"a TMPDIR that is not there: says so"
[ -z "$(find "$tmp" -name 'norn.*')" ]
result $? "nothing is left behind"

# Temporary directories that nobody uses any more are removed by who makes the next one.
for state in left used kept; do
	mkdir -p "$tmp/t/norn-cc.$state/sub"
	[ $state = kept ] || : >"$tmp/t/norn-cc.$state/.lock"
done
run flock "$tmp/t/norn-cc.used/.lock" env TMPDIR="$tmp/t" "$bin/norn-cc" -w "$tmp/little.c" -o "$tmp/little"
status_is 0 "norn cc"
[ "$(ls "$tmp/t" | tr '\n' ' ')" = 'norn-cc.kept norn-cc.used ' ]
result $? "what is used or kept stays, what a killed Norn left is removed"

# Signals
cat >"$tmp/dies.c" <<'EOC'
#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	return argc < 2 ? 3 : raise(atoi(argv[1]));
}
EOC
compile norn "$tmp/dies.c" -w -o "$tmp/dies"
for row in 9:KILL 11:SEGV 15:TERM 35:RTMIN.1; do
	number=${row%:*}
	for verb in record run; do
		run timeout 60 "$NORN" $verb -o "$tmp/t.norn" "$tmp/dies" $number
		err_has "^norn: $tmp/dies was ended by SIG${row#*:}\$" \
			"norn $verb names SIG${row#*:}" || sed 's/^/# /' "$tmp/err"
		[ $verb = run ] || status_is $((128 + number)) "norn record: exit $((128 + number))"
	done
done
run timeout 60 "$NORN" run -o "$tmp/t.norn" "$tmp/dies"
err_has '^norn: the program ended with exit status 3$' "norn run: a status is none"
finish
