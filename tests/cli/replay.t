#!/bin/sh
# SPDX-License-Identifier: MIT
# norn replay: what is predicted of the examples is forced on them, each time; one order of a race
# crashes and the other does not; what cannot be is told, without a hang.
. tests/cli/lib.sh
. tests/cli/recorded.sh
: "${REPLAYS:=5}"
: "${LEVELS:=-O1}"

# record FILE OPTION…: $work/program, its trace, and the witnesses of all that is found.
record()
{
	name=$(basename "$1")
	work=$tmp/recorded-$name
	rm -rf "$work"
	mkdir "$work"
	compile norn "$1" -w $(directive "$1" flags) $LEVELS -o "$work/program" &&
		timeout 60 "$NORN" record --output "$work/trace.norn" "$work/program" \
			</dev/null >/dev/null 2>&1
	shift
	run "$NORN" predict --keep "$@" "$work/trace.norn"
}

# replay N OPTION…: the N-th finding of the last record.
replay()
{
	finding=$work/trace.norn#$1
	shift
	run timeout 100 "$NORN" replay "$@" "$finding" </dev/null
}

# lines FILE LABEL…: FILE:LINE, in any order, as a pattern of "A and B".
places()
{
	a=$(grep -n "/\* $2 \*/" "$1" | cut -d: -f1)
	b=$(grep -n "/\* $3 \*/" "$1" | cut -d: -f1)
	echo "($1:$a and $1:$b|$1:$b and $1:$a)\$"
}

# Everything that is expected of the examples, again and again.
for program in examples/*.c; do
	[ "$(directive "$program" expect)" != nothing ] || continue
	record "$program"
	status_is 66 "$program: something is predicted"
	findings=$(ls "$work"/trace.norn.*.witness | wc -l)
	n=1
	while [ $n -le "$findings" ]; do
		i=1 shown=0
		while [ $i -le "$REPLAYS" ]; do
			replay $n
			[ $status -ne 66 ] || shown=$((shown + 1))
			[ $status -eq 66 ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
			i=$((i + 1))
		done
		[ $shown -eq "$REPLAYS" ]
		result $? "$program: finding $n is replayed, $REPLAYS times of $REPLAYS"
		n=$((n + 1))
	done
done

# A race: where, and what follows.
record examples/hidden-race.c
replay 1
status_is 66 "a race: exit 66"
out_has "^replayed: both at $(places examples/hidden-race.c @write @read)" "a race: where"
out_has '^  thread T1 stands before a write of 4 bytes at 0x' "a race: the write"
out_has '^  thread T2 stands before a read of 4 bytes at 0x' "a race: the read"
out_has '^    #0 writer examples/hidden-race.c:[0-9]+$' "a race: the stack"
[ "$(sed -n 's/.* at \(0x[0-9a-f]*\):$/\1/p' "$tmp/out" | sort -u | wc -l)" -eq 1 ]
result $? "a race: one address"
out_has '^ab: T[12] first: exit status 0, as recorded$' "a race: one order"
out_has '^ba: T[12] first: exit status 0, as recorded$' "a race: the other"
replay 1 --order ba
out_has '^ba: ' "--order ba"
[ "$(grep -c '^ab: ' "$tmp/out")" -eq 0 ]
result $? "--order ba: not the other"
replay 1 --json
status_is 66 "--json: exit 66"
json_is '$j->{format}' norn-replay "--json: format"
json_is '$j->{replayed} ? 1 : 0' 1 "--json: replayed"
json_is 'join " ", map { $_->{order} } @{$j->{runs}}' "ab ba" "--json: the runs"
json_is '$j->{runs}[0]{result}' replayed "--json: the result"
json_is 'join " ", sort map { $_->{thread} } @{$j->{runs}[0]{threads}}' "T1 T2" "--json: threads"
json_is '$j->{runs}[0]{threads}[0]{address} == $j->{runs}[0]{threads}[1]{address}' 1 \
	"--json: one address"
replay 1 --env
err_has '^norn: program: .*/program$' "--env: the program"
err_has "^norn: directory: $PWD\$" "--env: the directory"

# A crash, in exactly one order.
record examples/null-pointer.c
for i in 1 2 3; do
	replay 1
	out_has '^ab: T1 first: exit status 0, as recorded$' "null-pointer: the use first"
	out_has '^ba: T2 first: signal 11 .*; recorded: exit status 0$' "null-pointer: crashes"
