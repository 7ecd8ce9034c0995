#!/bin/sh
# SPDX-License-Identifier: MIT
# norn convert: round trips, formats by name and extension, failures that lose nothing.
. tests/cli/lib.sh
for trace in $conformance/*.trace; do
	name=${trace##*/}
	"$NORN" convert "$trace" "$tmp/1.trace" && "$NORN" convert "$trace" "$tmp/1.norn" &&
		"$NORN" convert "$tmp/1.norn" "$tmp/2.trace" &&
		"$NORN" convert "$tmp/2.trace" "$tmp/2.norn"
	status=$?
	command_run="round trip of $name"
	status_is 0 "$name: text, binary, text, binary"
	same_files "$tmp/1.trace" "$tmp/2.trace" "$name: text is the same after binary"
	same_files "$tmp/1.norn" "$tmp/2.norn" "$name: binary is the same after text"
	"$NORN" show "$trace" >"$tmp/1"
	"$NORN" show "$tmp/2.norn" >"$tmp/2"
	same_files "$tmp/1" "$tmp/2" "$name: the events are the same"
done

cat >"$tmp/all.trace" <<'END'
meta program the program, with blanks
meta note
init x -9223372036854775808
volatile flag
sem s 2
barrier b 2
memory p heap 0x7fff00000000 4
memory q heap 0x7fff00000004 1
t1 fork t2 @dir/a.c:10:3:main
t2 begin
t1 alloc p q
t1 write p 1 q 2 @dir/a.c:11
t1 rmw p 1 0xffffffff
t1 free p q
t1 read x -9223372036854775808
t1 write y 6 reads=7
t1 write y 18446744073709551615 reads=
t1 write y 0x10 = (+ 16 (* 0 %7))
t1 branch if (and 1 (not (= %7 0)) (ite 1 2 3))
t1 read z 0 at=7 order=acquire
t1 write flag 1 order=seq_cst
t1 acquire l
t1 wait c l
t2 acquire l
t2 signal c
t2 broadcast d
t2 release l
t1 woken c l by=17
t1 release l
t1 acquire l
t1 wait c l
t1 woken c l by=-
t2 try-fail l
t1 release l
t1 acquire-shared l
t2 acquire-shared l
t1 release-shared l
t2 release-shared l
t1 barrier-enter b
t2 barrier-enter b
t1 barrier-exit b
t2 barrier-exit b
t1 sem-wait s
t1 sem-wait s
t1 sem-fail s
t1 sem-post s
t1 once-begin o
t1 once-end o
t2 once-pass o
t1 external x 5
t1 mark hello a b 3
t1 branch
t2 end
t1 join t2
END
run "$NORN" check "$tmp/all.trace"
status_is 0 "a trace with every kind of event is consistent"
run "$NORN" convert "$tmp/all.trace" -
status_is 0 "text to standard output"
cp "$tmp/out" "$tmp/1.trace"
run "$NORN" convert --to binary "$tmp/all.trace" "$tmp/x"
status_is 0 "--to binary"
err_empty "binary holds everything"
run "$NORN" convert "$tmp/x" -
same_files "$tmp/1.trace" "$tmp/out" "every kind: the same after binary"
run "$NORN" convert "$tmp/1.trace" -
same_files "$tmp/1.trace" "$tmp/out" "every kind: text is a fixed point"
run sh -c '"$0" convert --to=binary - - <"$1" | "$0" convert - -' "$NORN" "$tmp/all.trace"
same_files "$tmp/1.trace" "$tmp/out" "through pipes"
gzip -c "$tmp/1.trace" >"$tmp/1.trace.gz"
run "$NORN" convert "$tmp/1.trace.gz" -
same_files "$tmp/1.trace" "$tmp/out" "from gzip"
[ "$("$NORN" show "$tmp/all.trace" | awk '{print $3}' | sort -u | wc -l)" -eq 29 ]
result $? "every kind of event was there"

run "$NORN" convert $conformance/control-flow-race.trace "$tmp/r.std"
status_is 0 "to STD"
err_has 'std cannot hold .*: values, .*branch' "to STD: says what is lost"
run "$NORN" convert --to std "$tmp/all.trace" "$tmp/all.std"
err_has '1 external, volatile, annotations, locations$' "to STD: says what else is lost"
printf 't1 acquire l\nt1 write x 1 @3\n' >"$tmp/plain.trace"
run "$NORN" convert --to std "$tmp/plain.trace" -
err_has '^norn: std cannot hold everything: values$' "to STD: only values are lost"
run "$NORN" convert "$tmp/r.std" "$tmp/r.trace"
status_is 0 "from STD"
run "$NORN" check "$tmp/r.trace"
status_is 0 "from STD: consistent"
printf 'T0|fork(1)|1\nT0|fork(1)|2\nT1|w(x)|5\n' >"$tmp/twice.std"
run "$NORN" convert "$tmp/twice.std" -
status_is 0 "a fork that is written twice: read"
out_has '^T0 fork T1 @1$' "a fork that is written twice: the first is kept"
err_has 'twice.std: dropped 1 fork of a thread that was just forked$' "a fork that is written twice: said"
run "$NORN" convert --from std "$tmp/r.std" "$tmp/r2.std"
same_files "$tmp/r.std" "$tmp/r2.std" "STD is the same after STD"
err_empty "STD holds what came from STD"

for format in rapid-csv roadrunner focs; do
	run "$NORN" convert --to $format "$tmp/1.trace" "$tmp/out.$format"
	status_is 2 "--to $format: exit 2"
	err_has "reads the format $format but does not write it" "--to $format: says why"
	[ ! -e "$tmp/out.$format" ]
	result $? "--to $format: no file"
