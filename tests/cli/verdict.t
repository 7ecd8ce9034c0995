#!/bin/sh
# SPDX-License-Identifier: MIT
# Verdicts: confirmed, certified, conditional. A finding whose schedule the program does not take, though it
# takes the recorded one, is no bug: the record lacks something. Traces that lack something are made by
# hand here, of programs that are right.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# record FILE: $tmp/NAME and its trace as text, $tmp/NAME.text.
record()
{
	name=$(basename "$1" .c)
	run compile norn "$1" -w -g -O0 -o "$tmp/$name" "$tmp/plain.o"
	status_is 0 "$name: norn cc"
	timeout 60 "$NORN" record -o "$tmp/$name.norn" "$tmp/$name" </dev/null >/dev/null 2>&1
	"$NORN" convert --to text "$tmp/$name.norn" "$tmp/$name.text"
}

# lose NAME SED-SCRIPT: the trace without what the script removes, $tmp/NAME.lossy.
lose()
{
	sed "$2" "$tmp/$1.text" >"$tmp/$1.lossy.text"
	! cmp -s "$tmp/$1.text" "$tmp/$1.lossy.text"
	result $? "$1: something is lost"
	run "$NORN" convert --to binary "$tmp/$1.lossy.text" "$tmp/$1.lossy"
	status_is 0 "$1: what is left is a trace"
}

# predict NAME OPTION…: of the trace that lacks something.
predict()
{
	trace=$tmp/$1.lossy
	shift
	run timeout 100 "$NORN" predict "$@" "$trace" </dev/null
}

no_line()
{
	! grep -Eq -e "$1" "$tmp/out"
	result $? "$2"
}

cat >"$tmp/plain.c" <<'EOF2'
/* Code without hooks, with a lock, a futex and a mailbox of its own. */
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int spin, sleepers;
static _Atomic(void *) box;
void spin_lock(void)
{
	while (atomic_exchange(&spin, 1))
		continue;
}
void spin_unlock(void)
{
	atomic_store(&spin, 0);
}
void sleep_lock(void)
{
	while (atomic_exchange(&sleepers, 1))
		syscall(SYS_futex, &sleepers, FUTEX_WAIT, 1, NULL, NULL, 0);
}
void sleep_unlock(void)
{
	atomic_store(&sleepers, 0);
	syscall(SYS_futex, &sleepers, FUTEX_WAKE, 1, NULL, NULL, 0);
}
void put(void *item)
{
	atomic_store(&box, item);
}
void *look(void)
{
	return atomic_load(&box);
}
EOF2
clang -O1 -c "$tmp/plain.c" -o "$tmp/plain.o"

# A right publication, and a true race that comes later.
cat >"$tmp/publish.c" <<'EOF2'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, data, seen, racy;
void *look(void);
static void *publishes(void *unused)
{
	data = 42; /* @write */
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
#ifdef RACY
	racy = 1; /* @one */
#endif
	return unused;
}
static void *asks(void *unused)
{
	int go;
	usleep(100000);
	look();
	pthread_mutex_lock(&lock);
	go = ready;
	pthread_mutex_unlock(&lock);
	if (go) /* @ask */
		seen = data; /* @read */
#ifdef RACY
	racy = 2; /* @two */
#endif
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, publishes, NULL);
	pthread_create(&b, NULL, asks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return seen != 42;
}
EOF2
ask=$(grep -n '/\* @ask \*/' "$tmp/publish.c" | cut -d: -f1)
record "$tmp/publish.c"
run "$NORN" predict --replay "$tmp/publish.norn"
status_is 0 "publish: nothing is found"
run timeout 60 "$NORN" replay --recorded "$tmp/publish.norn"
status_is 0 "publish: the recorded schedule is replayed: exit 0"
out_has '^replayed: all [0-9]+ steps, as recorded$' "publish: and that is told"
lose publish "s/branch .*\(@.*:$ask:\)/branch reads= \1/"
predict publish
status_is 66 "not replayed: exit 66"
out_has '^WARNING: Norn: data race on data \(certified\)$' "not replayed: certified"
predict publish --replay
status_is 4 "conditional: exit 4"
out_has '^CONDITIONAL: Norn: data race on data \(' "conditional: the heading"
out_has '^  Took another path twice, but the recorded schedule was replayed: thread T2 reached .* instead of a read at ' \
	"conditional: the reason"
