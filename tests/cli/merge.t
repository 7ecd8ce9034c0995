#!/bin/sh
# SPDX-License-Identifier: MIT
# Recorders that are killed, and norn merge; servers that are ended, and norn run.
. tests/cli/lib.sh

cat >"$tmp/server.c" <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int served, config;
static void *work(void *unused)
{
	for (;;) {
		config = 1;
		served++;
		usleep(1000);
	}
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t;
	sigset_t ends;
	int which;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, 0);
	if (argc > 2 && fork())
		_exit(0);
	pthread_create(&t, 0, work, 0);
	FILE *f = fopen(argv[1], "w");
	fprintf(f, "%d\n", getpid());
	fclose(f);
	sigwait(&ends, &which);
	return config + (served < 0);
}
EOF
run "$NORN" cc -w -g -O1 "$tmp/server.c" -o "$tmp/server"
status_is 0 "norn cc"

# awaits FILE: until it has a line
awaits()
{
	for i in $(seq 600); do
		[ -s "$1" ] && return
		sleep 0.1
	done
}

# gone PID: until there is no such process
gone()
{
	for i in $(seq 600); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# killed FILE: a recorder that is killed, and what it has left, $directory
killed()
{
	rm -f "$tmp/pid"
	"$NORN" record -o "$1" "$tmp/server" "$tmp/pid" 2>/dev/null &
	recorder=$!
	awaits "$tmp/pid"
	sleep 0.2
	directory=$(ls -d "$1".rec.*)
	"$NORN" merge "$directory" 2>"$tmp/busy"
	busy=$?
	kill -KILL $recorder
	wait $recorder 2>/dev/null
}

killed "$tmp/a.norn"
gone "$(cat "$tmp/pid")"
result $? "a killed recorder takes the program with it"
[ $busy = 3 ] && grep -q 'it is still being recorded' "$tmp/busy"
result $? "what is still recorded is not merged"
run "$NORN" merge --keep "$directory"
status_is 0 "norn merge"
err_has "a.norn is written" "it says what it wrote"
err_has "not complete: recorder: norn record was killed" "and that the trace is not complete"
run "$NORN" check "$tmp/a.norn"
status_is 0 "the trace is consistent"
run "$NORN" show --stat "$tmp/a.norn"
out_has '^stopped-by recorder: ' "the trace says why it ends"
out_has '^argument .*/server$' "and what was run"
out_has '^status signal 9$' "and how it ended"
run "$NORN" merge --output "$tmp/b.norn" "$directory"
status_is 0 "--keep left it; --output"
[ -s "$tmp/b.norn" ] && [ ! -e "$directory" ]
result $? "without --keep it is gone"
run "$NORN" predict "$tmp/b.norn"
out_has '^The recording is not complete: recorder: ' "norn predict gives no all-clear"

run "$NORN" merge "$tmp"
status_is 3 "no recording: exit 3"
err_has 'this is not a recording' "no recording: it says so"
run "$NORN" merge "$tmp/nowhere"
status_is 3 "nothing there: exit 3"
mkdir "$tmp/empty.rec.XXXXXX" && : >"$tmp/empty.rec.XXXXXX/run"
run "$NORN" merge "$tmp/empty.rec.XXXXXX"
status_is 3 "an empty recording: exit 3"
run "$NORN" merge -o x a b
status_is 2 "one name for two traces: exit 2"
run "$NORN" merge
status_is 2 "no directory: exit 2"

# ended SIGNAL TO: a server in norn run that gets a signal, once it serves.
ended()
{
	rm -f "$tmp/pid"
	(cd "$tmp" && exec setsid "$NORN" run --time 20 --timeout 1 ./server "$tmp/pid") >"$tmp/out" 2>"$tmp/err" &
	runs=$!
	awaits "$tmp/pid"
	sleep 0.2
	case $2 in
	run) kill -"$1" $runs ;;
	program) kill -"$1" "$(cat "$tmp/pid")" ;;
	group) kill -"$1" -$runs ;;
	esac
	wait $runs
	status=$?
}

for to in run program group; do
	ended INT $to
	status_is 66 "SIGINT to the $to: the server ends, and the races are reported"
	out_has 'data race on config' "SIGINT to the $to: the report"
	err_has 'the program ended with exit status 1$' "SIGINT to the $to: the server ended as it would"
done
ended TERM run
status_is 66 "SIGTERM: the server ends, and the races are reported"

# A process that goes on when its parent has ended.
rm -f "$tmp/pid"
(cd "$tmp" && exec setsid "$NORN" run --follow --time 20 --timeout 1 --report report.json --json ./server "$tmp/pid" daemon) \
	>"$tmp/out" 2>"$tmp/err" &
runs=$!
awaits "$tmp/pid"
sleep 0.2
kill -TERM $runs
wait $runs
status=$?
status_is 66 "--follow: a daemon is recorded until it ends"
pid=$(cat "$tmp/pid")
gone "$pid"
result $? "--follow: the signal goes to the daemon"
[ -s "$tmp/server.norn" ] && [ -s "$tmp/server.$pid.norn" ]
result $? "--follow: a trace for each process"
[ -s "$tmp/report.json" ] && [ -s "$tmp/report.$pid.json" ]
result $? "--follow: a report for each process"
run "$NORN" run --follow --json "$tmp/server" x
status_is 2 "--follow --json without a file: exit 2"
run sh -c "ls -d '$tmp'/*norn.rec.*"
out_empty "nothing is left behind"
finish
