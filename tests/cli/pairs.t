#!/bin/sh
# SPDX-License-Identifier: MIT
# norn pairs: output, witnesses, limits. conformance.t compares all answers.
. tests/cli/lib.sh
trace=$conformance/control-flow-race.trace
run "$NORN" pairs --by maximal $trace
status_is 66 "a race: exit 66"
err_empty "a race: nothing on standard error"
out_is "a race: the pair alone" <<END
3-10
END
run "$NORN" pairs --by mcm $trace
status_is 0 "no race: exit 0"
out_empty "no race: nothing"
run "$NORN" pairs --by deadlock $conformance/lock-order-deadlock.trace
status_is 66 "a deadlock: exit 66"
out_is "a deadlock: the waiting acquires" <<END
4,8
END
run "$NORN" pairs --by maximal - <$trace
out_is "standard input" <<END
3-10
END
run sh -c 'gzip -c "$1" | "$0" pairs --by maximal -' "$NORN" $trace
out_is "gzip through a pipe" <<END
3-10
END
mkfifo "$tmp/fifo"
cat $trace >"$tmp/fifo" &
run "$NORN" pairs --by maximal "$tmp/fifo"
out_is "a named pipe" <<END
3-10
END
for engine in explore greedy solver z3; do
	run "$NORN" pairs --by maximal --engine $engine $trace
	status_is 66 "--engine $engine: exit 66"
	out_is "--engine $engine" <<END
3-10
END
done
for engine in explore greedy solver z3; do
	run "$NORN" pairs --by deadlock --engine $engine $conformance/three-philosophers.trace
	status_is 66 "--engine $engine, a deadlock: exit 66"
	out_is "--engine $engine, a deadlock" <<END
2,6,10
END
done
run "$NORN" pairs --by deadlock $conformance/guarded-lock-order.trace
status_is 0 "a gate: no deadlock"
grep -v '^#' tests/stuck/expected.tsv >"$tmp/stuck.tsv"
tab=$(printf '\t')
while IFS=$tab read -r name want; do
	[ "$want" = - ] && want=
	for engine in explore solver; do
		run "$NORN" pairs --by stuck --engine $engine tests/stuck/$name.trace
		echo "$want" | tr ' ' '\n' | grep . >"$tmp/waits"
		out_is "--by stuck --engine $engine $name" <"$tmp/waits"
	done
done <"$tmp/stuck.tsv"
run "$NORN" pairs --by stuck --engine z3 tests/stuck/lost-wakeup.trace
status_is 4 "an engine that knows nothing of stuck threads: exit 4"
run "$NORN" pairs --by stuck --witness "$tmp/stuck" tests/stuck/lost-wakeup.trace
run "$NORN" certify tests/stuck/lost-wakeup.trace "$tmp/stuck/12.witness"
out_has '^certified: stuck ' "--witness: of a stuck thread, certified"
run "$NORN" pairs --by maximal --engine nobody $trace
status_is 2 "an engine that is not there: exit 2"
"$NORN" convert $trace "$tmp/t.norn"
run "$NORN" pairs --by maximal "$tmp/t.norn"
out_is "binary" <<END
3-10
END
run "$NORN" pairs --by maximal --json $trace
status_is 66 "JSON: exit 66"
json_is '"$j->{by}: @{$j->{findings}[0]}"' 'maximal: 3 10' "JSON: findings"
run "$NORN" pairs --by mcm --json $trace
json_is 'scalar @{$j->{findings}}' 0 "JSON: none"

run "$NORN" pairs --by maximal --witness "$tmp/w" $trace
status_is 66 "--witness: exit 66"
[ "$(ls "$tmp/w")" = 3-10.witness ]
result $? "--witness: one file for the pair"
run "$NORN" certify $trace "$tmp/w/3-10.witness"
out_has '^certified: race 3-10 \(maximal\), ' "--witness: certified"
run "$NORN" pairs --by deadlock --witness "$tmp/w" $conformance/lock-order-deadlock.trace
run "$NORN" certify $conformance/lock-order-deadlock.trace "$tmp/w/4,8.witness"
out_has '^certified: deadlock ' "--witness: of a deadlock, certified"
run "$NORN" pairs --by deadlock --model mcm --witness "$tmp/w" \
	$conformance/lock-order-deadlock.trace
run "$NORN" certify $conformance/lock-order-deadlock.trace "$tmp/w/4,8.witness"
out_has '^certified: deadlock .*\(mcm\)' "--model mcm: of a deadlock, certified"
run "$NORN" pairs --by maximal --witness "$tmp/no/such" $trace
status_is 3 "--witness into nowhere: exit 3"
out_empty "--witness into nowhere: nothing is printed"

run "$NORN" pairs --by maximal --engine explore --max-states 3 $trace
status_is 4 "--max-states: exit 4"
out_empty "--max-states: nothing"
err_has '^undecided: ' "--max-states: says so"
run "$NORN" pairs --by maximal --engine explore --max-memory 1k $trace
status_is 4 "--max-memory: exit 4"
printf 't1 write x 1\nt1 read x 2\n' >"$tmp/bad.trace"
for by in maximal quick deadlock; do
	run "$NORN" pairs --by $by "$tmp/bad.trace"
	status_is 3 "--by $by, not consistent: exit 3"
	err_has "bad.trace:2: event 2 " "--by $by, not consistent: where"
done

for by in values maximal predictable deadlock; do
	run "$NORN" pairs --by $by tests/import/sample.std
	err_has '^norn: .*sample.std: std has no branches' "--by $by of STD: says that it has no branches"
	[ "$(wc -l <"$tmp/err")" -eq 1 ]
	result $? "--by $by of STD: once"
done
for by in mcm said hb quick 'deadlock --model mcm'; do
	run "$NORN" pairs --by $by tests/import/sample.std
	err_empty "--by $by of STD: says nothing"
done

# many pairs come in the order of their numbers, not of their digits
i=0
while [ $i -lt 12 ]; do
	i=$((i + 1))
	echo "t$((i % 2)) write x $i"
done >"$tmp/many.trace"
run "$NORN" pairs --by maximal "$tmp/many.trace"
[ "$(wc -l <"$tmp/out")" -eq 36 ]
result $? "12 writes of two threads: 36 pairs"
sort -t- -k1,1n -k2,2n "$tmp/out" >"$tmp/sorted"
same_files "$tmp/sorted" "$tmp/out" "in order"
finish