out_has '^  Relies on: look: it is not known what these functions do$' "conditional: what it relies on"
out_has '^Norn: 1 candidate, model values: 0 proved, 0 refuted, 1 undecided$' "conditional: counted as undecided"
out_has '^Not complete: undecided candidates may be findings\.$' "conditional: not all is decided"
no_line '^WARNING|^SUMMARY|^Every candidate' "conditional: no bug, and no all-clear"
predict publish --replay --json
status_is 4 "JSON: exit 4"
json_is '$j->{findings}[0]{verdict}' conditional "JSON: the verdict"
json_is 'join " ", @{$j->{findings}[0]{relies_on}}' look "JSON: what it relies on"
json_is '$j->{findings}[0]{replay}{confirmed} ? 1 : 0' 0 "JSON: not confirmed"
json_is '$j->{complete} ? 1 : 0' 0 "JSON: not complete"
json_is 'join " ", map { $j->{candidates}{$_} } qw(signatures proved undecided conditional unseen)' \
	"1 0 1 1 0" "JSON: counts"
predict publish --replay --sarif
status_is 4 "SARIF: exit 4"
json_is 'join " ", map { $j->{runs}[0]{results}[0]{$_} } qw(kind level)' "review none" "SARIF: for review"
json_is '$j->{runs}[0]{results}[0]{properties}{verdict}' conditional "SARIF: the verdict"
json_is '$j->{runs}[0]{results}[0]{properties}{reliesOn}[0]' look "SARIF: what it relies on"
json_is '$j->{runs}[0]{invocations}[0]{exitCode}' 4 "SARIF: exit status"
tests/support/check_sarif <"$tmp/out" >"$tmp/wrong"
result $? "SARIF: as the standard has it"
sed -i '/^meta unknown-function/d' "$tmp/publish.lossy.text"
"$NORN" convert --to binary "$tmp/publish.lossy.text" "$tmp/publish.lossy"
predict publish --replay
out_has '^  Relies on: something that the record does not show$' "nothing is known to be unknown"

# With a bug: that comes first, and its number is that of its witness.
sed '1i #define RACY' "$tmp/publish.c" >"$tmp/both.c"
ask=$((ask + 1))
record "$tmp/both.c"
lose both "s/branch .*\(@.*:$ask:\)/branch reads= \1/"
predict both --keep
out_has '^WARNING: Norn: data race on data ' "both: found"
[ "$(grep '^WARNING' "$tmp/out" | head -1 | grep -c data)" -eq 1 ]
result $? "both: by their events, the false one is first"
predict both --replay --keep
status_is 66 "both: exit 66"
grep -E '^(WARNING|CONDITIONAL)' "$tmp/out" | cut -d' ' -f1-6 >"$tmp/got"
printf '%s\n' 'WARNING: Norn: data race on racy' 'CONDITIONAL: Norn: data race on data' | cmp -s - "$tmp/got"
result $? "both: the confirmed one is first"
out_has '^  See it again: norn replay .*both.lossy#1$' "both: its number"
run timeout 60 "$NORN" replay "$tmp/both.lossy#1"
status_is 66 "both: the first witness is that of the bug"
run timeout 60 "$NORN" replay "$tmp/both.lossy#2"
status_is 4 "both: the second is not"
predict both --replay --json
json_is 'join " ", map { $_->{verdict} } @{$j->{findings}}' "confirmed conditional" "both: JSON"
cp "$tmp/out" "$tmp/both.json"
run timeout 60 "$NORN" replay "$tmp/both.json#1"
status_is 66 "both: the first of the report is the bug"
predict both --replay --sarif
json_is 'join " ", map { "$_->{kind} $_->{level} $_->{properties}{verdict}" } @{$j->{runs}[0]{results}}' \
	"fail error confirmed review none conditional" "both: SARIF"

# A lock that the record takes for two: the thread waits for it, and there is nothing to see.
cat >"$tmp/locked.c" <<'EOF2'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, one = PTHREAD_MUTEX_INITIALIZER,
		       two = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *counts(void *late)
{
	if (late)
		usleep(100000);
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_lock(late ? &one : &two);
	pthread_mutex_lock(late ? &two : &one);
	pthread_mutex_unlock(late ? &two : &one);
	pthread_mutex_unlock(late ? &one : &two);
	pthread_mutex_unlock(&lock);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, counts, NULL);
	pthread_create(&b, NULL, counts, &count);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return count != 2;
}
EOF2
record "$tmp/locked.c"
run "$NORN" predict --replay "$tmp/locked.norn"
status_is 0 "locked: nothing is found"
lose locked '/^T2 /s/\(acquire\|release\) lock/\1 another/'
predict locked --replay --replay-timeout 2
status_is 4 "locked: exit 4"
out_has '^CONDITIONAL: Norn: data race on count ' "locked: the race is conditional"
out_has '^CONDITIONAL: Norn: deadlock of 2 threads ' "locked: so is the deadlock"
out_has 'no thread moved.*; it waits for something that the record does not show$' "locked: the reason"

