#!/bin/sh
# SPDX-License-Identifier: MIT
# What the recorded run itself did wrong is in its trace, and is reported as seen: deadlocks and other
# hangs, which end; memory that is used after it was freed; crashes. Programs that only look hung are
# left alone. Each at three levels of optimisation.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# record_one FILE LEVEL: its status and report are left in a directory of its own.
record_one()
{
	work=$tmp/$(basename "$1")$2
	mkdir "$work"
	compile norn "$1" -w $(directive "$1" flags) $2 -o "$work/program" >"$work/log" 2>&1 || return
	timeout 60 "$NORN" record --hang 1 --output "$work/trace" -- "$work/program" \
		>"$work/out" 2>"$work/err" </dev/null
	echo $? >"$work/status"
	"$NORN" check "$work/trace" >>"$work/log" 2>&1 || return
	"$NORN" predict --json "$work/trace" >"$work/json" 2>>"$work/log"
	echo $? >"$work/predicted"
}

# Most of them wait most of the time.
jobs=0
for program in tests/programs/seen/* tests/programs/waits/*; do
	for level in -O0 -O1 -O2; do
		record_one "$program" $level &
		jobs=$((jobs + 1))
		[ $((jobs % 6)) -ne 0 ] || wait
	done
done
wait

for program in tests/programs/seen/* tests/programs/waits/*; do
	for level in -O0 -O1 -O2; do
		name=$(basename "$program") work=$tmp/$(basename "$program")$level
		command_run="$name $level"
		cp "$work/log" "$tmp/err"
		: >"$tmp/out"
		status=$(cat "$work/status" 2>/dev/null || echo 1)
		status_is "$(wanted_status "$program")" "$name $level: how it ends"
		expected "$program" >"$work/expected"
		found <"$work/json" >"$work/found"
		# what else is predicted is for other tests
		grep -v '^race\|^deadlock\|^stuck' "$work/found" >"$work/seen"
		diff "$work/expected" "$work/seen" >"$tmp/diff"
		result $? "$name $level: exactly what was to be seen"
		sed 's/^/# /' "$tmp/diff"
		status=$(cat "$work/predicted" 2>/dev/null || echo 1)
		if [ -s "$work/found" ]; then
			status_is 66 "$name $level: exit status of predict"
		else
			status_is 0 "$name $level: exit status of predict"
		fi
	done
done

# norn run and norn try report it, and say that the program was ended.
in_tmp()
{
	run sh -c 'cd "$1" && shift && exec timeout 100 "$@"' sh "$tmp" "$@"
}

hung="$tmp/deadlock.c-O1/program"
in_tmp "$NORN" run --hang 1 --output "$tmp/run.norn" "$hung"
status_is 66 "norn run of a deadlock: exit 66"
out_has 'WARNING: Norn: deadlock of 2 threads \(seen in the recorded run\)' "norn run: the deadlock"
out_has '#0 one .*deadlock\.c:[0-9]+' "norn run: where it waits"
out_has 'thread T2 holds b, at .*deadlock\.c:[0-9]+ in two' "norn run: who holds what it waits for"
err_has 'waited for each other for 1 s; the program was killed' "norn run: that it was ended"
in_tmp "$NORN" try "$PWD/tests/programs/seen/crash-null.c"
status_is 66 "norn try of a crash: exit 66"
out_has 'WARNING: Norn: crash by SIGSEGV \(seen in the recorded run\)' "norn try: the crash"
in_tmp "$NORN" run --hang 1 --sarif --output "$tmp/run.norn" "$hung"
out_has '"ruleId": "norn/seen-deadlock"' "SARIF has a rule for it"

# Without a limit nothing is ended.
run timeout -s INT 3 "$NORN" record --hang 0 --output "$tmp/never.norn" "$hung"
[ "$status" -ne 137 ]
result $? "--hang 0: nothing is ended"

# Suppressions, by place, object and signal; fingerprints that are known.
trace=$tmp/deadlock.c-O1/trace
for line in 'deadlock:^two$' 'deadlock:deadlock.c' 'deadlock:^b$'; do
	echo "$line" >"$tmp/known"
	run "$NORN" predict --suppressions "$tmp/known" "$trace"
	status_is 0 "suppressed by $line"
	out_has '1 finding seen in the recorded run \(1 suppressed\)' "and counted: $line"
done
for line in 'race:deadlock.c' 'crash:deadlock.c' 'deadlock:^holds'; do
	echo "$line" >"$tmp/known"
	run "$NORN" predict --suppressions "$tmp/known" "$trace"
	status_is 66 "not suppressed by $line"
done
echo 'crash:SIGFPE' >"$tmp/known"
run "$NORN" predict --suppressions "$tmp/known" "$tmp/crash-divide.c-O1/trace"
status_is 0 "a crash suppressed by its signal"
echo 'race_top:^main$' >"$tmp/known"
run "$NORN" predict --suppressions "$tmp/known" "$tmp/use-large.c-O1/trace"
status_is 0 "use after free suppressed by who frees"
run "$NORN" predict "$tmp/use-strdup.c-O1/trace"
out_has 'use after free of heap:use-strdup.c:11' "what libc allocates is named by who called it"
rm -f "$tmp/prints"
run "$NORN" predict --baseline "$tmp/prints" "$trace"
status_is 66 "new to the list of fingerprints"
run "$NORN" predict --baseline "$tmp/prints" "$tmp/deadlock.c-O2/trace"
status_is 0 "another run of it is known"

# The facts pass through every format; what makes no sense is refused.
run "$NORN" convert --to text "$trace" "$tmp/text"
grep '^meta seen ' "$tmp/text" >"$tmp/out"
out_has '^meta seen deadlock ; T1 acquire b @.* ; T2 holds b @.* ; T2 acquire a @.* ; T1 holds a @' \
	"meta seen, as text"
for bad in '' 'flood ; T1 read x' 'crash' 'crash T1 SIGSEGV 0x0' 'crash ; T1 SIGSEGV' \
	'crash ; T1 SIGSEGV 0x0 somewhere' 'deadlock ; T1 acquire a @x ; T2' 'crash ; ; a b' \
	'crash ; T1 SIGSEGV 0x0 ;'; do
	{ echo "meta seen $bad"; echo "t write x 1"; } >"$tmp/bad"
	run "$NORN" predict "$tmp/bad"
	status_is 3 "refused: meta seen $bad"
	err_has 'bad: meta seen .*: expected ' "with what was expected: meta seen $bad"
done
printf 'meta seen crash ; t SIGSEGV 0x10\nt write x 1\n' >"$tmp/good"
run "$NORN" predict "$tmp/good"
status_is 66 "a step without a place"
out_has 'an unknown place' "and it says so"

# A race that the run had, and one that only another order has.
run "$NORN" predict tests/conformance/reordered-counters.trace
! grep -q '^  Seen: ' "$tmp/out"
result $? "a predicted race was not seen"
cat >"$tmp/race" <<'END'
m fork t @a.c:1
m write x 1 @a.c:2
t write x 2 @a.c:3
END
run "$NORN" predict "$tmp/race"
out_has '^  Seen: the recorded run had this race' "a race that was seen"
cat >"$tmp/race" <<'END'
m fork t @a.c:1
m write x 1 @a.c:2
m acquire l @a.c:3
m release l @a.c:4
t acquire l @a.c:5
t release l @a.c:6
t write x 2 @a.c:7
END
run "$NORN" predict "$tmp/race"
out_has 'data race on x' "a race that a lock hid"
! grep -q '^  Seen: ' "$tmp/out"
result $? "was not seen"

# Freed and used in whatever order it comes: seen, or proved, and never nothing; twelve runs.
cat >"$tmp/either.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long *p;
static void *use(void *unused)
{
	for (int i = 0; i < 300; i++)
		p[1]++;
	return unused;
}
int main(void)
{
	pthread_t t;

	p = malloc(24);
	p[1] = 0;
	pthread_create(&t, NULL, use, NULL);
	free((void *)p);
	pthread_join(t, NULL);
	return 0;
}
END
"$bin/norn-cc" -w -O1 "$tmp/either.c" -o "$tmp/either"
told=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	timeout 60 "$NORN" record --output "$tmp/either.norn" "$tmp/either" 2>/dev/null
	"$NORN" predict "$tmp/either.norn" >"$tmp/out"
	grep -q 'WARNING: Norn: use after free' "$tmp/out" && told=$((told + 1))
done
[ $told -eq 12 ]
result $? "use after free is told in $told of 12 runs"
finish