done

# A failed assertion.
cat >"$tmp/asserts.c" <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int ready;
static void *waits(void *unused) { usleep(100000); assert(ready); return unused; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, waits, 0);
	ready = 1;
	pthread_join(t, 0);
}
EOF
record "$tmp/asserts.c"
replay 1
status_is 66 "an assertion: exit 66"
out_has 'first: signal 6 .*: .*Assertion .ready. failed.*; recorded: exit status 0$' "an assertion fails"

# A deadlock.
record examples/deadlock.c
replay 1
status_is 66 "a deadlock: exit 66"
out_has '^replayed: blocked at examples/deadlock.c:[0-9]+ and examples/deadlock.c:[0-9]+$' \
	"a deadlock: where"
out_has '^  thread T1 is blocked in a lock:$' "a deadlock: one thread"
out_has '^  thread T2 is blocked in a lock:$' "a deadlock: the other"
out_has '^  thread main is blocked in a join:$' "a deadlock: who waits for them"
out_has '^    #0 transfer examples/deadlock.c:[0-9]+$' "a deadlock: the stack"

# Stuck threads: a signal that comes too early.
cat >"$tmp/missed.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static void *signals(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, signals, 0);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(t, 0);
}
EOF
record "$tmp/missed.c" --bugs stuck
status_is 66 "a missed signal is predicted"
replay 1
status_is 66 "a missed signal: exit 66"
out_has '^  thread main is blocked in (a wait|an end of a wait):$' "a missed signal: who waits"

# A deadlock of two while a third thread moves for ever.
cat >"$tmp/spins.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int stop, turns;
static void *spins(void *unused)
{
	while (!stop) {
		turns++;
		usleep(100);
	}
	return unused;
}
static void *ab(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}
static void *ba(void *unused)
{
	usleep(20000);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}
