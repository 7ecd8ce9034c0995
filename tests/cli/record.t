#!/bin/sh
# SPDX-License-Identifier: MIT
# norn record: what goes through to the program and what comes back, limits, sudden ends.
. tests/cli/lib.sh

cat >"$tmp/racy.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int slots[4];
static int rounds = 300;
static void *run(void *p)
{
	for (int i = 0; i < rounds; i++)
		slots[i % 4]++;
	return p;
}
int main(int argc, char **argv)
{
	pthread_t t[8];
	char line[100];
	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	if (argc > 2 && !strcmp(argv[2], "--echo") && fgets(line, sizeof line, stdin))
		printf("read %s", line);
	return argc > 3 ? atoi(argv[3]) : 0;
}
END
cat >"$tmp/long.c" <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
volatile int stop;
long count, other;
static void caught(int number)
{
	(void)number;
	stop = 1;
}
static void *run(void *p)
{
	while (!stop) {
		count++;
		other = count + 1;
		usleep(10); /* so that a sanitized norn has not millions of events to put in order */
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	signal(SIGUSR1, caught);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, NULL);
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 9;
}
END
cat >"$tmp/freed.c" <<'END'
#include <stdlib.h>
int main(void)
{
	int *volatile p = malloc(16);
	p[1] = 1;
	free(p);
	return p[1] == 12345;
}
END
cat >"$tmp/forks.c" <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int x;
static void *run(void *p)
{
	x++;
	return p;
}
int main(void)
{
	pthread_t t;
	int status;
	pid_t child = fork();
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	if (child == 0)
		return x;
	waitpid(child, &status, 0);
	return 10 * x + WEXITSTATUS(status);
}
END
for program in racy long freed forks; do
	run "$NORN" cc -g -O1 -o "$tmp/$program" "$tmp/$program.c"
	status_is 0 "norn cc $program.c"
done

# consistent NAME FILE
consistent()
{
	run "$NORN" check "$2"
	status_is 0 "$1: norn check"
}

for i in 1 2 3 4 5; do
	run timeout 60 "$NORN" record -o "$tmp/a.norn" "$tmp/racy"
	status_is 0 "8 racy threads, run $i"
	err_empty "8 racy threads, run $i: nothing to say"
	consistent "8 racy threads, run $i" "$tmp/a.norn"
done
run "$NORN" show --stat "$tmp/a.norn"
out_has '^command .*/racy$' "the command line is in the trace"
out_has '^status 0$' "the exit status is in the trace"
out_has '^module [0-9a-f]{8,} .*/racy$' "build ids are in the trace"
out_has '^records [0-9]+$' "counts are in the trace"
run sh -c "ls -d '$tmp'/*.rec.*"
out_empty "the logs are gone"

run sh -c "echo hello | timeout 60 '$NORN' record --output '$tmp/b.norn' -- '$tmp/racy' 3 --echo 42"
status_is 42 "the exit status comes through"
out_is "standard input and output go through, and options of the program" <<END
read hello
END
(cd "$tmp" && timeout 60 "$NORN" record ./racy 3)
[ -s "$tmp/racy.norn" ]
result $? "without --output, PROGRAM.norn"

run "$NORN" record -o "$tmp/c.norn" true
status_is 3 "a program without Norn in it"
err_has 'norn cc' "and how to build it"
[ ! -e "$tmp/c.norn" ]
result $? "no trace of that"
run "$NORN" record -o "$tmp/c.norn" "$tmp/nowhere"
status_is 127 "no such program"
err_has 'nowhere: No such file' "and it says so"
run "$NORN" record -o "$tmp/c.norn" "$tmp"
status_is 126 "no program at all"
run "$NORN" record
status_is 2 "no operand"
run "$NORN" record -o "$tmp/no/where.norn" "$tmp/racy"
status_is 3 "nowhere to write to"
run "$NORN" record --help
status_is 0 "--help"
run sh -c "ls -d '$tmp'/*.rec.*"
out_empty "nothing is left behind"

# ended NAME SIGNAL TO STATUS: sends a signal once the program runs.
# TO: "norn", or "program"
ended()
{
	rm -f "$tmp/said" "$tmp/d.norn"
	timeout 100 "$NORN" record -o "$tmp/d.norn" "$tmp/long" >"$tmp/said" 2>"$tmp/err" &
	pid=$!
	for i in $(seq 300); do
		grep -q ready "$tmp/said" && break
		sleep 0.1
	done
	# timeout hands signals on; its child is norn, whose child is the program
	norn=$(cat /proc/$pid/task/$pid/children)
	program=$(cat /proc/${norn% }/task/${norn% }/children)
	sleep 0.1
	case $3 in
	norn) kill -$2 ${norn% } ;;
	program) kill -$2 ${program% } ;;
	esac
	wait $pid
	status=$?
	command_run="norn record long, $2 to $3"
	: >"$tmp/out"
	status_is $4 "$1: exit status"
	consistent "$1" "$tmp/d.norn"
}
ended "SIGUSR1 to norn is handed on" USR1 norn 9
ended "SIGTERM to norn ends the program" TERM norn 143
ended "SIGKILL in the middle" KILL program 137
run "$NORN" show --stat "$tmp/d.norn"
out_has '^status signal 9$' "the signal is in the trace"

# limited NAME OPTION: the program goes on when recording has stopped.
limited()
{
	run timeout 100 "$NORN" record $2 -o "$tmp/e.norn" "$tmp/racy" 30000 --no 5
	status_is 5 "$2: the program goes on to its end"
	consistent "$2" "$tmp/e.norn"
	run "$NORN" show --stat "$tmp/e.norn"
	out_has "^stopped-by ${2% *}\$" "$2: the trace says so"
}
limited "a limit of events" "--max-events 20k"
limited "a limit of size" "--max-size 1M"
timeout 100 "$NORN" record --timeout 1 -o "$tmp/f.norn" "$tmp/long" >"$tmp/said" 2>"$tmp/err" &
pid=$!
for i in $(seq 300); do
	grep -q ready "$tmp/said" && break
	sleep 0.1
