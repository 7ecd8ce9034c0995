#!/bin/sh
# SPDX-License-Identifier: MIT
# Watching Norn think: NORN_LOG, and norn predict --verbose.
. tests/cli/lib.sh
trace=$conformance/guarded-by-count.trace

# err_has PATTERN NAME
err_has()
{
	grep -q -e "$1" "$tmp/err"
	result $? "$2"
}

run "$NORN" predict -j1 "$trace"
cp "$tmp/out" "$tmp/plain"
[ ! -s "$tmp/err" ]
result $? "nothing is logged unless it is asked for"
run env NORN_LOG=greedy:1 "$NORN" predict -j1 "$trace"
same_files "$tmp/plain" "$tmp/out" "NORN_LOG does not change the report"
err_has '^norn: greedy: race [0-9]* [0-9]*: refuted$' "level 1 has a line for each question"
[ "$(grep -vc ': greedy: race' "$tmp/err")" -eq 0 ]
result $? "level 1 has nothing else, and no other topic"
run env NORN_LOG=greedy:2,solver:0 "$NORN" predict -j1 "$trace"
err_has '^norn: greedy: recorded: no, ' "level 2 has the attempts"
run env NORN_LOG=solver:2 "$NORN" predict -j1 --no-greedy "$trace"
err_has '^norn: solver: stage recorded sources: unsatisfiable' "the solver tells its stages"
err_has '^norn: solver: race [0-9 ]*: refuted in [0-9]* events, [0-9]* decisions' "and its effort"
run env NORN_LOG=sat:2 "$NORN" predict -j1 --no-greedy "$conformance/random-119.trace"
err_has '^norn: sat: conflict 1 at level [0-9]*: learned clause of [0-9]* literals' "the SAT core tells what it learns"
run env NORN_LOG=explore:1 "$NORN" explore "$trace"
err_has '^norn: explore: model [a-z]*: [0-9]* states, [0-9]* races, [0-9]* deadlocks$' \
	"the explorer tells its states"
run env NORN_LOG= "$NORN" predict -j1 "$trace"
same_files "$tmp/plain" "$tmp/out" "an empty NORN_LOG is none"
for bad in solver solver: solver:3 solver:x :1 solver:11 nobody:1 solver:1,,sat:1 solver:1,nobody:1; do
	run env NORN_LOG=$bad "$NORN" check "$trace"
	status_is 2 "NORN_LOG=$bad is rejected"
	[ ! -s "$tmp/out" ]
	result $? "NORN_LOG=$bad: nothing is done"
done
err_has 'no topic "nobody"; there are all, sat, solver, greedy, explore, merge, hunt$' "the topics are listed"

run "$NORN" predict -j1 --verbose "$trace"
same_files "$tmp/plain" "$tmp/out" "--verbose does not change the report"
grep -c '^norn: race' "$tmp/err" >"$tmp/out"
out_is "--verbose has a line for each candidate" <<'END'
3
END
sed 's/[0-9.]* s$/N s/' "$tmp/err" | head -1 >"$tmp/out"
out_is "with the engine and its seconds" <<'END'
norn: race 4 15: refuted; greedy: refuted in N s
END
run "$NORN" predict -j1 -v --no-greedy "$trace"
head -1 "$tmp/err" | sed 's/in [0-9.]* s/in N s/; s/[0-9]* decisions/N decisions/; s/[0-9]* conflicts/N conflicts/' \
	>"$tmp/out"
out_is "with decisions, conflicts and cone of the solver" <<'END'
norn: race 4 15: refuted; solver: refuted in N s, N decisions, N conflicts, cone of 18 events
END
run "$NORN" predict -j1 -v --no-greedy --solver 'sleep 9' --budget 1 --bugs race "$trace"
err_has '^norn: race 4 15: undecided, .*; smt: undecided in [01]\.[0-9]* s (' "why an engine gave up"

# what decides effort
for tune in greedy.tries=0 sat.restart_interval=1 solver.whole_most=0 deadlock.near=0; do
	run "$NORN" predict -j1 --tune $tune "$trace"
	same_files "$tmp/plain" "$tmp/out" "--tune $tune: the answers stay"
done
run "$NORN" predict -j1 --no-greedy --tune solver.cone_most=16 --bugs race --verbose "$trace"
err_has 'cone of 16 events' "--tune has an effect"
run "$NORN" predict -j1 --no-greedy --tune solver.cone_most=16 --tune solver.cone_most=20000 "$trace"
same_files "$tmp/plain" "$tmp/out" "--tune: the last one counts"
for bad in nobody=1 sat.nobody=1 restart_interval=1 sat.restart_interval sat.restart_interval= =1 '' \
	sat.restart_interval=0 sat.restart_interval=1000001 sat.restart_interval=-1 \
	sat.restart_interval=1k sat.restart_interval=18446744073709551617; do
	run "$NORN" predict --tune "$bad" "$trace"
	status_is 2 "--tune \"$bad\" is rejected"
	[ ! -s "$tmp/out" ]
	result $? "--tune \"$bad\": nothing is done"
done
err_has 'sat.restart_interval is a number from 1 to 1000000, not ' "the range is told"
run "$NORN" predict --tune sat.restart_intervall=5 "$trace"
err_has 'did you mean sat.restart_interval?' "a name that is near is told"
run "$NORN" predict --help
! grep -q -e --tune "$tmp/out"
result $? "--tune is not in the short help"
finish
