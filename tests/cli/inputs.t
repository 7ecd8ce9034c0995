#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program is given from outside decides which way it goes; norn replay gives it back. Each program
# goes one of 2^32 ways and then comes to its race: without the inputs, another one.
. tests/cli/lib.sh
. tests/cli/recorded.sh
: "${REPLAYS:=5}"

cat >"$tmp/ways.h" <<'EOF'
long zeros, ones, ready;
/* functions of their own: compilers make one access of the two arms, whose address is chosen */
static __attribute__((noinline)) void one(void) { ones++; }
static __attribute__((noinline)) void zero(void) { zeros++; }
static void go(unsigned long number)
{
	unsigned way = (unsigned)(number * 0x9e3779b97f4a7c15u >> 32);
	for (int i = 0; i < 32; i++)
		if (way >> i & 1)
			one();
		else
			zero();
}
EOF
cat >"$tmp/ways.c" <<'EOF'
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "ways.h"
static const char *by;
static int is(const char *name) { return !strcmp(by, name); }
static unsigned long ask(void)
{
	struct timespec now = {0};
	struct timeval day;
	struct rusage usage;
	struct tms times_now;
	unsigned long number = 0, more = 0;
	char text[200] = "", *line = NULL;
	size_t room = 0;
	int n = 0;
	if (is("clock_gettime"))
		clock_gettime(CLOCK_MONOTONIC, &now);
	else if (is("cpu"))
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	else if (is("timespec_get"))
		timespec_get(&now, TIME_UTC);
	else if (is("gettimeofday"))
		gettimeofday(&day, NULL), number = (unsigned long)day.tv_usec;
	else if (is("clock"))
		number = (unsigned long)clock();
	else if (is("getrusage"))
		getrusage(RUSAGE_SELF, &usage), number = usage.ru_stime.tv_usec + usage.ru_utime.tv_usec;
	else if (is("times"))
		number = (unsigned long)times(&times_now);
	else if (is("rand"))
		srand((unsigned)time(NULL) * 7919u + (unsigned)getpid()), number = (unsigned)rand();
	else if (is("random"))
		srandom((unsigned)getpid()), number = (unsigned long)random();
	else if (is("drand48"))
		srand48(getpid()), number = (unsigned long)(drand48() * 1e9);
	else if (is("lrand48"))
		srand48(getpid()), number = (unsigned long)lrand48() ^ (unsigned long)mrand48();
	else if (is("arc4random"))
		number = arc4random() ^ arc4random_uniform(1000), arc4random_buf(&more, 8);
	else if (is("getrandom"))
		n = (int)getrandom(&number, sizeof number, 0);
	else if (is("getentropy"))
		n = getentropy(&number, sizeof number);
	else if (is("device")) {
		int fd = open("/dev/urandom", O_RDONLY);
		struct iovec parts[2] = {{&more, 3}, {&number, 5}};
		n = (int)read(fd, &number, sizeof number);
		n = (int)readv(fd, parts, 2);
		close(fd);
	} else if (is("stream")) {
		/* in all the ways that are not by a format; a line may be long there */
		FILE *f = fopen("/dev/urandom", "r");
		n = (int)fread(&number, sizeof number, 1, f);
		more = (unsigned char)getc(f) | (unsigned char)getc_unlocked(f) << 8;
		ungetc('x', f), more ^= (unsigned)getc(f) << 16;
		line = fgets(text, sizeof text, f), more ^= (unsigned char)text[0] << 24;
		line = NULL, number ^= (unsigned long)getline(&line, &room, f) << 32;
		ungetc('y', f);
		for (int i = 0; i < 5000; i++)
			more = more * 31 + (unsigned)getc_unlocked(f);
		fclose(f);
	} else if (is("kernel")) {
		FILE *f = fopen("/proc/sys/kernel/random/uuid", "r");
		int fd = open("/proc/uptime", O_RDONLY);
		line = fgets(text, sizeof text, f), number = strtoul(text, NULL, 16);
		fclose(f);
		n = (int)read(fd, text, 100), text[n < 0 ? 0 : n] = 0, more = (unsigned long)atof(text);
		close(fd);
		/* of the process itself, and so never given back: we are near the start of it */
		f = fopen("/proc/self/maps", "r");
		line = fgets(text, sizeof text, f);
		fclose(f);
		if ((unsigned long)ask - strtoul(text, NULL, 16) > 1ul << 24)
			abort();
	} else if (is("end")) {
		while (getchar() != EOF)
			number++;
		number = number * 31 + (feof(stdin) != 0);
	} else if (is("scanf"))
		n = scanf("%lu %lu", &number, &more);
	else if (is("fgets"))
		line = fgets(text, sizeof text, stdin), number = strtoul(text, NULL, 10);
	else if (is("getline"))
		n = (int)getline(&line, &room, stdin), number = n < 0 ? 0 : strtoul(line, NULL, 10);
	else if (is("read")) {
		/* what comes, and in how many pieces */
		for (; (n = (int)read(0, text, sizeof text)) > 0; number = number * 31 + (unsigned)n)
			for (int i = 0; i < n; i++)
				number = number * 31 + (unsigned char)text[i];
	} else if (is("poll")) {
		/* how often nothing is there yet */
		struct pollfd in = {.fd = 0, .events = POLLIN};
		while (poll(&in, 1, 1) == 0)
			number++;
	} else if (is("select")) {
		fd_set in;
		struct timeval limit;
		do {
			FD_ZERO(&in);
			FD_SET(0, &in);
			limit = (struct timeval){0, 1000};
			number++;
		} while (select(1, &in, NULL, NULL, &limit) == 0);
	}
	return number ^ more << 7 ^ (unsigned long)now.tv_nsec ^ (unsigned long)n << 32;
}
static void *work(void *unused)
{
	go(ask());
	ready = 1; /* @write */
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t;
	by = argc > 1 ? argv[1] : "";
	pthread_create(&t, NULL, work, NULL);
	usleep(20000);
	long seen = ready; /* @read */
	pthread_join(t, NULL);
	printf("%ld %ld\n", zeros, ones);
	return seen > 1;
}
EOF

