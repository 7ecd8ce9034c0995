#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings that are started and stopped while the program runs.
. tests/cli/lib.sh
sources=tests/programs/late
late='start: the recording was started while the program ran$'

# built NAME OPTION…: $sources/NAME.c, to $tmp/NAME.
built()
{
	name=$1
	shift
	"$NORN" cc -g "$@" $sources/$name.c -o "$tmp/$name"
}

# recorded NAME OPTION…: and its trace is consistent.
recorded()
{
	name=$1
	shift
	run "$NORN" record "$@" -o "$tmp/trace.norn" "$tmp/$name"
	status_is 0 "$name is recorded, $*"
	err_has "not complete: $late" "$name, $*: the record says that it began late"
	run "$NORN" check "$tmp/trace.norn"
	status_is 0 "$name, $*: the trace is consistent"
	run "$NORN" predict --no-optimism "$tmp/trace.norn"
}

# Started and stopped by the program, in the middle of what a server does.
built server
recorded server --paused
status_is 4 "nothing is found in a right server, and that is no all-clear"
! grep -q '^Every candidate is decided' "$tmp/out"
result $? "there is no all-clear"
out_has "$late" "the report says that the beginning is missing"
out_has 'NORN_STOP or --control: the recording was stopped' "and the end"
built server -DRACY
recorded server --paused
status_is 66 "a race is found in a racy server"
out_has '^SUMMARY: Norn: data race: .*/server\.c:[0-9]* in work' "it is the one that there is"
run "$NORN" predict --replay "$tmp/trace.norn"
out_has 'data race on hits \(certified' "it is certified, and not replayed"
"$NORN" predict --json --output "$tmp/report.json" "$tmp/trace.norn" >"$tmp/out" 2>&1
run "$NORN" replay "$tmp/report.json#1"
out_has 'the recording began while the program ran' "replay says why it cannot be"
run "$NORN" run --paused -o "$tmp/run.norn" "$tmp/server"
status_is 66 "norn run records in the same way"
out_has '\(certified; not replayed' "and certifies"

# Nobody starts it.
built held
built rounds
run "$NORN" record --paused -o "$tmp/trace.norn" "$tmp/rounds"
status_is 0 "a recording that nobody starts leaves the program alone"
err_has 'start: the recording was not started$' "and says so"
run "$NORN" predict --no-optimism "$tmp/trace.norn"
status_is 4 "it is no all-clear"

# What memory held counts, whatever kind of memory it is.
recorded held --paused
status_is 4 "what memory held before the recording keeps its order"
out_has ' 0 proved, ' "nothing is found"

# From anywhere on, with threads in barriers and in locks.
for skip in 40 641 1717; do
	recorded rounds --skip-events $skip
	status_is 4 "rounds: nothing is found, from $skip on"
done
recorded server --start-after 1000 --skip-events 700
out_has 'start: the recording was' "what comes first starts it"
run tests/soak/late 2 131 2
status_is 0 "programs that are right are so from some events on"

# From outside.
# ask WORD: the answer is in $tmp/answer.
ask()
{
	perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
		print $s "$ARGV[1]\n"; my $answer = <$s>; print $answer' "$tmp/socket" "$1" >"$tmp/answer" 2>/dev/null
}

# answers WORD PATTERN: sooner or later.
answers()
{
	tries=0
	until ask "$1" && grep -Eq "$2" "$tmp/answer"; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || return 1
		sleep 0.1
	done
}

for racy in "" -DRACY; do
	built serve $racy
	"$NORN" record --paused --control "$tmp/socket" -o "$tmp/serve.norn" "$tmp/serve" >"$tmp/out" 2>"$tmp/err" &
	recorder=$!
	answers status '^waiting$'
	result $? "serve $racy: the recording waits to be started"
	[ "$(stat -c %a "$tmp/socket")" = 600 ]
	result $? "serve $racy: the socket is for this user alone"
	answers nonsense '^unknown: use start, stop or status$'
	result $? "serve $racy: other words are refused"
	answers start '^(starting|recording [0-9]*)$'
	result $? "serve $racy: it is started"
	answers status '^recording [0-9]*$'
	result $? "serve $racy: it records"
	# what both threads do
	sleep 0.5
	answers stop '^stopped [0-9]*$'
	result $? "serve $racy: it is stopped"
	kill -TERM $recorder
	wait $recorder
	[ $? = 0 ] && grep -q '^over$' "$tmp/out"
	result $? "serve $racy: the program ends as it would"
	[ ! -e "$tmp/socket" ]
	result $? "serve $racy: the socket is gone"
	run "$NORN" predict --no-optimism "$tmp/serve.norn"
	status_is $([ "$racy" ] && echo 66 || echo 4) "serve $racy: what is found"
done
run "$NORN" record --control "$tmp/no/socket" -o "$tmp/serve.norn" "$tmp/rounds"
status_is 3 "a socket that cannot be made is an error"
[ ! -s "$tmp/out" ] && [ ! -e "$tmp/serve.norn.rec"* ]
result $? "and the program is not run"
run "$NORN" record --paused --follow -o "$tmp/serve.norn" "$tmp/rounds"
status_is 2 "--paused and --follow exclude each other"
finish
