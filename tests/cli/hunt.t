#!/bin/sh
# SPDX-License-Identifier: MIT
# norn hunt: the paths that the first run does not take; what is found, what is said at the end,
# and that nothing is left behind.
. tests/cli/lib.sh
. tests/cli/recorded.sh

TMPDIR=$tmp/temporary
mkdir "$TMPDIR"
export TMPDIR

# hunt OPTION…: in $tmp
hunt()
{
	run sh -c 'cd "$1" && shift && exec timeout 100 "$@"' sh "$tmp" "$NORN" hunt "$@" </dev/null
}

# build FILE OPTION…: $tmp/program
build()
{
	file=$1
	shift
	compile norn "$file" -w -g -o "$tmp/program" "$@"
}

# no_rest NAME: no process of the program, no directory of a run
no_rest()
{
	! ls "$TMPDIR" | grep -q . && ! ps -eo args | grep -q '[p]rogram-of-hunt'
	result $? "$1: nothing is left"
}

# The patterns: each bug is found within ten runs.
while read -r name kind; do
	build "tests/programs/hunt/$name.c"
	hunt --runs 10 ./program
	status_is 66 "$name: exit 66 within ten runs"
	out_has "$kind" "$name: what it is"
done <<'EOF'
account ^FAILURE: Norn: assertion: .*Assertion `get\(\) == 12' failed
arm ^FAILURE: Norn: assertion: .*Assertion `value == 2' failed
barrier ^FAILURE: Norn: assertion: .*Assertion `seen\[1\]' failed
destroy-busy ^FAILURE: Norn: misuse: a mutex is destroyed while a thread holds it
draws ^FAILURE: Norn: status: exit status 1
init-late ^FAILURE: Norn: misuse: a mutex is initialized
check-act ^FAILURE: Norn: assertion: .*Assertion `sold <= 1' failed
early-exit ^FAILURE: Norn: status: exit status 1
lazy ^FAILURE: Norn: assertion: .*Assertion `atomic_load\(&made\) == 1' failed
join-timed ^FAILURE: Norn: status: exit status 1
join-try ^FAILURE: Norn: status: exit status 1
list ^FAILURE: Norn: assertion: .*Assertion `e->value == 1' failed
lost-signal ^WARNING: Norn: threads that wait forever
once ^FAILURE: Norn: status: exit status 1
order ^FAILURE: Norn: assertion: .*Assertion `atomic_load\(&value\) == 42' failed
philosophers ^WARNING: Norn: deadlock of 2 threads
serial ^FAILURE: Norn: status: exit status 1
sem-timed ^FAILURE: Norn: assertion: .*Assertion `seen == 1' failed
sem-try ^FAILURE: Norn: assertion: .*Assertion `most <= 1' failed
status ^FAILURE: Norn: status: exit status 1
spin ^FAILURE: Norn: assertion: .*Assertion `atomic_load\(&value\)' failed
timed ^FAILURE: Norn: assertion: .*Assertion `taken' failed
try-else ^FAILURE: Norn: assertion: .*Assertion `count \+ missed == 2' failed
two-stage ^FAILURE: Norn: assertion: .*Assertion `two == one \+ 1' failed
who-wakes ^WARNING: Norn: threads that wait forever
EOF

# Their right twins: nothing is found.
for name in account arm barrier check-act destroy-busy draws init-late early-exit status join-timed join-try lazy list lost-signal once order philosophers serial sem-timed sem-try timed try-else two-stage who-wakes; do
	build "tests/programs/hunt/$name.c" -DRIGHT
	hunt ./program
	status_is 0 "$name, the right one: exit 0"
	out_has '^All [0-9]+ behaviours of this input are explored' "$name, the right one: all of it"
done

# In C++: variables that are made when control first comes to them.
for define in WRONG RIGHT; do
	compile norn "$PWD/tests/programs/hunt/static.cpp" -w -g -D$define -o "$tmp/program"
	hunt ./program
	status_is $([ $define = WRONG ] && echo 66 || echo 0) "a static variable, $define: exit status"
	out_has '^All [0-9]+ behaviours' "a static variable, $define: all of it"
done

# A read of which nothing depends is no choice, also where what the thread did is told at its end.
cat >"$tmp/ignored.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *look(void *unused)
{
	(void)atomic_load(&x);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, look, 0);
	atomic_store(&x, 1);
	pthread_join(t, 0);
	return 0;
}
END
build "$tmp/ignored.c"
hunt ./program
out_has '^All 1 behaviours' "a read of which nothing depends"
hunt --compare-output --output order ./program
out_has '^All 1 behaviours' "a read of which nothing depends, --compare-output"

# A time limit that is over again and again is over once; that is said.
cat >"$tmp/again.c" <<'END'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items;
static void *take(void *unused)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1000;
	pthread_mutex_lock(&m);
	while (!items)
		pthread_cond_timedwait(&c, &m, &until);
	items--;
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, take, 0);
	pthread_mutex_lock(&m);
	items = 2;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(a, 0);
	return 0;
}
END
build "$tmp/again.c"
hunt --no-predict ./program
out_has '^[2-9] behaviours explored' "a wait with a time limit, again and again: it is over once"
out_has 'not sure: [0-9]+ a time limit that is over once more was not varied' "a wait with a time limit: said"

# Whom a signal wakes: SIGNALS of them (or one broadcast), after so many waits as there are, or before, or between.
cat >"$tmp/whom.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int woken[WAITS + 1], count;
static void *take(void *mine)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1000;
	pthread_mutex_lock(&m);
	if (!pthread_cond_timedwait(&c, &m, &until))
		*(int *)mine = ++count;
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[WAITS];
	for (int i = 0; i < WAITS; i++)
		pthread_create(&t[i], 0, take, &woken[i]);
	for (int i = 0; i < SIGNALS; i++)
		pthread_cond_signal(&c);
	if (!SIGNALS)
		pthread_cond_broadcast(&c);
	for (int i = 0; i < WAITS; i++) {
		pthread_join(t[i], 0);
		printf("%d", woken[i]);
	}
	printf(" ");
	return 0;
}
END
while read -r waits signals want; do
	build "$tmp/whom.c" -DWAITS=$waits -DSIGNALS=$signals
	rm -f "$tmp/seen"
	hunt --no-predict --check 'cat >>seen; echo >>seen' ./program
	out_has '^All [0-9]+ behaviours' "$signals signals, $waits waits: all of it"
	[ "$(sort -u "$tmp/seen" | tr -d '\n')" = "$want " ]
	result $? "$signals signals, $waits waits: each way"
done <<'EOF'
1 1 0 1
2 1 00 01 10
2 2 00 01 10 12 21
2 0 00 01 10 12 21
3 1 000 001 010 100
EOF

# A time limit is over before the signal, after it, or not: also if it was over in the first run; and two at once.
cat >"$tmp/limits.c" <<'END'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int item, seen[WAITS];
static void *take(void *mine)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1000;
	pthread_mutex_lock(&m);
	if (pthread_cond_timedwait(&c, &m, &until) != ETIMEDOUT)
		*(int *)mine = 2;
	else if (WAITS == 1 && item)
		*(int *)mine = 1;
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[WAITS];
	for (int i = 0; i < WAITS; i++)
		pthread_create(&t[i], 0, take, &seen[i]);
	pthread_mutex_lock(&m);
	item = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < WAITS; i++) {
		pthread_join(t[i], 0);
		printf("%d", seen[i]);
	}
	printf(" ");
	return 0;
}
END
for waits in 1 2; do
	build "$tmp/limits.c" -DWAITS=$waits
	rm -f "$tmp/seen"
	hunt --no-predict --check 'cat >>seen; echo >>seen' ./program
	status_is 0 "time limits, $waits waits: exit 0"
	outcomes=$(sort -u "$tmp/seen" | tr -d '\n')
	[ "$outcomes" = "$([ $waits -eq 1 ] && echo '0 1 2 ' || echo '00 02 20 22 ')" ]
	result $? "time limits, $waits waits: each way"
done

# A mutex that is locked when it is gone; what the call to destroy it returns is a choice.
build "$PWD/tests/programs/hunt/destroy-busy.c"
hunt --no-predict --output kept ./program
out_has '^FAILURE: Norn: misuse: a mutex is used after it was destroyed$' "a mutex that was destroyed"
out_has '^All 3 behaviours' "in use, destroyed before, destroyed after: three behaviours"

# What is said of a failure, and the commands to see it again.
build "$PWD/tests/programs/hunt/arm.c"
hunt --output kept ./program
out_has '^  the difference: .*arm.c:27: .*thread T2 goes the other way$' "the choice"
out_has '^  again: norn replay --recorded kept/[0-9]+.norn$' "the command to see it again"
run sh -c 'cd "$1" && exec timeout 60 "$2" replay --recorded kept/2.norn' sh "$tmp" "$NORN"
out_has '^signal 6 \(Aborted\), as recorded$' "that command shows it"
out_has 'Assertion `value == 2. failed' "that command shows what was printed"