done
run "$NORN" convert "$tmp/1.trace" "$tmp/x.unknown"
status_is 2 "an unknown extension: exit 2"
run "$NORN" convert --to nonsense "$tmp/1.trace" "$tmp/x.trace"
status_is 2 "an unknown format: exit 2"
err_has 'binary, text, std' "an unknown format: lists them"

echo precious >"$tmp/kept.trace"
printf 't1 begin\nt1 nonsense\n' >"$tmp/bad.trace"
run "$NORN" convert "$tmp/bad.trace" "$tmp/kept.trace"
status_is 3 "bad input: exit 3"
[ "$(cat "$tmp/kept.trace")" = precious ]
result $? "bad input: the old file is still there"
[ "$(ls "$tmp"/kept.trace* | wc -l)" -eq 1 ]
result $? "bad input: nothing half written"
run "$NORN" convert "$tmp/1.trace" "$tmp/kept.trace"
same_files "$tmp/1.trace" "$tmp/kept.trace" "good input: the old file is replaced"
run "$NORN" convert "$tmp/1.trace" "$tmp/1.trace"
status_is 0 "onto itself"
run "$NORN" convert "$tmp/kept.trace" -
same_files "$tmp/1.trace" "$tmp/out" "onto itself: still the same"
run "$NORN" convert "$tmp/1.trace" "$tmp/none/x.trace"
status_is 3 "into a directory that is not there: exit 3"
# a signal in the middle: the input is a pipe that stays open
mkdir "$tmp/killed"
mkfifo "$tmp/killed/fifo"
for signal in 1 2 15; do
	command_run="convert, signal $signal"
	echo precious >"$tmp/killed/out.trace"
	# a shell starts background jobs with SIGINT ignored, and nohup all of them with SIGHUP
	perl -e '$SIG{$_} = "DEFAULT" for qw(HUP INT TERM); exec @ARGV' "$NORN" convert "$tmp/killed/fifo" \
		"$tmp/killed/out.trace" 2>"$tmp/err" &
	job=$!
	exec 3>"$tmp/killed/fifo"
	i=0
	while [ $i -lt 20000 ]; do
		i=$((i + 1))
		echo "t1 write x $i"
	done >&3
	i=0
	while [ "$(ls "$tmp/killed" | wc -l)" -lt 3 ] && [ $i -lt 100 ]; do
		i=$((i + 1))
		sleep 0.1
	done
	[ "$(ls "$tmp/killed" | wc -l)" -eq 3 ]
	result $? "signal $signal: a temporary file is there"
	kill -$signal $job
	wait $job 2>/dev/null
	status=$?
	exec 3>&-
	status_is $((128 + signal)) "signal $signal: ended by it"
	[ "$(ls "$tmp/killed" | tr '\n' ' ')" = 'fifo out.trace ' ]
	result $? "signal $signal: nothing half written"
	[ "$(cat "$tmp/killed/out.trace")" = precious ]
	result $? "signal $signal: the old file is still there"
done

run "$NORN" convert --from std $conformance/control-flow-race.trace -
status_is 3 "--from a format that it is not: exit 3"
# A script in CSP_M. tests/unit/program.c compares what it does with brute force.
cat >"$tmp/locks.trace" <<'END'
main fork t
main acquire a
main acquire b
main write x 1
main mark done 1
main release b
main release a
t acquire b
t acquire a
t release a
t release b
t read x 1
END
run "$NORN" convert "$tmp/locks.trace" "$tmp/locks.csp"
status_is 0 "csp, by its extension"
err_empty "csp: nothing on standard error"
run "$NORN" csp "$tmp/locks.csp"
status_is 66 "csp: norn csp reads it"
out_has 'LIVE: fails' "csp: the deadlock"
out_has '<fork.0.1, begins.1, lock.0.0, lock.1.1>' "csp: the way to it"
out_has 'RACES\(0\): fails' "csp: the race"
cat "$tmp/locks.csp" - >"$tmp/more.csp" <<'END'
assert PROGRAM :[has trace]: <fork.0.1, lock.0.0, lock.0.1, write.0.0, done.0.1, unlock.0.1,
  unlock.0.0, lock.1.1, lock.1.0, unlock.1.0, unlock.1.1, read.1.0, endthreads>
assert not PROGRAM :[has trace]: <lock.1.1>
END
run "$NORN" csp "$tmp/more.csp"
out_has 'endthreads>: holds' "csp: the recorded order is a trace"
out_has 'assert not .*: holds' "csp: no event comes before the fork"
run sh -c '"$1" convert --to csp "$2" - | "$1" csp -' sh "$NORN" "$tmp/locks.trace"
status_is 66 "csp: by its name, to a pipe"
printf 't mark lock\n' >"$tmp/mark.trace"
run "$NORN" convert "$tmp/mark.trace" "$tmp/mark.csp"
status_is 3 "csp: a mark with the name of a channel: exit 3"
err_has 'lock cannot be the name of a mark' "csp: a mark with the name of a channel: says so"
[ ! -e "$tmp/mark.csp" ]
result $? "csp: a mark with the name of a channel: nothing is written"
printf 't release l\n' >"$tmp/bad.trace"
run "$NORN" convert "$tmp/bad.trace" "$tmp/bad.csp"
status_is 3 "csp: a trace that is not consistent: exit 3"
run "$NORN" convert --from csp "$tmp/locks.csp" -
status_is 2 "csp is not read"

finish