done
sleep 1.5
norn=$(cat /proc/$pid/task/$pid/children)
kill -USR1 ${norn% }
wait $pid
status=$?
status_is 9 "--timeout: the program goes on to its end"
consistent "--timeout" "$tmp/f.norn"
run "$NORN" show --stat "$tmp/f.norn"
out_has "^stopped-by --timeout\$" "--timeout: the trace says so"

run timeout 60 "$NORN" record -o "$tmp/g.norn" "$tmp/freed"
status_is 0 "use after free"
err_has 'used freed memory 1 times: at .*freed.c:7' "it is told, with its place"
consistent "use after free" "$tmp/g.norn"

run timeout 60 "$NORN" record -v -o "$tmp/h.norn" "$tmp/racy"
err_has 'records, [0-9]+ events, [0-9]+ variables; dropped: [0-9]+ private' "--verbose"
run timeout 60 "$NORN" record -v --keep-all -o "$tmp/h.norn" "$tmp/racy"
err_has 'dropped: 0 private, 0 constant' "--keep-all"
consistent "--keep-all" "$tmp/h.norn"

# Members that one instruction sets together are named by those that access them alone.
cat >"$tmp/members.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
struct state {
	long first, second, third, fourth;
	long many[20];
};
static void *run(void *p)
{
	struct state *s = p;
	s->many[10]++;
	s->first++;
	s->third += 3;
	s->fourth += s->second;
	return NULL;
}
int main(void)
{
	struct state *s = malloc(sizeof(*s));
	pthread_t t[2];
	*s = (struct state){0};
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, s);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return (int)s->third - 6;
}
END
for level in -O0 -O1 -O2; do
	"$NORN" cc $level "$tmp/members.c" -o "$tmp/members"
	run timeout 60 "$NORN" record -o "$tmp/m.norn" "$tmp/members"
	run "$NORN" show "$tmp/m.norn"
	for member in first third fourth; do
		out_has "T1 read heap:members.c:18~1.$member [0-9]" "$level: the member $member"
	done
	out_has "T1 read heap:members.c:18~1[+]112 [0-9]" "$level: an element has no name"
done

# What operator new allocates is named by who calls it, and so is what containers allocate.
cat >"$tmp/new.cpp" <<'END'
#include <memory>
#include <thread>
#include <vector>
struct item {
	int count = 0;
};
namespace {
int hidden;
void count(int by, const char *)
{
	static int calls;
	calls += by;
	hidden += calls;
}
}
int main()
{
	item *plain = new item;
	std::vector<int> *two = new std::vector<int>[2];
	auto shared = std::make_shared<item>();
	two[1].push_back(1);
	auto work = [&] {
		plain->count++;
		shared->count++;
		two[1][0]++;
		count(1, "one");
	};
	std::thread a(work), b(work);
	a.join();
	b.join();
	delete plain;
	delete[] two;
	return 0;
}
END
for option in "" -static; do
	"$NORN" c++ -std=c++17 -O2 $option "$tmp/new.cpp" -o "$tmp/new"
	run timeout 60 "$NORN" record -o "$tmp/n.norn" "$tmp/new"
	run "$NORN" show "$tmp/n.norn"
	for line in 18 20 21; do
		out_has "T1 write heap:new.cpp:$line~1" "allocated at line $line $option"
	done
	out_has 'main free heap:new.cpp:18~1.*new.cpp:31' "given back at line 31 $option"
	out_has 'T1 write \(anonymous_namespace\)::count::calls [0-9]' "a local static $option"
	out_has 'T1 write \(anonymous_namespace\)::hidden [0-9]' "without a name for its namespace $option"
done

# A constructor has two names, of which callers use the one that is an alias of the other.
cat >"$tmp/class.cpp" <<'END'
struct counter {
	explicit counter(int start);
	int count;
};
#ifdef CLASS
counter::counter(int start) : count(start) {}
#else
extern "C" void outside();
int main()
{
	counter c(1);
	outside();
	return c.count - 1;
}
#endif
END
"$NORN" c++ -O1 -DCLASS -c "$tmp/class.cpp" -o "$tmp/class.o"
echo 'void outside(void) {}' | clang -x c -c - -o "$tmp/outside.o"
"$NORN" c++ -O1 "$tmp/class.cpp" "$tmp/class.o" "$tmp/outside.o" -o "$tmp/class"
run timeout 60 "$NORN" record -o "$tmp/c.norn" "$tmp/class"
run sh -c '"$0" show --stat "$1" | grep ^unknown' "$NORN" "$tmp/c.norn"
out_is "unknown functions: not one that has hooks" <<'END'
unknown-function outside
END

run timeout 60 "$NORN" record -o "$tmp/i.norn" "$tmp/forks"
status_is 11 "a child that is not followed"
consistent "a child that is not followed" "$tmp/i.norn"
[ "$(ls "$tmp"/i.*norn | wc -l)" -eq 1 ]
result $? "one trace without --follow"
run timeout 60 "$NORN" record --follow -o "$tmp/j.norn" "$tmp/forks"
status_is 11 "--follow"
[ "$(ls "$tmp"/j.*norn | wc -l)" -eq 2 ]
result $? "two traces with --follow"
for trace in "$tmp"/j.*norn; do
	consistent "--follow" "$trace"
done
finish