# Reproducible: always the same, also on a busy machine; and a crash cuts nobody off who could go on.
(while :; do :; done) &
busy=$!
(while :; do :; done) &
busy="$busy $!"
hunt --output one ./program
out_has '^All 2 behaviours of this input are explored \(2 runs\)\.$' "as many runs as behaviours"
cp "$tmp/out" "$tmp/first"
same=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	hunt --output one ./program
	cmp -s "$tmp/first" "$tmp/out" && same=$((same + 1))
done
kill $busy
[ $same -eq 10 ]
result $? "ten times the same"

# --jobs: the same runs, findings and exit status, and in the same order.
cat >"$tmp/many.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z;
static void *one(void *unused)
{
	for (int i = 0; i < 2; i++) {
		atomic_store(&x, i + 1);
		if (atomic_load(&y) == 2)
			atomic_fetch_add(&z, 1);
	}
	return unused;
}
static void *two(void *unused)
{
	for (int i = 0; i < 2; i++) {
		atomic_store(&y, i + 1);
		if (atomic_load(&x) == 2)
			atomic_fetch_add(&z, 1);
	}
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	if (atomic_load(&x) == 1 && atomic_load(&y) == 1)
		atomic_fetch_add(&z, 1);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return atomic_load(&z) > 2;
}
END

