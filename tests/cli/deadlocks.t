#!/bin/sh
# SPDX-License-Identifier: MIT
# Deadlocks by norn predict, from end to end: what is nominated and what is not, --bugs,
# suppressions, witnesses, and the reports.
. tests/cli/lib.sh
cat >"$tmp/two.trace" <<END
main fork t1 @bank.c:1
main fork t2 @bank.c:2
t1 acquire m @bank.c:10:3:pay
t1 acquire p @bank.c:11:3:pay
t1 release p @bank.c:13
t1 release m @bank.c:14
t2 acquire p @bank.c:20:3:refund
t2 acquire m @bank.c:21:3:refund
t2 release m @bank.c:23
t2 release p @bank.c:24
main write x 1 @bank.c:30
t1 write x 2 @bank.c:31
END

# Kinds
run "$NORN" predict --json "$tmp/two.trace"
status_is 66 "a race and a deadlock: exit 66"
json_is 'join " ", map { $_->{bug} } @{$j->{findings}}' "race deadlock" "both, the race first"
json_is '"$j->{bugs}{race}{proved} $j->{bugs}{deadlock}{proved} $j->{candidates}{proved}"' "1 1 2" \
	"counts of each kind, and of both"
run "$NORN" predict "$tmp/two.trace"
out_has '^Norn: 2 candidates, model values: 2 proved, 0 refuted, 0 undecided$' "text: counts of all"
out_has '^  race: 1 candidate, 1 proved, ' "text: of races"
out_has '^  deadlock: 1 candidate, 1 proved, ' "text: of deadlocks"
run "$NORN" predict --bugs race --json "$tmp/two.trace"
json_is 'join " ", map { $_->{bug} } @{$j->{findings}}' race "--bugs race: the race alone"
json_is 'exists $j->{bugs}{deadlock} ? "there" : "not there"' "not there" \
	"--bugs race: deadlocks are not counted"
for bugs in '--bugs deadlock,race' '--bugs deadlock --bugs race'; do
	run "$NORN" predict $bugs --json "$tmp/two.trace"
	json_is 'scalar @{$j->{findings}}' 2 "$bugs: both"
done
run "$NORN" predict --bugs race,leak "$tmp/two.trace"
status_is 2 "--bugs with what is not there: exit 2"
err_has '--bugs: no kind of bug "leak"; the kinds are race, deadlock' "--bugs with what is not there: says so"
run "$NORN" predict --bugs race, "$tmp/two.trace"
status_is 2 "--bugs with a comma at the end: exit 2"
run "$NORN" predict --bugs deadlock --model said "$tmp/two.trace"
status_is 0 "model said has no deadlocks"

# The report
run "$NORN" predict --bugs deadlock --json "$tmp/two.trace"
json_is 'my $f = $j->{findings}[0]; join " ", map { "$_->{event}:$_->{lock}:$_->{held_by}:$_->{taken}:$_->{location}{line}" } @{$f->{waits}}' \
	"4:p:t2:7:20 8:m:t1:3:10" "JSON: who waits for what, who holds it, where it was taken"
json_is '$j->{findings}[0]{title}' deadlock "JSON: the title"
json_is '$j->{findings}[0]{fingerprint} . ""' \
	"$(sed 's/t1/a/; s/t2/b/; s/ m / n /' "$tmp/two.trace" |
		"$NORN" predict --bugs deadlock --json - |
		perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{findings}[0]{fingerprint}')" \
	"JSON: the fingerprint is that of the places"
run "$NORN" predict --bugs deadlock --sarif "$tmp/two.trace"
json_is '$j->{runs}[0]{results}[0]{ruleId}' norn/deadlock "SARIF: the rule"
json_is '$j->{runs}[0]{results}[0]{message}{text}' \
	"Deadlock: thread t1 waits for p, which thread t2 holds, at bank.c:11; thread t2 waits for m, which thread t1 holds, at bank.c:21" \
	"SARIF: the message"
run sh -c '"$1" predict --sarif "$2" | tests/support/check_sarif' sh "$NORN" "$tmp/two.trace"
status_is 0 "SARIF: as the schema wants it"

# Witnesses
run "$NORN" predict --witness "$tmp/w" "$tmp/two.trace"
[ "$(echo $(ls "$tmp/w"))" = "11-12.witness 4,8.witness" ]
result $? "--witness: a file for each"
run "$NORN" certify "$tmp/two.trace" "$tmp/w/4,8.witness"
out_has '^certified: deadlock ' "--witness: certified"

