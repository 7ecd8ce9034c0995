#!/bin/sh
# SPDX-License-Identifier: MIT
# norn certify: good witnesses, bad ones, and files that are none.
. tests/cli/lib.sh
trace=$conformance/control-flow-race.trace
cat >"$tmp/good" <<'END'
norn-witness 1
model maximal
bug race 3 10
run 1 6 7 8 9 2
end
END
run "$NORN" certify $trace "$tmp/good"
status_is 0 "good: exit 0"
err_empty "good: nothing on standard error"
out_is "good: the bug, the model, the length" <<END
certified: race 3-10 (maximal), 6 events
END
run "$NORN" certify --json $trace "$tmp/good"
json_is '$j->{certified} && "$j->{bug} @{$j->{bug_events}} $j->{model} $j->{events}"' \
	'race 3 10 maximal 6' "good: JSON"
run "$NORN" certify - "$tmp/good" <$trace
status_is 0 "the trace from standard input"
run "$NORN" certify $trace - <"$tmp/good"
status_is 0 "the witness from standard input"

# rejected NAME SED-SCRIPT: the good witness, changed
rejected()
{
	sed "$2" "$tmp/good" >"$tmp/bad"
	run "$NORN" certify $trace "$tmp/bad"
	status_is 3 "$1: exit 3"
	out_has '^rejected: .' "$1: rejected"
}

rejected "an event dropped" 's/ 8 / /'
rejected "two swapped" 's/6 7/7 6/'
rejected "another pair" 's/3 10/4 10/'
rejected "another model" 's/maximal/mcm/'
rejected "the end left out" 's/ 2$//'
rejected "an event twice" 's/ 2$/ 2 2/'
rejected "a lock that is held" 's/run.*/run 1 2 6 7 8 9/'
rejected "an event that does not exist" 's/ 2$/ 2 99/'
rejected "no deadlock" 's/bug race.*/bug deadlock 2 7/'
run "$NORN" certify --json $trace "$tmp/bad"
status_is 3 "rejected: JSON, exit 3"
json_is '!$j->{certified} && length($j->{message}) > 0' 1 "rejected: JSON"

# bad_file NAME LINE SED-SCRIPT
bad_file()
{
	sed "$3" "$tmp/good" >"$tmp/bad"
	run "$NORN" certify $trace "$tmp/bad"
	status_is 3 "$1: exit 3"
	out_empty "$1: no verdict"
	err_has "^norn: $tmp/bad:$2: " "$1: at line $2"
}

bad_file "not a witness" 1 '1s/.*/t1 begin/'
bad_file "another version" 1 '1s/1/3/'
bad_file "an unknown model" 2 's/maximal/minimal/'
bad_file "an unknown bug" 3 's/race/typo/'
bad_file "a race of one" 3 's/3 10/3/'
bad_file "not a number" 4 's/ 9 / nine /'
bad_file "a number out of range" 4 's/ 9 / 99999999999999999999999 /'
bad_file "event 0" 4 's/ 9 / 0 /'
bad_file "an unknown line" 4 's/^run/walk/'
sed '$d' "$tmp/good" >"$tmp/bad"
run "$NORN" certify $trace "$tmp/bad"
status_is 3 "cut short: exit 3"
: >"$tmp/bad"
run "$NORN" certify $trace "$tmp/bad"
status_is 3 "an empty witness: exit 3"
run "$NORN" certify $trace "$tmp/none"
status_is 3 "no such witness: exit 3"
run "$NORN" certify "$tmp/none" "$tmp/good"
status_is 3 "no such trace: exit 3"
run "$NORN" certify "$tmp/good" "$tmp/good"
status_is 3 "a witness for a trace: exit 3"

# choice NAME STATUS EVENT RUN: whether the event ends otherwise behind that run of $tmp/waits.trace
choice()
{
	printf 'norn-witness 1\nmodel values\nbug choice %s\nrun %s\nend\n' "$3" "$4" >"$tmp/choice"
	run "$NORN" certify "$tmp/waits.trace" "$tmp/choice"
	status_is "$2" "a choice: $1"
}
cat >"$tmp/waits.trace" <<'END'
t1 acquire l
t1 wait c l
t2 acquire l
t2 signal c
t2 release l
t1 woken c l by=4 try
t1 release l
END
choice "a time limit is over before the signal" 0 6 '1 2'
choice "a time limit is over, and the lock is taken" 0 6 '1 2 3'
choice "a signal wakes nobody, since nobody waits" 0 4 '3'
choice "it is not the signal that woke, if it came before the wait" 3 6 '3 4 5 1 2'
choice "a signal that wakes whom it woke" 3 4 '1 2 3'
choice "no time limit is over when the signal has come" 3 6 '1 2 3 4 5'
choice "nor while the lock is taken behind that" 3 6 '1 2 3 4'
sed -i 's/ try$//' "$tmp/waits.trace"
choice "a wait without a limit" 3 6 '1 2'
sed -i 's/by=4/by=-/' "$tmp/waits.trace"
choice "a signal wakes one that waits" 0 4 '1 2 3'
choice "not one that was woken by nobody, if it came before the wait" 3 4 '3'
choice "a signal that came before the wait" 3 6 '3 4 5 1 2'
choice "no signal" 3 6 '1 2 3'
cat >"$tmp/waits.trace" <<'END'
t1 acquire l
t1 wait c l
t3 acquire l
t3 wait c l
t2 signal c
t3 woken c l by=5
t3 release l
t1 woken c l by=-
t1 release l
END
choice "the end of a wait behind a signal that woke another thread" 3 8 '1 2 3 4 5'
choice "a signal that wakes the other thread" 0 5 '1 2 3 4'
choice "a signal that wakes the only thread that waits" 3 5 '3 4'
sed -i 's/signal/broadcast/' "$tmp/waits.trace"
choice "a broadcast that wakes another thread, too" 0 5 '1 2 3 4'
choice "a broadcast that wakes those that it woke" 3 5 '3 4'
finish
