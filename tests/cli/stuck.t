#!/bin/sh
# SPDX-License-Identifier: MIT
# norn predict --bugs stuck: what is known of the traces in tests/stuck, as reports.
. tests/cli/lib.sh
grep -v '^#' tests/stuck/expected.tsv >"$tmp/expected"
tab=$(printf '\t')
while IFS=$tab read -r name want; do
	trace=tests/stuck/$name.trace
	run "$NORN" predict --bugs stuck --json --witness "$tmp/$name" $trace
	if [ "$want" = - ]; then
		status_is 0 "$name: nothing"
		continue
	fi
	status_is 66 "$name: exit 66"
	# all waits of the findings are expected, and the findings have all that are
	json_is "my %e; \$e{\$_->{event}} = 1 for map { @{\$_->{waits}} } @{\$j->{findings}};
		join ' ', sort { \$a <=> \$b } keys %e" "$want" "$name: the waits"
	json_is '$j->{complete} + 0' 1 "$name: every candidate is decided"
	for file in "$tmp/$name"/*; do
		"$NORN" certify $trace "$file" || echo "$file is rejected"
	done >"$tmp/certified" 2>&1
	! grep -qv '^certified: stuck ' "$tmp/certified"
	result $? "$name: the witnesses are certified"
	"$NORN" predict --bugs stuck --sarif $trace | tests/support/check_sarif >"$tmp/sarif"
	result $? "$name: SARIF is good"
done <"$tmp/expected"

trace=tests/stuck/lost-wakeup.trace
run "$NORN" predict --bugs stuck $trace
out_is "a lost wake-up: the report" <<END
==================
WARNING: Norn: threads that wait forever (certified)
  Thread main waits for the end of thread consumer:
    #0 event 15
    thread consumer does not end

  Thread consumer waits on condition c:
    #0 event 12
    the signal by thread producer at event 9 came before the wait

  Thread consumer created by thread main at:
    #0 event 1

  Why it can happen: after 11 events of 3 threads no thread can continue.
    1. thread main: 2 events, event 1 … event 2, starts consumer, starts producer
    2. thread consumer: 2 events, event 3 … event 4
    3. thread producer: 5 events, event 7 … event 11, takes l, signals c, releases l, ends
    4. thread consumer: 2 events, event 5 … event 6, takes l, waits on c

SUMMARY: Norn: threads that wait forever: main join consumer, consumer woken c
==================
Norn: 1 candidate, model values: 1 proved, 0 refuted, 0 undecided
Every candidate is decided: stuck, of this record, under sequential consistency.
END
run "$NORN" predict tests/stuck/semaphore-taken-by-the-wrong-thread.trace
status_is 66 "by default"
run "$NORN" predict --bugs race,deadlock tests/stuck/semaphore-taken-by-the-wrong-thread.trace
status_is 0 "not if others are asked for"
run "$NORN" predict tests/conformance/three-philosophers.trace
out_has '^WARNING: Norn: deadlock of 3 threads' "with deadlocks"

# A stuck state that is how a reported deadlock ends is not reported again; any other is.
cat >"$tmp/cycle.trace" <<END
main fork a
main fork b
a acquire m @a.c:1
a acquire p @a.c:2
a release p
a release m
a end
b acquire p @a.c:5
b acquire m @a.c:6
b release m
b release p
b end
main join a @a.c:9
main join b @a.c:10
main end
END
# kinds BUGS EXPECTED NAME: the kinds of the findings in cycle.trace.
kinds()
{
	run "$NORN" predict --bugs $1 --json "$tmp/cycle.trace"
	json_is 'join " ", map { $_->{bug} } @{$j->{findings}}' "$2" "$3"
}
kinds stuck stuck "a cycle of locks is a stuck state"
kinds deadlock,stuck deadlock "with deadlocks it is told once"
json_is '"$j->{candidates}{proved} " . ($j->{complete} ? "complete" : "not complete")' \
	"1 complete" "and counted once"
{
	printf '%s\n' "main fork c" "main fork d" "d sem-post s" "c sem-wait s @a.c:20" "c sem-post s" \
		"d sem-wait s @a.c:21" "c end" "d end"
	sed '$d' "$tmp/cycle.trace"
	printf '%s\n' "main join c @a.c:30" "main join d @a.c:31" "main end"
} >"$tmp/more"
mv "$tmp/more" "$tmp/cycle.trace"
kinds deadlock,stuck "deadlock stuck" "a thread that waits for something else is told too"
cat >"$tmp/cycle.trace" <<END
main fork a
a acquire m @a.c:2
a release m
a end
main acquire m @a.c:3
main join a @a.c:4
main release m
main end
END
kinds deadlock,stuck stuck "to join who waits for one's lock is a stuck state"

# count BUGS KIND TRACE: findings of that kind.
count()
{
	"$NORN" predict --bugs $1 --json "$3" | grep -c "\"bug\": \"$2\""
}
for file in tests/stuck/*.trace $conformance/*deadlock*.trace $conformance/*stuck*.trace; do
	alone=$(count stuck stuck "$file")
	with=$(count deadlock,stuck stuck "$file")
	[ "$alone" -eq "$with" ] || [ "$(count deadlock,stuck deadlock "$file")" -gt 0 ]
	result $? "$(basename "$file"): what is not told as stuck is told as a deadlock"
done

echo 'deadlock:^c$' >"$tmp/known"
run "$NORN" predict --bugs stuck --suppressions "$tmp/known" $trace
status_is 0 "suppressed by the condition"
out_has '1 proved \(1 suppressed\)' "suppressed: counted"
run "$NORN" predict --bugs stuck --model said $trace
status_is 0 "model said: nothing is stuck"

# the same report whatever the number of processes; one finding for all meals
cat >"$tmp/philosophers.pl" <<'END'
print "main fork p$_\n" for 0 .. 4;
for my $p (0 .. 4) {
	my $right = ($p + 1) % 5;
	print "p$p acquire f$p \@a.c:1\np$p acquire f$right \@a.c:2\n",
		"p$p release f$right\np$p release f$p\n" for 1 .. 100;
	print "p$p end\n";
}
print "main join p$_\n" for 0 .. 4;
print "main end\n";
END
perl "$tmp/philosophers.pl" >"$tmp/philosophers.trace"
for jobs in 1 3; do
	run "$NORN" predict --bugs stuck --jobs $jobs "$tmp/philosophers.trace"
	status_is 66 "philosophers, --jobs $jobs: exit 66"
	cp "$tmp/out" "$tmp/jobs$jobs"
done
same_files "$tmp/jobs1" "$tmp/jobs3" "philosophers: the report does not depend on --jobs"
[ "$(grep -c '^WARNING' "$tmp/jobs1")" -eq 1 ]
result $? "philosophers: one finding"
finish