# replayed NAME TRACE [END]: the first finding, again and again; another standard input than the recorded one.
replayed()
{
	i=1 shown=0
	while [ $i -le "$REPLAYS" ]; do
		run timeout 100 "$NORN" replay --order ab "$2#1" </dev/null
		[ $status -ne 66 ] || shown=$((shown + 1))
		[ $status -eq 66 ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
		i=$((i + 1))
	done
	[ $shown -eq "$REPLAYS" ]
	result $? "$1: replayed, $REPLAYS times of $REPLAYS"
	# exit status 0 and what was printed: it went the same way to its end
	out_has "^ab: .*${3:-exit status 0}, as recorded\$" "$1: ends as recorded"
}

# recorded NAME INPUT COMMAND…: its trace is $trace, with the witnesses. INPUT is a command that
# writes what the program gets through a pipe; "": its standard input is empty.
recorded()
{
	trace=$tmp/$1.norn
	input=$2
	shift 2
	if [ -n "$input" ]; then
		eval "$input" | timeout 60 "$NORN" record --output "$trace" "$@"
	else
		timeout 60 "$NORN" record --output "$trace" "$@" </dev/null
	fi >"$tmp/printed" 2>"$tmp/err"
	run "$NORN" predict --keep --bugs race "$trace"
	status_is 66 "$(basename "$trace" .norn): a race is predicted"
}

# lost NAME: the same trace without its inputs.
lost()
{
	"$NORN" convert --to text "$trace" "$tmp/text" 2>/dev/null
	grep -v '^meta inputs ' "$tmp/text" >"$tmp/less"
	"$NORN" convert --from text --to binary "$tmp/less" "$tmp/lost.norn" 2>/dev/null
	cp "$trace.1.witness" "$tmp/lost.norn.1.witness"
	run timeout 100 "$NORN" replay --trust --timeout 5 --order ab "$tmp/lost.norn#1" </dev/null
	status_is 4 "$1: not without the inputs"
	out_has '^not replayed: thread T1 (reached|ended)' "$1: and it is told where"
}

compile norn "$tmp/ways.c" -O1 -o "$tmp/ways"
result $? "the program is compiled"
for by in clock_gettime cpu timespec_get gettimeofday rand random drand48 lrand48 arc4random getrandom \
	getentropy device stream kernel; do
	recorded "$by" "" "$tmp/ways" "$by"
	replayed "$by" "$trace"
	printed=$(cat "$tmp/printed")
	out_has "^  \\| $printed\$" "$by: prints the same"
	lost "$by"
	out_has '; [0-9]+ calls needed inputs \(time, random numbers and so on\) that are not in the trace' \
		"$by: why"
done
# These may be the same the next time.
for by in clock getrusage times; do
	recorded "$by" "" "$tmp/ways" "$by"
	replayed "$by" "$trace"
done

# A static program.
compile norn "$tmp/ways.c" -static -w -O1 -o "$tmp/ways-static" 2>"$tmp/err"
for by in clock_gettime rand stream; do
	recorded "static-$by" "" "$tmp/ways-static" $by
	replayed "static, $by" "$trace"
done

# Standard input, through a pipe: whoever in libc reads it.
for by in scanf fgets getline; do
	recorded "$by" "echo 271828 3141" "$tmp/ways" "$by"
	replayed "$by" "$trace"
	lost "$by"
done
recorded read "printf one; sleep 0.3; printf two" "$tmp/ways" read
replayed read "$trace"
run "$NORN" replay --env "$trace#1" </dev/null
err_has '^norn: standard input: a pipe, 6 bytes$' "--env: standard input"
err_has '^norn: input: read: [23] calls, 0 bytes$' "--env: what read was given"
lost read
for by in poll select; do
	recorded $by "sleep 1; echo" "$tmp/ways" $by
	replayed $by "$trace"
	lost $by
done

# A terminal, on which somebody types.
typed()
{
	trace=$tmp/typed-$1.norn
	(
		sleep 0.2
		printf '%b' "$2"
		sleep 0.5
	) | timeout 60 script -qec "$NORN record --output $trace $tmp/ways $1" /dev/null >"$tmp/printed" 2>&1
	run "$NORN" predict --keep --bugs race "$trace"
	status_is 66 "typed, $1: a race is predicted"
	replayed "typed, $1" "$trace"
	lost "typed, $1"
}
typed scanf '2718 3141\n'
typed fgets '31415\n'
typed getline '8086\n'
typed read 'one\ntwo\n\004'
typed end 'some\nlines\n\004'

# More than a pipe holds, in and out.
recorded long "seq 300000" "$tmp/ways" read
replayed long "$trace"
run "$NORN" replay --env "$trace#1" </dev/null
err_has '^norn: standard input: a pipe, 1988895 bytes$' "a long input is saved"

# What the program does not read stays where it was.
left=$( (printf 'one\ntwo\n'; sleep 0.2) | {
	timeout 60 "$NORN" record --output "$tmp/left.norn" "$tmp/ways" clock >/dev/null 2>&1
	cat
})
[ "$left" = "one
two" ]
result $? "norn record takes nothing that the program does not take"

# Too much.
seq 300000 | timeout 60 "$NORN" record --max-input 1k --output "$tmp/much.norn" "$tmp/ways" read >/dev/null
run "$NORN" predict --keep --bugs race "$tmp/much.norn"
run timeout 100 "$NORN" replay --env --timeout 5 --order ab "$tmp/much.norn#1" </dev/null
status_is 4 "--max-input: less than the program needs"
err_has '^norn: input: norn record did not keep all inputs' "--max-input: that is told"
"$NORN" record --max-input 0 --output "$tmp/none.norn" "$tmp/ways" rand </dev/null >/dev/null
run "$NORN" convert --to text "$tmp/none.norn" -
[ "$(grep -c '^meta inputs ' "$tmp/out")" -eq 0 ]
result $? "--max-input 0: none are kept"

# They are kept where other facts are.
"$NORN" convert --to text "$tmp/rand.norn" "$tmp/rand.text" 2>/dev/null
"$NORN" convert --from text --to binary "$tmp/rand.text" "$tmp/converted.norn" 2>/dev/null
cp "$tmp/rand.norn.1.witness" "$tmp/converted.norn.1.witness"
replayed "converted to text and back" "$tmp/converted.norn"

# Damaged, as text and inside.
for bad in '1 16 KLUv/SAQgQAAFAAAAAAAAAAGAAAAAAAAAA' '1 17 KLUv/SAQgQAAFAAAAAAAAAAGAAAAAAAAAA==' \
	'x 1 AA==' '1 99999999999 AA==' '1' '-1 1 AA==' 'stdin 5 AAAA'; do
	sed "s|^meta inputs .*|meta inputs $bad|" "$tmp/text" >"$tmp/less"
	"$NORN" convert --from text --to binary "$tmp/less" "$tmp/lost.norn" 2>/dev/null
	run timeout 100 "$NORN" replay --trust --order ab "$tmp/lost.norn#1" </dev/null
	status_is 3 "damaged inputs: $bad"
	err_has 'the inputs in it are damaged; record the program again$' "damaged inputs: what to do"
done

# C++.
cat >"$tmp/cxx.cpp" <<'EOF'
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include "ways.h"
static unsigned long ask(const char *by)
{
	if (!strcmp(by, "steady_clock"))
		return (unsigned long)std::chrono::steady_clock::now().time_since_epoch().count();
	if (!strcmp(by, "system_clock"))
		return (unsigned long)std::chrono::system_clock::now().time_since_epoch().count();
	if (!strcmp(by, "random_device"))
		return std::random_device{}();
	unsigned long number = 0;
	std::cin >> number;
	return number;
}
int main(int, char **argv)
{
	std::thread t([argv] { go(ask(argv[1])); ready = 1; });
	usleep(20000);
	long seen = ready;
	t.join();
	printf("%ld %ld\n", zeros, ones);
	return seen > 1;
}
EOF
compile norn "$tmp/cxx.cpp" -O1 -o "$tmp/cxx"
result $? "C++: the program is compiled"
for by in steady_clock system_clock random_device cin; do
	recorded $by "echo 27182818" "$tmp/cxx" $by
	replayed $by "$trace"
	lost $by
done

# A program's own pipe is its own business: it is really read, or the other side would block.
cat >"$tmp/own.c" <<'EOF'
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "ways.h"
static int ends[2];
static char much[200000];
static void *writes(void *unused)
{
	memset(much, 7, sizeof much);
	ssize_t n = write(ends[1], much, sizeof much);
	ready = n; /* @write */
	close(ends[1]);
	return unused;
}
int main(void)
{
	pthread_t t;
	char some[1000];
	ssize_t n;
	if (pipe(ends))
		return 1;
	pthread_create(&t, NULL, writes, NULL);
	while ((n = read(ends[0], some, sizeof some)) > 0)
		go((unsigned long)some[0]);
	usleep(20000);
	pthread_join(t, NULL);
	return ready != sizeof much;
}
EOF
compile norn "$tmp/own.c" -O1 -o "$tmp/own"
run timeout 60 "$NORN" run --output "$tmp/own2.norn" "$tmp/own" </dev/null
[ $status -eq 0 ] || [ $status -eq 66 ]
result $? "a program's own pipe: no hang"

# Time limits are of the clock that the program knows. After the race the program waits for a signal
# that comes within two seconds of a clock that was given back, and is three seconds behind.
cat >"$tmp/limit.c" <<'EOF'
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static sem_t posted;
int ready, done;
static void *work(void *unused)
{
	pthread_mutex_lock(&other);
	ready = 1; /* @write */
	usleep(200000);
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&signalled);
	pthread_mutex_unlock(&lock);
	usleep(200000);
	sem_post(&posted);
	usleep(200000);
	pthread_mutex_unlock(&other);
	return unused;
}
static struct timespec soon(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 2;
	return t;
}
int main(void)
{
	pthread_t t;
	sem_init(&posted, 0, 0);
	struct timespec until = soon();
	pthread_create(&t, NULL, work, NULL);
	usleep(20000);
	int seen = ready; /* @read */
	pthread_mutex_lock(&lock);
	until = soon();
	while (!done)
		if (pthread_cond_timedwait(&signalled, &lock, &until))
			return 1;
	pthread_mutex_unlock(&lock);
	until = soon();
	if (sem_timedwait(&posted, &until))
		return 2;
	until = soon();
	if (pthread_mutex_timedlock(&other, &until))
		return 3;
	pthread_join(t, NULL);
	return seen > 1;
}
EOF
cat >"$tmp/future.cpp" <<'EOF'
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <unistd.h>
using std::chrono::seconds;
int ready, before;
int main()
{
	std::promise<int> early, late;
	std::mutex lock;
	std::condition_variable signalled;
	bool done = false;
	auto first = early.get_future(), second = late.get_future();
	auto until = std::chrono::system_clock::now() + seconds(2);
	std::thread t([&] {
		usleep(50000);
		before = 1;
		early.set_value(1);
		ready = 1; /* @write */
		usleep(200000);
		late.set_value(2);
		usleep(200000);
		std::lock_guard<std::mutex> hold(lock);
		done = true;
		signalled.notify_one();
	});
	int seen = first.get() + before;
	seen += ready; /* @read */
	if (second.wait_until(until) != std::future_status::ready)
		return 1;
	if (second.wait_for(seconds(2)) != std::future_status::ready)
		return 2;
	std::unique_lock<std::mutex> hold(lock);
	if (!signalled.wait_for(hold, seconds(2), [&] { return done; }))
		return 3;
	t.join();
	return seen > 5;
}
EOF
compile norn "$tmp/limit.c" -O1 -o "$tmp/limit"
compile norn "$tmp/future.cpp" -O1 -o "$tmp/future"
recorded limit "" "$tmp/limit"
recorded future "" "$tmp/future"
sleep 3
REPLAYS=3 replayed limit "$tmp/limit.norn"
REPLAYS=3 replayed future "$tmp/future.norn"

# However it ends, whoever interrupts it, and whatever children it has.
cat >"$tmp/rough.c" <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ways.h"
long ticks;
static void tick(int signal)
{
	(void)signal;
	ticks += time(NULL) > 0;
}
/* Signals come here alone: what a thread does when one comes is in no plan. */
static void *interrupted(void *set)
{
	struct timespec now;
	pthread_sigmask(SIG_UNBLOCK, set, NULL);
	for (;; usleep(100))
		clock_gettime(CLOCK_REALTIME, &now);
}
static void *work(void *unused)
{
	unsigned long number = 0;
	srand((unsigned)getpid());
	for (int i = 0; i < 20000; i++)
		number = number * 31 + (unsigned)rand();
	go(number);
	ready = 1; /* @write */
	return unused;
}
int main(void)
{
	pthread_t t, other;
	struct timespec now;
	sigset_t alarm;
	int status;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
	pthread_create(&other, NULL, interrupted, &alarm);
	pthread_create(&t, NULL, work, NULL);
	for (int i = 0; i < 200; i++)
		go((unsigned long)(clock_gettime(CLOCK_MONOTONIC, &now) + now.tv_nsec));
	pid_t child = fork();
	if (!child) {
		go((unsigned long)rand());
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0)
		;
	usleep(50000);
	long seen = ready; /* @read */
	pthread_join(t, NULL);
	if (seen < 2)
		kill(getpid(), SIGKILL);
	return 1;
}
EOF
compile norn "$tmp/rough.c" -O1 -o "$tmp/rough"
trace=$tmp/rough.norn
run timeout 60 "$NORN" record --follow --output "$trace" "$tmp/rough" </dev/null
status_is 137 "a program that is interrupted, forks, and is killed"
run "$NORN" convert --to text "$trace" -
out_has '^meta inputs 0 ' "its inputs are there, of main"
out_has '^meta inputs 1 ' "of the thread that is interrupted"
out_has '^meta inputs 2 ' "and of the other one"
run "$NORN" convert --to text "$tmp"/rough.[0-9]*.norn -
out_has '^meta inputs 0 ' "and those of its child, apart"
run "$NORN" predict --keep --bugs race "$trace"
replayed "interrupted, forked and killed" "$trace" "signal 9 .*"
run timeout 100 "$NORN" replay --env --order ab "$trace#1" </dev/null
err_has '^norn: input: rand: 20000 calls, 0 bytes$' "all its random numbers"

# What was replayed and recorded has its inputs, too.
"$NORN" replay --record "$tmp/again.norn" "$tmp/rand.norn#1" </dev/null >/dev/null 2>&1
run "$NORN" predict --keep --bugs race "$tmp/again.norn" </dev/null
replayed "recorded again" "$tmp/again.norn"
recorded scanf "echo 99" "$tmp/ways" scanf
"$NORN" replay --record "$tmp/again.norn" "$trace#1" </dev/null >/dev/null 2>&1
run "$NORN" predict --keep --bugs race "$tmp/again.norn" </dev/null
replayed "recorded again, with standard input" "$tmp/again.norn"

finish
