#!/bin/sh
# SPDX-License-Identifier: MIT
# Other people's solvers: z3, and any that reads SMT-LIB 2, also one that does not do as it should.
. tests/cli/lib.sh

trace=$conformance/control-flow-race.trace

ask()
{
	run "$NORN" predict --no-greedy --budget 20 --solver "$@"
}

for solver in z3 'cvc5 --lang smt2'; do
	ask "$solver" "$trace"
	status_is 66 "$solver: a race"
	out_has '^Norn: 1 candidate, model values: 1 proved, 0 refuted, 0 undecided$' "$solver: counts"
	ask "$solver" --model mcm "$trace"
	status_is 0 "$solver: no race in mcm"
	out_has '1 candidate.* 1 refuted' "$solver: which is refuted"
done

# undecided COMMAND WHY: a solver that behaves like this decides nothing, and harms nothing.
undecided()
{
	ask "$1" "$trace"
	status_is 4 "undecided: $1"
	out_has "1 undecided: .*$2" "says why: $1"
	out_has '^    race: .* at event 3, .* at event 10$' "and of what: $1"
}

undecided 'kill -9 $$' 'ended by signal 9'
undecided 'head -c 100 >/dev/null; kill -9 $$' 'ended by signal 9'
undecided 'exit 3' 'exit status 3'
undecided 'no-such-solver' 'not found'
undecided 'echo garbage' 'it answers "garbage"'
undecided 'echo "(error \"line 1\")"' 'it answers'
undecided 'cat >/dev/null; echo unknown' 'unknown'
undecided 'yes' 'prints too much'
undecided 'echo sat' 'is no execution'
undecided 'cat >/dev/null; echo sat; echo "((o0 0) (o1 9) (o2 1))"' 'is no execution'

run "$NORN" predict --no-greedy --budget 1 --solver 'sleep 100' "$trace"
status_is 4 "one that hangs is ended"
out_has 'no answer within 1 seconds' "says why: it hangs"

# killed once, it is started again for the next query
cat >"$tmp/two.trace" <<'END'
t1 write x 1 @a
t2 write x 2 @b
t1 write y 1 @c
t2 write y 2 @d
END
cat >"$tmp/flaky" <<END
if mkdir "$tmp/asked" 2>/dev/null; then kill -9 \$\$; fi
exec cvc5 --lang smt2
END
ask "sh $tmp/flaky" --jobs 1 "$tmp/two.trace"
status_is 66 "killed once: what is left is decided"
out_has '1 proved, 0 refuted, 1 undecided' "killed once: one is undecided"

# the queries as files, and what they say
ask z3 --dump-smt "$tmp/queries" "$trace"
[ -s "$tmp/queries/race-3-10-values.smt2" ]
result $? "--dump-smt"
run cvc5 --lang smt2 "$tmp/queries/race-3-10-values.smt2"
out_is "a query as a file" <<END
sat
END

finish