# same_by_jobs NAME OPTION…: of $tmp/program
same_by_jobs()
{
	name=$1
	shift
	for jobs in 1 2 4; do
		hunt --time 0 --timeout 60 --jobs $jobs "$@" --output jobs ./program
		echo "exit $status" >>"$tmp/out"
		ls "$tmp/jobs" >>"$tmp/out"
		mv "$tmp/out" "$tmp/jobs.$jobs"
	done
	cmp -s "$tmp/jobs.1" "$tmp/jobs.2" && cmp -s "$tmp/jobs.1" "$tmp/jobs.4"
	result $? "$name: the same with 1, 2 and 4 jobs"
}
for name in account lost-signal philosophers two-stage; do
	build "$PWD/tests/programs/hunt/$name.c"
	same_by_jobs $name
done
for seed in 3 11 17; do
	awk -v seed=$seed -f tests/programs/hunt/random.awk >"$tmp/random.c"
	build "$tmp/random.c"
	same_by_jobs "random program $seed"
	same_by_jobs "random program $seed, by sources" --no-predict --equal rf
done
build "$tmp/many.c"
same_by_jobs "more behaviours than jobs" --no-predict
grep -q '^All 2[0-9] behaviours of this input' "$tmp/jobs.1"
result $? "more behaviours than jobs: all of them"
same_by_jobs "--first" --first --no-predict
same_by_jobs "--runs" --runs 9 --no-predict
same_by_jobs "--strategy random" --strategy random --runs 40 --first

# hunt_beside OPTION…: in the background, $hunter; what it says is in $tmp/beside.
hunt_beside()
{
	(cd "$tmp" && exec "$NORN" hunt --no-predict --equal rf --time 0 "$@" ./program-of-hunt) >"$tmp/beside" 2>&1 </dev/null &
	hunter=$!
}

# wait_for FILE: until it is there
wait_for()
{
	for i in $(seq 600); do
		[ -e "$1" ] && return
		sleep 0.1
	done
}

# A process that makes runs is killed: its run is made by another.
cp "$tmp/program" "$tmp/program-of-hunt"
hunt --no-predict --equal rf --output whole ./program
tail -1 "$tmp/out" >"$tmp/whole.end"
hunt_beside --jobs 2 --output killed
for i in 2 6 12; do
	wait_for "$tmp/killed/$i.norn"
	worker=$(ps -o pid= --ppid $hunter | head -1)
	[ -n "$worker" ] && kill -9 $worker
done
wait $hunter
[ $? -eq 66 ]
result $? "processes are killed: the exit status"
tail -1 "$tmp/beside" | cmp -s - "$tmp/whole.end"
result $? "processes are killed: nothing is missing"
no_rest "processes are killed"

# An interrupt keeps everything.
hunt_beside --jobs 2 --output interrupted
wait_for "$tmp/interrupted/4.norn"
kill -INT $hunter
wait $hunter
grep -q 'behaviours explored, [0-9]* choices open: .*not reached: interrupted' "$tmp/beside" || grep -q '^All ' "$tmp/beside"
result $? "an interrupt: said"
no_rest "an interrupt"
! ls "$tmp/interrupted" | grep -q new
result $? "an interrupt: only whole traces are left"
hunt --no-predict --equal rf --jobs 3 --resume interrupted ./program-of-hunt
[ "$(tail -1 "$tmp/out" | sed 's/ (.*//')" = "$(sed 's/ (.*//' "$tmp/whole.end")" ]
result $? "an interrupt, and --resume: nothing is missing"

build "$PWD/tests/programs/hunt/arm.c"

