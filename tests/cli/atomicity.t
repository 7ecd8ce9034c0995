#!/bin/sh
# SPDX-License-Identifier: MIT
# Atomicity, from the source to a violation that is replayed; and right programs, which are clean.
. tests/cli/lib.sh
programs=tests/programs/atomicity

# The examples
for level in -O0 -O2; do
	run "$NORN" cc $level -g --atomic deposit examples/atomicity/faulty.c -o "$tmp/x"
	status_is 0 "faulty $level: builds"
	run "$NORN" run --output "$tmp/x.norn" "$tmp/x"
	status_is 66 "faulty $level: is found, by default"
	out_has 'atomicity violation on balance \(confirmed' "faulty $level: is replayed"
	out_has 'Pattern R-W-W' "faulty $level: with its pattern"
	out_has '#0 deposit examples/atomicity/faulty.c:' "faulty $level: and its region"
	run "$NORN" cc $level -g --atomic=deposit examples/atomicity/right.c -o "$tmp/x"
	run "$NORN" run --bugs atomicity,race --output "$tmp/x.norn" "$tmp/x"
	status_is 0 "right $level: is clean"
	out_has 'Every candidate is decided: race and atomicity' "right $level: and decided"
done

# Who says nothing gets nothing, by default
run "$NORN" cc -g examples/atomicity/faulty.c -o "$tmp/x"
run "$NORN" run --output "$tmp/x.norn" "$tmp/x"
status_is 0 "without a region there is no violation"
out_has 'decided: race, deadlock and stuck,' "and it is not looked for"

# NORN_ATOMIC, the same by a file of events, and what does not fit
run env NORN_ATOMIC="nothing deposit" "$NORN" cc -g examples/atomicity/faulty.c -o "$tmp/x"
status_is 0 "NORN_ATOMIC names functions"
err_has '^norn: warning: --atomic:1:20: the program has no .*nothing' "and who is not there is told"
run "$NORN" record --output "$tmp/x.norn" "$tmp/x"
run "$NORN" show "$tmp/x.norn"
out_has 'mark atomic begin @.*deposit$' "the trace has where it begins"
out_has 'mark atomic end @.*deposit$' "and where it ends"
echo 'atomic(bank) around body deposit' >"$tmp/bank.events"
run "$NORN" cc -g --events "$tmp/bank.events" examples/atomicity/faulty.c -o "$tmp/x"
run "$NORN" run --output "$tmp/x.norn" "$tmp/x"
out_has 'atomicity violation on balance \(confirmed' "a file of events says the same"
run "$NORN" cc --atomic
status_is 2 "--atomic needs a name"
err_has '^norn: --atomic needs the name of a function' "and says so"
run "$NORN" cc --atomic '' examples/atomicity/faulty.c -o "$tmp/x"
err_has '^norn: --atomic:1:19: expected the name of a function' "which is not empty"

# norn.h: the five patterns
for level in -O0 -O2; do
	run "$NORN" cc $level -g $programs/region.c -o "$tmp/x"
	run "$NORN" record --output "$tmp/x.norn" "$tmp/x"
	run "$NORN" predict --replay --json "$tmp/x.norn"
	status_is 66 "region.c $level: has violations"
	json_is 'join(" ", sort map { "$_->{pattern}:$_->{variable}:$_->{verdict}" } @{$j->{findings}})' \
		'R-W-R:rwr:confirmed R-W-W:rww:confirmed W-R-W:wrw:confirmed W-W-R:wwr:confirmed W-W-W:www:confirmed' \
		"region.c $level: of each pattern one, and no others"
	json_is '$j->{findings}[0]{bug} . " " . ($j->{findings}[0]{region} > 0)' 'atomicity 1' \
		"region.c $level: with the event at which the region begins"
done

# A trace goes all the way: witnesses, the certifier, SARIF, suppressions
run "$NORN" predict --witness "$tmp/witnesses" "$tmp/x.norn"
set -- "$tmp"/witnesses/*.witness
result $(($# != 5)) "a witness for each"
for witness; do
	run "$NORN" certify "$tmp/x.norn" "$witness"
	status_is 0 "$(basename "$witness"): the certifier accepts it"
done
sed 's/^bug atomicity \([0-9]*\) \([0-9]*\)/bug atomicity \2 \1/' "$1" >"$tmp/wrong.witness"
run "$NORN" certify "$tmp/x.norn" "$tmp/wrong.witness"
status_is 3 "but not in another order"
run "$NORN" predict --sarif "$tmp/x.norn"
json_is '$j->{runs}[0]{results}[0]{ruleId}' norn/atomicity "SARIF has the rule"
echo 'race:^www$' >"$tmp/suppressions"
run "$NORN" predict --suppressions "$tmp/suppressions" "$tmp/x.norn"
out_has '1 suppressed: race:\^www' "it is suppressed as a race is"

# C++: a method by its name, and a region that an exception ends
run "$NORN" c++ -g --atomic 'Counter::add' $programs/method.cpp -o "$tmp/x"
status_is 0 "method.cpp: builds"
run "$NORN" run --output "$tmp/x.norn" "$tmp/x"
status_is 66 "method.cpp: has a violation"
out_has 'atomicity violation .*confirmed' "method.cpp: which is replayed"
out_has '#0 add .*method.cpp:9 ' "method.cpp: in the method"
out_has '^Norn: 1 candidate' "method.cpp: and there is none behind the exception"

# Inferred: only if it is asked for
for level in -O0 -O2; do
	run "$NORN" cc $level -g $programs/sections.c -o "$tmp/x"
	run "$NORN" record --output "$tmp/x.norn" "$tmp/x"
	run "$NORN" predict "$tmp/x.norn"
	status_is 0 "sections.c $level: nothing by default"
	run "$NORN" predict --bugs atomicity --replay "$tmp/x.norn"
	status_is 66 "sections.c $level: a violation, if asked for"
	out_has 'atomicity violation on seats \(confirmed' "sections.c $level: replayed"
	out_has 'uses what the first one has read' "sections.c $level: with its reason"
	run "$NORN" cc $level -g $programs/looked-again.c -o "$tmp/x"
	run "$NORN" record --output "$tmp/x.norn" "$tmp/x"
	run "$NORN" predict --bugs atomicity "$tmp/x.norn"
	status_is 0 "looked-again.c $level: is right"
done
finish