# A pointer that is not there yet: the program ends.
cat >"$tmp/pointer.c" <<'EOF2'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data, seen;
static int *shared;
static void *publishes(void *unused)
{
	data = 42;
	pthread_mutex_lock(&lock);
	shared = &data;
	pthread_mutex_unlock(&lock);
	return unused;
}
static void *takes(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&lock);
	int *got = shared;
	pthread_mutex_unlock(&lock);
	seen = *got; /* @read */
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, publishes, NULL);
	pthread_create(&b, NULL, takes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return seen != 42;
}
EOF2
record "$tmp/pointer.c"
run "$NORN" predict --replay "$tmp/pointer.norn"
status_is 0 "pointer: nothing is found"
read=$(grep -n '/\* @read \*/' "$tmp/pointer.c" | cut -d: -f1)
lose pointer "/read data .*:$read:/s/ at=[^ ]*//; /branch .*:$read:/s/branch .*@/branch reads= @/"
predict pointer --replay
status_is 4 "pointer: exit 4"
out_has '^CONDITIONAL: Norn: data race on data ' "pointer: conditional"

# What the program's own library does: whatever the record knows of it, none of this is a bug.
cat >"$tmp/library.c" <<'EOF2'
#include <pthread.h>
#include <unistd.h>
void spin_lock(void), spin_unlock(void), sleep_lock(void), sleep_unlock(void), put(void *item);
void *look(void);
static int spun, slept, posted, seen;
static void *first(void *unused)
{
	spin_lock();
	spun++;
	spin_unlock();
	sleep_lock();
	slept++;
	sleep_unlock();
	posted = 1;
	put(&posted);
	return unused;
}
static void *second(void *unused)
{
	usleep(100000);
	spin_lock();
	spun++;
	spin_unlock();
	sleep_lock();
	slept++;
	sleep_unlock();
	int *item = look();
	if (item)
		seen = *item;
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return seen != 1;
}
EOF2
record "$tmp/library.c"
run timeout 100 "$NORN" predict --replay --replay-timeout 3 "$tmp/library.norn"
[ $status -eq 0 ] || [ $status -eq 4 ]
result $? "library: no bug"
no_line '^WARNING' "library: no warning"

# An interrupt while findings are replayed: what was proved is reported, and what was not replayed.
cat >"$tmp/slow.c" <<'EOF2'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int a, b;
static void *work(void *p)
{
	a++;
	b++;
	return p;
}
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	pthread_t t;
	if (write(fd, "x", 1) == 1)
		sleep(3);
	pthread_create(&t, NULL, work, NULL);
	a++;
	b++;
	pthread_join(t, NULL);
	return 0;
}
EOF2
run compile norn "$tmp/slow.c" -w -g -O0 -o "$tmp/slow"
timeout 60 "$NORN" record -o "$tmp/slow.norn" "$tmp/slow" "$tmp/runs" </dev/null >/dev/null 2>&1
rm -f "$tmp/runs"
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$NORN" predict --replay "$tmp/slow.norn" \
	</dev/null >"$tmp/out" 2>"$tmp/err" &
norn=$!
tries=0
while [ ! -s "$tmp/runs" ] && [ $((tries += 1)) -lt 600 ]; do
	sleep 0.1
done
kill -INT $norn
wait $norn
status=$?
command_run="norn predict --replay, then kill -INT"
status_is 66 "interrupted replays: exit 66"
[ "$(grep -c '^WARNING.*; not replayed' "$tmp/out")" -eq 2 ]
result $? "interrupted replays: both races are reported, and that they were not replayed"
out_has 'Norn was stopped' "interrupted replays: and why"
[ "$(wc -c <"$tmp/runs")" -eq 1 ]
result $? "interrupted replays: the program does not run again"

run timeout 60 "$NORN" replay --recorded --order ab "$tmp/library.norn"
status_is 2 "--recorded with an order: exit 2"
finish