# As JSON.
hunt --json --output json ./program
status_is 66 "--json: exit 66"
out_has '"format": "norn-hunt"' "--json: what it is"
out_has '"complete": true' "--json: all is explored"
out_has '"behaviours": 2' "--json: how much"
out_has '"kind": "assertion"' "--json: what was found"
out_has '"trace": "json/2.norn"' "--json: in which run"
grep -q '"format": "norn-report"' "$tmp/$(sed -n 's/.*"report": "\(.*\)".*/\1/p' "$tmp/out")"
result $? "--json: the report of what was predicted"

# The other strategies.
for strategy in random pct pos; do
	hunt --strategy $strategy --runs 200 --first --output by ./program
	status_is 66 "$strategy: finds it, too"
	[ "$(sed -n 's/^\([0-9]*\) runs\.$/\1/p' "$tmp/out")" -lt 200 ]
	result $? "$strategy: --first stops there"
done

# A judge of the user's own, and output that differs.
cat >"$tmp/prints.c" <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int x;
static void *set(void *unused)
{
	atomic_store(&x, 1);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	if (atomic_load(&x))
		puts("one");
	else
		puts("zero");
	pthread_join(t, 0);
	return 0;
}
EOF
build "$tmp/prints.c"
hunt ./program
status_is 0 "two outputs: nothing wrong by itself"
out_has '^All 2 behaviours' "two outputs: two behaviours"
hunt --equal rf ./program
out_has '^All 2 behaviours' "--equal rf: two sources"
hunt --compare-output ./program
status_is 66 "--compare-output: exit 66"
out_has '^FAILURE: Norn: output: prints something else than the first run$' "--compare-output: said"
for name in prints cut-off; do
	build "$PWD/tests/programs/hunt/$name.c"
	hunt --compare-output --runs 10 --output order ./program
	status_is 66 "--compare-output, $name: exit 66"
	out_has '^FAILURE: Norn: output:' "--compare-output, $name: found"
	build "$PWD/tests/programs/hunt/$name.c" -DRIGHT
	hunt --compare-output --output order ./program
	status_is 0 "--compare-output, $name, the right one: exit 0"
	out_has '^All [0-9]+ behaviours' "--compare-output, $name, the right one: all of it"
done
build "$tmp/prints.c"
hunt --check 'grep -q zero' ./program
status_is 66 "--check: exit 66"
out_has '^FAILURE: Norn: check: the check fails: grep -q zero$' "--check: said"
hunt --check 'test "$NORN_STATUS" = 0 -a -s "$NORN_TRACE"' ./program
status_is 0 "--check: the status and the trace"

# --runs and --resume: what was made is not made again.
hunt --output part --runs 1 ./program
status_is 4 "--runs 1: exit 4"
out_has '^1 behaviours explored, [0-9]+ choices open: [0-9]+ not reached in --runs\.$' "--runs 1: said"
hunt --resume part ./program
status_is 0 "--resume: exit 0"
out_has '^All 2 behaviours of this input are explored \(1 runs\)\.$' "--resume: one more run"

# Truth: random programs, and every schedule of theirs really run.
run tests/soak/hunt 8 9
status_is 0 "all schedules of two programs: the same outcomes"
out_has '^seed 8: 3 outcomes; [0-9]+ runs: all schedules\. All 3 behaviours' "and nothing is open"
run tests/soak/hunt 3 5 signals 40
status_is 0 "schedules by chance of programs with signals: no other outcomes"
out_has '^seed 4: .*All [0-9]+ behaviours' "and nothing is open there"

# Bad ends
compile plain "$tmp/prints.c" -w -pthread -o "$tmp/program"
hunt ./program
status_is 3 "not built by norn cc: exit 3"
err_has 'must be built by norn cc' "not built by norn cc: said"
hunt ./not-there
status_is 3 "no program: exit 3"
cat >"$tmp/hangs.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
static int pipes[2];
static void *reads(void *unused)
{
	char c;
	(void)!read(pipes[0], &c, 1);
	return unused;
}
int main(void)
{
	pthread_t t;
	(void)!pipe(pipes);
	pthread_create(&t, 0, reads, 0);
	pthread_join(t, 0);
	return 0;
}
EOF
build "$tmp/hangs.c"
mv "$tmp/program" "$tmp/program-of-hunt"
hunt --timeout 1 ./program-of-hunt
status_is 4 "a program that hangs: exit 4"
err_has 'the first run does not end within 1 seconds' "a program that hangs: said"
no_rest "a program that hangs"
cat >"$tmp/forks.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
static void *nothing(void *unused)
{
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, 0, nothing, 0);
	pthread_join(t, 0);
	if (fork() == 0) {
		execl("/bin/sh", "./program-of-hunt", "-c", "sleep 1000; :", (char *)0);
		_exit(1);
	}
	return 0;
}
EOF
build "$tmp/forks.c"
hunt ./program
no_rest "a program that forks"
build tests/programs/hunt/arm.c
hunt --time 1 --output short ./program
no_rest "an end by time"
finish
