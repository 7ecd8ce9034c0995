#!/bin/sh
# SPDX-License-Identifier: MIT
# norn check: the answer, its form, and several traces at once.
. tests/cli/lib.sh
trace=$conformance/control-flow-race.trace
printf 't1 release l\n' >"$tmp/bad.trace"
run "$NORN" check $trace
status_is 0 "consistent: exit 0"
err_empty "consistent: nothing on standard error"
out_is "consistent: one line" <<END
$trace: consistent, 16 events
END
echo 't1 begin' >"$tmp/one.trace"
run "$NORN" check "$tmp/one.trace"
out_is "one event" <<END
$tmp/one.trace: consistent, 1 event
END
run "$NORN" check - <$trace
out_is "standard input" <<END
standard input: consistent, 16 events
END
run "$NORN" check "$tmp/bad.trace"
status_is 3 "inconsistent: exit 3"
out_empty "inconsistent: nothing on standard output"
err_has "^norn: $tmp/bad.trace:1: event 1 " "inconsistent: where"
run "$NORN" check "$tmp/bad.trace" $trace "$tmp/none"
status_is 3 "several: exit 3 if one is bad"
out_is "several: the good ones are answered" <<END
$trace: consistent, 16 events
END
err_has 'bad.trace:1: ' "several: the bad one"
err_has 'none: No such file' "several: the missing one"
run "$NORN" check --json $trace "$tmp/bad.trace"
status_is 3 "JSON: exit 3"
json_is '$j->[0]{consistent} && $j->[0]{events} == 16' 1 "JSON: consistent"
json_is '!$j->[1]{consistent} && $j->[1]{message} =~ /event 1/' 1 "JSON: inconsistent"

run "$NORN" check $conformance/*.trace
status_is 0 "all conformance traces are consistent"
[ "$(wc -l <"$tmp/out")" -eq "$(ls $conformance/*.trace | wc -l)" ]
result $? "a line for each"

# check_bad NAME LINE TEXT…: the event of that line cannot happen
check_bad()
{
	name=$1 line=$2
	shift 2
	printf '%s\n' "$@" >"$tmp/bad.trace"
	run "$NORN" check "$tmp/bad.trace"
	status_is 3 "$name: exit 3"
	err_has "^norn: $tmp/bad.trace:$line: event " "$name: at line $line"
}

check_bad "a read of another value" 2 't1 write x 1' 't1 read x 2'
check_bad "a read of another initial value" 2 'init x 4' 't1 read x 3'
check_bad "acquire of a lock that is held" 2 't1 acquire l' 't2 acquire l'
check_bad "acquire by the holder" 2 't1 acquire l' 't1 acquire l'
check_bad "acquire with readers" 2 't1 acquire-shared l' 't2 acquire l'
check_bad "release of a lock not held" 1 't1 release l'
check_bad "release of another's lock" 2 't1 acquire l' 't2 release l'
check_bad "release-shared of a lock not held" 2 't1 acquire l' 't1 release-shared l'
check_bad "try-fail of a free lock" 1 't1 try-fail l'
check_bad "join before end" 3 't1 fork t2' 't2 begin' 't1 join t2' 't2 end'
check_bad "a thread that runs before its fork" 1 't2 begin' 't1 fork t2'
check_bad "begin in the middle" 2 't1 write x 1' 't1 begin'
check_bad "an event after end" 2 't1 end' 't1 write x 1'
check_bad "two forks" 2 't1 fork t2' 't1 fork t2'
check_bad "wait without the lock" 1 't1 wait c l'
check_bad "an event between wait and woken" 3 't1 acquire l' 't1 wait c l' 't1 write x 1'
check_bad "woken that did not wait" 3 't1 acquire l' 't1 signal c' 't1 woken c l by=2'
check_bad "sem-wait at 0" 1 't1 sem-wait s'
check_bad "sem-fail above 0" 2 'sem s 1' 't1 sem-fail s'
check_bad "barrier-exit too early" 3 'barrier b 2' 't1 barrier-enter b' 't1 barrier-exit b'
check_bad "once twice" 2 't1 once-begin o' 't2 once-begin o'
check_bad "once-pass before once-end" 2 't1 once-begin o' 't2 once-pass o'
check_bad "an access before alloc" 2 't1 write x 1' 't1 alloc x'
check_bad "an access after free" 3 't1 alloc x' 't1 free x' 't1 read x 0'
check_bad "free twice" 2 't1 free x' 't1 free x'
check_bad "an expression with another value" 2 't1 read x 0' 't1 write y 2 = (+ %1 1)'
check_bad "a branch that is not taken" 2 't1 read x 0' 't1 branch if (> %1 0)'
check_bad "reads= of a foreign event" 2 't1 read x 0' 't2 write y 1 reads=1'
check_bad "reads= of a write" 2 't1 write x 0' 't1 write y 1 reads=1'
check_bad "at= of a foreign event" 2 't1 read x 0' 't2 write y 1 at=1'
finish
