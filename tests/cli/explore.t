#!/bin/sh
# SPDX-License-Identifier: MIT
# norn explore: counts, lists, limits.
. tests/cli/lib.sh
cat >"$tmp/two.trace" <<'END'
t1 write x 1
t2 write y 1
END
run "$NORN" explore "$tmp/two.trace"
status_is 0 "exit 0"
err_empty "nothing on standard error"
# nothing, 1, 2, 1 2, 2 1
out_has '^executions +5$' "two independent events: five executions"
out_has '^proper +2$' "two independent events: two proper ones"
out_has '^states +4$' "two independent events: four states"
run "$NORN" explore --list "$tmp/two.trace"
out_is "--list" <<END
1 2
2 1
END
run "$NORN" explore --json "$tmp/two.trace"
json_is '"$j->{executions} $j->{proper} $j->{states} $j->{races}"' '5 2 4 0' "JSON: counts"
run "$NORN" explore --json --list "$tmp/two.trace"
json_is 'join ";", map { "@$_" } @$j' '1 2;2 1' "JSON: list"
run "$NORN" explore - <"$tmp/two.trace"
status_is 0 "standard input"

# a branch that keeps the read before the write, in mcm even without the branch
cat >"$tmp/read.trace" <<'END'
t1 read x 0
t1 branch
t2 write x 1
END
run "$NORN" explore --list "$tmp/read.trace"
out_is "a branch stops the thread whose read changed" <<END
1 2 3
1 3 2
3 1
END
printf 't1 read x 0\nt2 write x 1\n' >"$tmp/mcm.trace"
for model in values maximal predictable mcm said; do
	run "$NORN" explore --model $model --list "$tmp/mcm.trace"
	status_is 0 "model $model: exit 0"
	[ "$(wc -l <"$tmp/out")" -ge 1 ]
	result $? "model $model: has executions"
done
run "$NORN" explore --model said --list "$tmp/mcm.trace"
out_is "said: every read keeps its value" <<END
1 2
END

trace=$conformance/control-flow-race.trace
for model in values maximal predictable mcm said; do
	run "$NORN" explore --model $model $trace
	proper=$(sed -n 's/^proper *//p' "$tmp/out")
	run "$NORN" explore --model $model --list $trace
	[ "$(wc -l <"$tmp/out")" -eq "$proper" ]
	result $? "$model: as many in the list as counted"
	[ "$(sort -u "$tmp/out" | wc -l)" -eq "$proper" ]
	result $? "$model: each once"
done

run "$NORN" explore --max-states 3 $trace
status_is 4 "--max-states: exit 4"
out_empty "--max-states: no answer"
err_has '^undecided: ' "--max-states: says so"
run "$NORN" explore --max-memory 1k $trace
status_is 4 "--max-memory: exit 4"
err_has '^undecided: ' "--max-memory: says so"
run "$NORN" explore --max-states 1M --max-memory 1G $trace
status_is 0 "limits that suffice: exit 0"
printf 't1 release l\n' >"$tmp/bad.trace"
run "$NORN" explore "$tmp/bad.trace"
status_is 3 "not consistent: exit 3"
err_has 'bad.trace:1: event 1 ' "not consistent: where"
for format in csv rr focs; do
	run "$NORN" explore tests/import/sample.$format
	err_has 'has no branches, so model values ' "$format: says that it has no branches"
	run "$NORN" explore --model mcm tests/import/sample.$format
	err_empty "$format, --model mcm: says nothing"
done
finish
