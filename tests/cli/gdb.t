#!/bin/sh
# SPDX-License-Identifier: MIT
# norn replay --gdb: what gdb is started with, what it says at the bug, and the commands that let the
# bug happen step by step.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# record FILE OPTION…: $work/program, its trace, and the witnesses of all that is found.
record()
{
	file=$1
	shift
	work=$tmp/recorded-$(basename "$file")
	mkdir "$work"
	compile norn "$file" -w -g -O0 "$@" -o "$work/program" &&
		timeout 60 "$NORN" record --output "$work/trace.norn" "$work/program" </dev/null >/dev/null 2>&1
	run "$NORN" predict --keep "$work/trace.norn"
}

# in_gdb OPTION… -- COMMAND…: of the last record's first finding; addresses are ADDRESS.
in_gdb()
{
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	for command in "$@"; do
		shift
		set -- "$@" --gdb-command "$command"
	done
	run timeout 100 "$NORN" replay --gdb $options "$@" "$work/trace.norn#1" </dev/null
	sed -i 's/0x[0-9a-f]*/ADDRESS/g' "$tmp/out"
}

# has LINE NAME: exactly this line
has()
{
	grep -Fxq -e "$1" "$tmp/out"
	result $? "$2"
}

# how it is started
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "$@" >"%s"\ncp "$4" "%s"\n' "$tmp/gdb-words" "$tmp/gdb.py" >"$tmp/bin/gdb"
chmod +x "$tmp/bin/gdb"
record examples/hidden-race.c
run env PATH="$tmp/bin:$PATH" timeout 60 "$NORN" replay --gdb --gdb-command "info threads" \
	"$work/trace.norn#1" </dev/null
status_is 66 "exit 66"
grep -Eq '^-q -batch -x [^ ]*/gdb.py -ex info threads$' "$tmp/gdb-words"
result $? "the command line"
grep -q '^NORN = {' "$tmp/gdb.py" && grep -q '"program": [1-9]' "$tmp/gdb.py"
result $? "the script knows the program"
if ! command -v gdb >/dev/null || ! gdb -batch -ex 'python print(1)' 2>/dev/null | grep -q 1; then
	echo "ok $((tests += 1)) - in gdb # SKIP no gdb with Python"
	finish
	exit
fi

# a race
in_gdb -- "thread apply all bt" "info threads"
status_is 66 "a race: exit 66"
has "Norn: race, both at examples/hidden-race.c:18 and examples/hidden-race.c:30" "a race: the first line"
has "  thread T1 stands before a write of 4 bytes at message (ADDRESS), which is 0" "a race: what a thread stands before"
has "    writer at examples/hidden-race.c:18" "a race: where"
has "    18    message = 42; /* @write */" "a race: the line"
has "next: thread T1 at examples/hidden-race.c:18: a write of 4 bytes at message (ADDRESS), which is 0" "a race: what is next"
out_has ' writer \(' "a race: backtraces have the threads' functions"
out_has ' reader \(' "a race: of both"
! grep -q '^#.*norn-runtime' "$tmp/out"
result $? "a race: and nothing of the runtime"
out_has '^\* [0-9].*"T1"' "a race: threads have names, and the first one is selected"
in_gdb -- "norn step-event" "bt" "norn threads" "norn order ba" "norn step-event" "norn next" "norn step-event"
has "thread T1: a write of 4 bytes at message (ADDRESS) is done: it is 42, and was 0" "step-event: the write is made"
has "next: thread T2 at examples/hidden-race.c:30: a read of 4 bytes at message (ADDRESS), which is 42" "step-event: then comes the read"
out_has '^#0 .*writer \(' "step-event: the thread stands in the program"
has "  thread main is held until the bug has happened" "threads: the others are held"
has "thread T2: a read of 4 bytes at message (ADDRESS) is done: it is 42" "step-event: the read is made"
[ "$(grep -c 'next: nothing; the bug has happened' "$tmp/out")" -eq 3 ]
result $? "step-event: nothing is left"
err_has 'The first access has been made' "order: not when one access is made"
has "  | 0 message(s), the last is 42" "step-event: the program goes on, and ends"
in_gdb -- "norn order ba" "norn step-event"
has "thread T2: a read of 4 bytes at message (ADDRESS) is done: it is 0" "order ba: the read is made first"
has "ba: T2 first: exit status 0, as recorded" "order ba: and the result says so"
in_gdb --order ba -- "norn next" "norn order ab" "norn order aa"
has "next: thread T2 at examples/hidden-race.c:30: a read of 4 bytes at message (ADDRESS), which is 0" "--order ba: the read is next"
err_has 'norn order ab, or norn order ba' "order: another word"
has "ab: T1 first: exit status 0, as recorded" "order ab: the result says so"
in_gdb -- "continue"
out_has 'exited normally' "continue: all threads go"
status_is 66 "continue: exit 66"

# a deadlock: they go all at once
record examples/deadlock.c
in_gdb -- "norn order ab" "norn step-event" "norn threads"
err_has 'Only a race has two orders' "a deadlock: it has no orders"
has "  thread T1 stands before a lock of y (ADDRESS), which T2 holds" "a deadlock: who holds the lock"
has "next: they go on, and wait for ever." "a deadlock: what is next"
has "  thread T2 is blocked in a lock of x (ADDRESS), which T1 holds" "a deadlock: step-event: they are blocked"
[ "$(grep -c '^    transfer at examples/deadlock.c:22$' "$tmp/out")" -ge 4 ]
result $? "a deadlock: where, not in the library"
has "next: nothing; they wait for ever." "a deadlock: nothing is next"
status_is 66 "a deadlock: exit 66"

# a copy of several pieces: its thread would wait for the other one within it
cat >"$tmp/copy.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
static char shared[300], from[300], to[300];
static void *one(void *p)
{
	pthread_setname_np(pthread_self(), "<one>");
	return memcpy(shared, from, sizeof from);
}
static void *two(void *p)
{
	return memcpy(to, shared, sizeof to);
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
END
record "$tmp/copy.c"
in_gdb --order ba -- "norn step-event" "norn step-event" "info threads"
out_has '^thread T2: a read of [0-9]* bytes at .*shared.* is done' "a copy: one piece of it is made"
out_has '^thread <one> \(T1\): a write of [0-9]* bytes at .*shared.* is done' "a copy: and the other thread's, by its name"
out_has '"<one> \(T1\)"' "a copy: gdb has the name, too"
status_is 66 "a copy: exit 66"

# no bug, no stops
run timeout 100 "$NORN" replay --gdb --recorded --gdb-command "norn threads" --gdb-command "norn next" \
	"$work/trace.norn" </dev/null
has "Norn: the end of the schedule" "--recorded: the first line"
has "  thread T2 has ended" "--recorded: threads"
err_has 'no thread stands before one' "--recorded: nothing is next"
finish