int main(void)
{
	pthread_t s, t, u;
	pthread_create(&s, 0, spins, 0);
	pthread_create(&t, 0, ab, 0);
	pthread_create(&u, 0, ba, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
EOF
record "$tmp/spins.c" --bugs deadlock
replay 1 --timeout 2
status_is 66 "a deadlock beside a thread that spins: exit 66"
out_has '^replayed: blocked at .*spins.c:16 and .*spins.c:25; blocked for [0-9.]+ seconds, while other threads continued$' \
	"a deadlock beside a thread that spins: it is told"
out_has '^  thread T1 (runs|is blocked)' "a deadlock beside a thread that spins: that thread"
replay 1 --timeout 2 --json
json_is '$j->{runs}[0]{blocked_for} > 0 ? 1 : 0' 1 "a deadlock beside a thread that spins: --json"

# Arguments, directory, environment and input are as they were.
cat >"$tmp/given.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int x;
static void *other(void *unused) { x = 1; return unused; }
int main(int argc, char **argv)
{
	char line[100], here[1000];
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	usleep(50000);
	x = 2;
	pthread_join(t, 0);
	printf("%d [%s] [%s] %s %s %s", argc, argv[1], argv[2], getcwd(here, sizeof here),
		getenv("LC_NORN_TEST"), fgets(line, sizeof line, stdin));
}
EOF
compile norn "$tmp/given.c" -w -o "$tmp/given"
mkdir "$tmp/there"
echo "a line" >"$tmp/line"
(cd "$tmp/there" && LC_NORN_TEST="1 2%" "$NORN" record -o ../given.norn ../given "a b" "" \
	<../line >../want 2>/dev/null)
"$NORN" predict --keep "$tmp/given.norn" >/dev/null
run timeout 60 "$NORN" replay --order ab "$tmp/given.norn#1" </dev/null
status_is 66 "things given back: exit 66"
sed -n 's/^  | //p' "$tmp/out" >"$tmp/got"
same_files "$tmp/want" "$tmp/got" "arguments, directory, environment and input are given back"

# --record: the replayed run is a trace.
record examples/hidden-race.c
replay 1 --record "$tmp/again.norn" --order ba
status_is 66 "--record: exit 66"
run "$NORN" check "$tmp/again.norn"
status_is 0 "--record: the trace is consistent"
run "$NORN" predict "$tmp/again.norn"
status_is 66 "--record: the race is in it, too"
run timeout 60 "$NORN" predict --replay "$tmp/again.norn"
out_has 'confirmed: certified and replayed' "--record: and can be replayed"

# A finding of a report.
"$NORN" predict --json -o "$work/report.json" "$work/trace.norn"
replay_of()
{
	run timeout 100 "$NORN" replay "$@" </dev/null
}
replay_of --order ab "$work/report.json#1"
status_is 66 "a report: exit 66"
out_has "^replayed: both at $(places examples/hidden-race.c @write @read)" "a report: where"
replay_of --order ab --json "$work/report.json#1"
json_is '$j->{witness}' "$work/report.json#1" "a report: its name"
replay_of "$work/report.json#2"
status_is 3 "a report, no such finding: exit 3"
err_has 'report.json: there is no finding 2, there are 1$' "a report, no such finding: a message"
replay_of "$work/report.json#0"
status_is 3 "a report, finding 0: exit 3"
replay_of --trace "$work/trace.norn" "$work/trace.norn#1"
status_is 2 "--trace with a trace: exit 2"
mkdir "$work/moved"
mv "$work/trace.norn" "$work/moved/other.norn"
replay_of "$work/report.json#1"
status_is 3 "a report whose trace is gone: exit 3"
err_has 'trace.norn, the trace of .*report.json, does not exist: name the trace with --trace$' \
	"a report whose trace is gone: a message"
replay_of --order ab --trace "$work/moved/other.norn" "$work/report.json#1"
status_is 66 "a report whose trace was moved: --trace"
mv "$work/moved/other.norn" "$work/moved/trace.norn"
mv "$work/report.json" "$work/moved/"
replay_of --order ab "$work/moved/report.json#1"
status_is 66 "a report that was moved with its trace"
timeout 60 "$NORN" record -o "$work/trace.norn" "$work/program" </dev/null >/dev/null 2>&1
replay_of "$work/moved/report.json#1"
status_is 3 "a report of another trace: exit 3"
err_has 'trace.norn is not the trace of .*report.json: predict again, or name the right trace with --trace$' \
	"a report of another trace: a message"
mv "$work/moved/trace.norn" "$work/trace.norn"
"$NORN" predict --sarif -o "$work/report.sarif" "$work/trace.norn"
replay_of "$work/report.sarif#1"
status_is 3 "SARIF: exit 3"
err_has 'report.sarif: not a report of norn predict --json$' "SARIF: a message"
head -c 500 "$work/moved/report.json" >"$work/half.json"
replay_of "$work/half.json#1"
status_is 3 "half a report: exit 3"
err_has 'half.json: not JSON, or cut short$' "half a report: a message"
sed 's/"version": 3/"version": 4/' "$work/moved/report.json" >"$work/new.json"
replay_of "$work/new.json#1"
err_has 'new.json: a report of another version: predict again$' "a report of another version: a message"

# A witness that cannot be: the reader takes the lock while the writer has it.
run "$NORN" show "$work/trace.norn"
first=$(awk '$2 == "T1" && $3 == "acquire" { print $1 + 0; exit }' "$tmp/out")
second=$(awk '$2 == "T2" && $3 == "acquire" { print $1 + 0; exit }' "$tmp/out")
forks=$(awk '$2 == "main" && $3 == "begin" || $3 == "fork" || $3 == "begin" { printf "%d ", $1 }' "$tmp/out")
next1=$(awk -v n="$first" '$2 == "T1" && $1 + 0 > n { print $1 + 0; exit }' "$tmp/out")
next2=$(awk -v n="$second" '$2 == "T2" && $1 + 0 > n { print $1 + 0; exit }' "$tmp/out")
cat >"$tmp/bad.witness" <<EOF
norn-witness 1
model maximal
bug race $next1 $next2
run $forks $first $second
end
EOF
run timeout 60 "$NORN" replay --timeout 2 --witness "$tmp/bad.witness" "$work/trace.norn"
status_is 4 "an infeasible witness: exit 4"
out_has "^not replayed: no thread moved when it was the turn of thread T2, a lock at examples/hidden-race.c:[0-9]+ \(event $second," \
	"an infeasible witness: whose turn it was"
out_has '^  thread T2 is blocked in a lock' "an infeasible witness: where it is"

# Another way: the program does something else than it did.
cat >"$tmp/other.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
int x, y;
static void *other(void *way)
{
	if (way)
		y = 1; /* @elsewhere */
	x = 1; /* @here */
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, access("flag", F_OK) ? 0 : &x);
	usleep(50000);
	y = x;
	x = 2;
	pthread_join(t, 0);
}
EOF
record "$tmp/other.c"
(cd "$tmp" && "$NORN" record -o other.norn recorded-other.c/program && "$NORN" predict --keep other.norn) >/dev/null 2>&1
: >"$tmp/flag"
run timeout 60 "$NORN" replay --timeout 2 "$tmp/other.norn#1"
status_is 4 "another way: exit 4"
out_has '^not replayed: thread T1 reached a write at .*other.c:7 instead of a write at .*other.c:8 ' \
	"another way: what instead of what"
rm -f "$tmp/flag"

# Copies and library functions go piece by piece, as addresses have it: in another run a race may be in
# another piece, or there may be but one.
cat >"$tmp/pieces.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct wide { char start[150]; char end[10]; };
static char *place(size_t offset)
{
	char *block = aligned_alloc(64, 1024);
	return block + offset * (access("flag", F_OK) != 0);
}
static struct wide *shared, *mine, *text;
static char *grown;
static struct wide passed(struct wide w) { return w; }
static void *other(void *unused)
{
	usleep(100000);
	mine[0] = *shared;
	memcpy(&mine[1], &shared[1], sizeof(*mine));
	printf("%s %s\n", mine[0].start, shared[2].end);
	if (!strcmp("a text", shared[3].start))
		puts("equal");
	memset(&shared[4], 1, sizeof(*shared));
	snprintf(shared[5].start, sizeof(shared[5].start), "%s %s", mine[0].start, text->start);
	mine[0] = passed(shared[6]);
	shared[7] = mine[1];
	grown = realloc(grown, 2000);
	puts(strchr(shared[8].start, 'x') ? "x" : "-");
	return unused;
}
int main(void)
{
	pthread_t t;
	shared = (struct wide *)calloc(1, 4096);
	mine = (struct wide *)place(60);
	memset(mine, 0, 2 * sizeof(*mine));
	text = (struct wide *)place(30);
	strcpy(text->start, "some text");
	memset(shared[8].start, 'y', 140);
	grown = malloc(1000);
	pthread_create(&t, 0, other, 0);
	shared[0].end[3] = 1;
	shared[1].end[3] = 1;
	shared[2].end[0] = 'a';
	shared[3].start[0] = 'b';
	shared[4].end[3] = 1;
	shared[5].start[3] = 1;
	shared[6].end[3] = 1;
	shared[7].end[3] = 1;
	shared[8].start[135] = 'x';
	grown[500] = 1;
	pthread_join(t, 0);
	return 0;
}
EOF
compile norn "$tmp/pieces.c" -w $LEVELS -o "$tmp/pieces"
(cd "$tmp" && "$NORN" record -o pieces.norn ./pieces && "$NORN" predict --keep pieces.norn) \
	>/dev/null 2>&1
findings=$(ls "$tmp"/pieces.norn.*.witness | wc -l)
[ "$findings" -ge 10 ]
result $? "pieces: $findings races are predicted"
for moved in no yes; do
	[ $moved = no ] || : >"$tmp/flag"
	n=1 shown=0
	while [ $n -le "$findings" ]; do
		run timeout 100 "$NORN" replay --order ba "$tmp/pieces.norn#$n" </dev/null
		[ $status -ne 66 ] || shown=$((shown + 1))
		[ $status -eq 66 ] || sed 's/^/# /' "$tmp/out"
		n=$((n + 1))
	done
	[ $shown -eq "$findings" ]
	result $? "pieces: $shown of $findings are replayed, elsewhere in memory: $moved"
done
rm -f "$tmp/flag"

# What libstdc++ does on its own: it frees a string that another thread prints, starts threads and joins them.
cat >"$tmp/library.cpp" <<'EOF'
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
static std::string text = "a text that is long enough for the heap and for two lines of the cache, at least";
int main()
{
	std::thread t([] {
		std::this_thread::sleep_for(std::chrono::milliseconds(100));
		text += text;
	});
	std::printf("%s\n", text.c_str());
	t.join();
}
EOF
record "$tmp/library.cpp"
status_is 66 "libstdc++: something is predicted"
findings=$(ls "$work"/trace.norn.*.witness | wc -l)
n=1 shown=0
while [ $n -le "$findings" ]; do
	replay $n
	[ $status -ne 66 ] || shown=$((shown + 1))
	[ $status -eq 66 ] || sed 's/^/# /' "$tmp/out"
	n=$((n + 1))
done
[ $shown -eq "$findings" ]
result $? "libstdc++: $shown of $findings are replayed"

# Static programs.
for program in examples/hidden-race.c examples/deadlock.c "$tmp/library.cpp"; do
	compile norn "$program" -w -static $LEVELS -o "$tmp/static"
	run timeout 100 "$NORN" run -o "$tmp/static.norn" "$tmp/static" </dev/null
	status_is 66 "a static program: something is found"
	[ "$(grep -c '^WARNING' "$tmp/out")" -eq "$(grep -c '^WARNING.*(confirmed' "$tmp/out")" ]
	result $? "a static program: all of it is confirmed"
done

# Handlers of signals: sent by another thread, by the thread itself, by a timer.
cat >"$tmp/handlers.c" <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t handled;
static int turns, from_kill, from_raise, from_timer;
static void on_kill(int number) { turns++; from_kill = number; handled = 1; }
static void on_raise(int number) { turns++; from_raise = number; }
static void on_timer(int number) { turns++; from_timer = number; handled = 2; }
static void *works(void *unused)
{
	while (!handled) {
		turns++;
		usleep(100);
	}
	raise(SIGUSR2);
	ualarm(50000, 0);
	while (handled != 2) {
		turns++;
		usleep(100);
	}
	return unused;
}
int main(void)
{
	pthread_t t;
	sigset_t set;
	signal(SIGUSR1, on_kill);
	signal(SIGUSR2, on_raise);
	signal(SIGALRM, on_timer);
	pthread_create(&t, 0, works, 0);
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	usleep(10000);
	pthread_kill(t, SIGUSR1);
	usleep(200000);
	from_kill = 100;
	from_raise = 100;
	from_timer = 100;
	pthread_join(t, 0);
	printf("%d %d %d\n", from_kill, from_raise, from_timer);
}
EOF
record "$tmp/handlers.c"
status_is 66 "handlers: races are predicted"
[ "$(ls "$work"/trace.norn.*.witness | wc -l)" -eq 3 ]
result $? "handlers: three"
for n in 1 2 3; do
	replay $n
	status_is 66 "handlers: race $n is replayed"
	out_has '^    #0 on_(kill|raise|timer) ' "handlers: race $n, where"
done

# A signal that does not come again: the handler was run by what the outside did.
cat >"$tmp/alone.c" <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t handled;
int x;
static void on_signal(int number) { x = number; handled = 1; }
static void *other(void *unused) { usleep(500000); x = 2; return unused; }
int main(void)
{
	pthread_t t;
	signal(SIGUSR1, on_signal);
	pthread_create(&t, 0, other, 0);
	if (access("flag", F_OK))
		pthread_kill(pthread_self(), SIGUSR1);
	handled++;
	pthread_join(t, 0);
}
EOF
compile norn "$tmp/alone.c" -w $LEVELS -o "$tmp/alone"
(cd "$tmp" && "$NORN" record -o alone.norn ./alone && "$NORN" predict --keep alone.norn) >/dev/null 2>&1
run timeout 100 "$NORN" replay "$tmp/alone.norn#1" </dev/null
status_is 66 "a signal comes again: exit 66"
: >"$tmp/flag"
run timeout 100 "$NORN" replay --timeout 2 "$tmp/alone.norn#1" </dev/null
status_is 4 "a signal does not come again: exit 4"
out_has '^not replayed: no thread moved.*; thread main waits for signal 10 \(User defined signal 1\), whose handler ran there in the recorded run$' \
	"a signal does not come again: a message"
rm -f "$tmp/flag"

# The program is not what it was.
record examples/hidden-race.c
mv "$work/program" "$work/gone"
replay 1
status_is 3 "no program: exit 3"
err_has "^norn: .*/program, which was recorded: No such file" "no program: a message"
compile norn examples/hidden-race.c -w -O0 -o "$work/program"
replay 1
status_is 3 "another program: exit 3"
err_has 'has changed since it was recorded: its build id is .*; record it again' "another program: a message"
run "$NORN" replay --witness $conformance/none.witness $conformance/peterson.trace
status_is 3 "no witness: exit 3"
printf 'norn-witness 1\nmodel maximal\nbug race 1 2\nend\n' >"$tmp/w"
printf 'main write x 1\nT1 write x 2\n' >"$tmp/t"
run "$NORN" replay --witness "$tmp/w" "$tmp/t"
status_is 3 "not recorded: exit 3"
err_has 'does not contain a command' "not recorded: a message"
run "$NORN" replay "$tmp/t"
status_is 2 "which finding? exit 2"
run "$NORN" replay "$tmp/t#x"
status_is 2 "no number: exit 2"

# A program that does not end after the race.
cat >"$tmp/endless.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
int stop;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *sets(void *unused) { stop = 1; pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return unused; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, sets, 0);
	usleep(100000);
	pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock);
	if (!stop)
		for (;;)
			pause();
	pthread_join(t, 0);
}
EOF
record "$tmp/endless.c"
replay 1 --timeout 2
status_is 66 "no end: exit 66"
out_has 'first: did not end by itself; recorded: exit status 0$' "no end: it is told"