# Suppressions
for pattern in '^m$' refund 'bank.c$' '^p'; do
	echo "deadlock:$pattern" >"$tmp/known"
	run "$NORN" predict --bugs deadlock --suppressions "$tmp/known" "$tmp/two.trace"
	status_is 0 "deadlock:$pattern: exit 0"
	out_has '1 proved \(1 suppressed\)' "deadlock:$pattern: counted"
done
for line in 'deadlock:^x$' 'deadlock:payment' 'race:^m$'; do
	echo "$line" >"$tmp/known"
	run "$NORN" predict --bugs deadlock --suppressions "$tmp/known" "$tmp/two.trace"
	status_is 66 "$line: does not fit"
done

# nominated NAME COUNT: some.trace has so many candidates.
nominated()
{
	run "$NORN" predict --bugs deadlock --json "$tmp/some.trace"
	json_is '"$j->{candidates}{signatures} " . ($j->{complete} ? "complete" : "not complete")' \
		"$2 complete" "$1"
}

# nest THREAD OUTER INNER LINE: one lock in the other.
nest()
{
	printf '%s\n' "$1 acquire $2 @a.c:$4" "$1 acquire $3 @a.c:$(($4 + 1))" "$1 release $3" \
		"$1 release $2"
}

{ nest t1 m p 1; nest t1 p m 3; } >"$tmp/some.trace"
nominated "one thread in both orders is no candidate" 0
{
	echo "t1 acquire g"
	nest t1 m p 1
	printf '%s\n' "t1 release g" "t2 acquire g"
	nest t2 p m 3
	echo "t2 release g"
} >"$tmp/some.trace"
nominated "behind a gate: no candidate" 0
{
	echo "t1 acquire-shared g"
	nest t1 m p 1
	printf '%s\n' "t1 release-shared g" "t2 acquire-shared g"
	nest t2 p m 3
	echo "t2 release-shared g"
} >"$tmp/some.trace"
nominated "a gate that both hold shared is none" 1
{
	echo "t0 fork t1"
	nest t1 m p 1
	printf '%s\n' "t0 join t1" "t0 fork t2"
	nest t2 p m 3
} >"$tmp/some.trace"
nominated "before and after a join: no candidate" 0
{
	nest t1 m p 1 | sed 's/acquire/acquire-shared/; s/release/release-shared/'
	nest t2 p m 3 | sed 's/acquire/acquire-shared/; s/release/release-shared/'
} >"$tmp/some.trace"
nominated "readers do not wait for readers" 0
{
	nest t1 m p 1 | sed 's/acquire/acquire-shared/; s/release/release-shared/'
	nest t2 p m 3
} >"$tmp/some.trace"
nominated "a writer waits for readers" 1
for i in 1 2 3 4 5; do nest "t$i" "f$i" "f$((i % 5 + 1))" 1; done >"$tmp/some.trace"
nominated "five philosophers of one code are one candidate" 1
for i in 1 2 3 4; do
	nest "t$i" m p 1
	nest "t$i" p m 3
done >"$tmp/some.trace"
nominated "many threads of the same code are one candidate" 1
{
	nest t1 m p 1
	nest t2 p m 3
	nest t3 p m 5
} >"$tmp/some.trace"
nominated "another place is another candidate" 2

# More cycles than anybody can look at: it is said. The accounts are of two kinds of code.
awk 'BEGIN {
	srand(1)
	for (i = 0; i < 4000; i++) {
		t = int(rand() * 8)
		a = int(rand() * 40)
		b = (a + 1 + int(rand() * 39)) % 40
		line = t < 4 ? 10 : 20
		print "t" t " acquire l" a " @a.c:" line "\nt" t " acquire l" b " @a.c:" line + 1
		print "t" t " release l" b "\nt" t " release l" a
	}
}' >"$tmp/bank.trace"
run "$NORN" predict --bugs deadlock "$tmp/bank.trace"
status_is 66 "very many cycles: what is found is found"
out_has '1 undecided: there are too many cycles of locks to examine them all$' "very many cycles: undecided"
out_has '^Not complete: ' "very many cycles: not complete"

for jobs in 1 3; do
	"$NORN" predict --json --jobs $jobs "$tmp/bank.trace" | grep -v '"seconds"' >"$tmp/jobs$jobs"
done
same_files "$tmp/jobs1" "$tmp/jobs3" "the report does not depend on the number of processes"
finish