# A program that changes the file which it reads: it goes another way, until the file is put back.
cat >"$tmp/file.c" <<'END'
#include <pthread.h>
#include <stdio.h>
static int count, old;
static void *work(void *path)
{
	FILE *f = fopen(path, "r+");
	if (f && fscanf(f, "%d", &old) == 1 && old == 1) {
		rewind(f);
		fprintf(f, "%d\n", old + 1);
	}
	if (f)
		fclose(f);
	if (old == 1)
		count++;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, work, argv[1]);
	count += argc;
	pthread_join(t, NULL);
	return 0;
}
END
work=$tmp/recorded-file
mkdir "$work"
"$bin/norn-cc" -O1 "$tmp/file.c" -o "$work/program"
echo 1 >"$tmp/file"
timeout 60 "$NORN" record --output "$work/trace.norn" "$work/program" "$tmp/file"
run "$NORN" predict --keep "$work/trace.norn"
replay 1 --order ab
status_is 4 "a file that has changed"
out_has '^Files are read again' "... what to do"
echo 1 >"$tmp/file"
replay 1 --order ab
status_is 66 "... and was put back"

# The end of a local is a place to stop at, of the one that the other thread uses.
cat >"$tmp/local.c" <<'END'
#include <pthread.h>
#include <unistd.h>
struct job {
	int input, output;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *work(void *p)
{
	struct job *job = p;
	job->output = job->input + 1;
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_mutex_unlock(&lock);
	usleep(10000);
	job->output++; /* @use */
	return NULL;
}
static pthread_t thread;
static int start(void)
{
	struct job other = {1, 0}, job = {2, 0};
	int seen;
	work(&other);
	done = 0;
	pthread_create(&thread, NULL, work, &job);
	do {
		usleep(1000);
		pthread_mutex_lock(&lock);
		seen = done;
		pthread_mutex_unlock(&lock);
	} while (!seen);
	usleep(100000);
	return other.output - 3;
} /* @end */
int main(void)
{
	int result = start();
	pthread_join(thread, NULL);
	return result;
}
END
record "$tmp/local.c"
replay 1
status_is 66 "a use of a local after its end"
out_has "^replayed: both at $(places "$tmp/local.c" @use @end)" "... where"
out_has '^  thread main stands before an end of a local variable of 8 bytes at 0x' "... what"

# A comparison reads both strings in one step: a thread stops at the second one, too, which may be
# the first.
cat >"$tmp/compared.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char text[16];
static int turns;
static void *compare(void *unused)
{
	const char *volatile p = text;
	for (int i = 0; i < 2; i++) {
		turns++;
		if (strcmp(p, p)) /* @compare */
			return unused;
	}
	return NULL;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, compare, NULL);
	usleep(50000);
	snprintf(text, sizeof text, "%d", 5); /* @print */
	pthread_join(thread, NULL);
	return turns - 2;
}
END
record "$tmp/compared.c"
replay 1
status_is 66 "both strings of a comparison are one"
out_has "^replayed: both at $(places "$tmp/compared.c" @compare @print)" "... where"

finish
