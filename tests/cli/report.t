#!/bin/sh
# SPDX-License-Identifier: MIT
# What norn predict writes: text, JSON and SARIF, and suppressions.
. tests/cli/lib.sh

trace=$tmp/race.trace
cat >"$trace" <<END
t1 fork t2 @$PWD/src/main.c:40:3:main
t1 write x 1 @$PWD/src/main.c:10:2:produce
t1 acquire l @$PWD/src/main.c:11:2:produce
t1 write y 1 @$PWD/src/main.c:12:2:produce
t1 release l @$PWD/src/main.c:13:2:produce
t2 acquire l @$PWD/src/main.c:20:2:consume
t2 write y 2 @$PWD/src/main.c:21:2:consume
t2 release l @$PWD/src/main.c:22:2:consume
t2 read x 1 @$PWD/src/main.c:23:2:consume
END

run "$NORN" predict "$trace"
status_is 66 "a race"
out_has '^WARNING: Norn: data race on x \(certified\)$' "text: what it is"
out_has '^  Write of x = 1 by thread t1:$' "text: an access"
out_has '#0 produce .*main.c:10:2 \(event 2\)$' "text: its place"
out_has '^  Thread t2 created by thread t1 at:$' "text: where the thread was created"
out_has 'thread t2: 3 events, .*main.c:20 … .*main.c:22, takes l, releases l$' "text: a step"
out_has '^SUMMARY: Norn: data race: .*main.c:10 in produce, .*main.c:23 in consume$' "text: summary"
out_has '^Norn: 1 candidate, .* 1 proved, 0 refuted, 0 undecided$' "text: counts"
out_has '^Every candidate is decided: race, deadlock and stuck, of this record' "text: complete"

! grep -q 'recorded order was kept' "$tmp/out"
result $? "text: no order was kept"
sed 's/^t2 acquire l .*/t1 once-begin order:1\nt1 once-end order:1\nt2 once-pass order:1\n&/' "$trace" \
	>"$tmp/kept.trace"
run "$NORN" predict "$tmp/kept.trace"
status_is 0 "order that was kept: no race"
out_has '^The recorded order was kept at 1 place, where code without hooks may order threads' \
	"order that was kept: said"
run "$NORN" predict --json "$tmp/kept.trace"
json_is '$j->{kept_order}' 1 "order that was kept: JSON"

run "$NORN" predict --color always "$trace"
out_has "$(printf '\033')\\[1;31mWARNING" "text in colour"

run "$NORN" predict --json "$trace"
status_is 66 "a race, as JSON"
json_is '$j->{format} . $j->{version}' norn-report3 "JSON: format and version"
json_is '$j->{complete} ? "yes" : "no"' yes "JSON: complete"
json_is 'join " ", map { $_->{event} } @{$j->{findings}[0]{events}}' '2 9' "JSON: the events"
json_is '$j->{tiers}[0]{proved}' 1 "JSON: the tiers"

# the witness in the report is the one that is written, and is right
run "$NORN" predict --json --witness "$tmp/w" "$trace"
json_is 'join " ", map { ref $_ ? $_->[0] .. $_->[1] : $_ } @{$j->{findings}[0]{witness}{run}}' \
	"$(sed -n 's/^run //p' "$tmp/w/2-9.witness")" "JSON: the run of the witness"
run "$NORN" certify "$trace" "$tmp/w/2-9.witness"
status_is 0 "the witness is certified"
"$NORN" predict --json "$trace" >"$tmp/report.json"
run "$NORN" certify "$trace" "$tmp/report.json#1"
status_is 0 "the finding of the report is certified"
out_has '^certified: race 2-9 ' "the finding of the report: it is the race"
run "$NORN" certify "$trace" "$tmp/report.json#2"
status_is 3 "no such finding in the report"

# a long run starts as recorded, which is one number; all that reads it knows what it means
awk 'BEGIN {
	for (i = 1; i <= 6000; i++) {
		t = "t" 1 + i % 2
		print t " acquire l\n" t " read y " i - 1 "\n" t " branch\n" t " write y " i "\n" \
			t " release l"
	}
	print "t1 write x 1 @x.c:1\nt1 acquire l\nt1 release l\nt2 acquire l\nt2 release l\nt2 write x 2 @x.c:2"
}' >"$tmp/long.trace"
run "$NORN" predict --witness "$tmp/w" "$tmp/long.trace"
out_has '^       as recorded up to event 30000$' "long: as recorded"
run "$NORN" predict --json "$tmp/long.trace"
cp "$tmp/out" "$tmp/long.json"
json_is '$j->{findings}[0]{witness}{recorded}' 30000 "long, JSON: as recorded"
run "$NORN" certify "$tmp/long.trace" "$tmp/long.json#1"
out_has '^certified: race 30001-30006 \(values\), 30002 events$' "long: the finding of the report is certified"
grep -q '^recorded 30000$' "$tmp/w/30001-30006.witness"
result $? "long: the witness says how far it is as recorded"
run "$NORN" certify "$tmp/long.trace" "$tmp/w/30001-30006.witness"
out_has '^certified: race 30001-30006 \(values\), 30002 events$' "long: the witness is certified"
sed 's/^recorded 30000/recorded 29999/' "$tmp/w/30001-30006.witness" >"$tmp/short.witness"
run "$NORN" certify "$tmp/long.trace" "$tmp/short.witness"
status_is 3 "long: with less of it, it is rejected"

run "$NORN" predict --sarif "$trace"
status_is 66 "a race, as SARIF"
json_is '$j->{runs}[0]{results}[0]{ruleId}' norn/data-race "SARIF: the rule"
json_is '$j->{runs}[0]{results}[0]{locations}[0]{physicalLocation}{artifactLocation}{uri}' \
	src/main.c "SARIF: files below the directory are relative to it"
json_is '$j->{runs}[0]{invocations}[0]{exitCode}' 66 "SARIF: the exit status"
for file in "$trace" $conformance/[!rs]*.trace; do
	"$NORN" predict --sarif "$file" 2>/dev/null | tests/support/check_sarif >>"$tmp/wrong" ||
		echo "$file" >>"$tmp/wrong"
done
command_run="norn predict --sarif, of the conformance traces"
cp "$tmp/wrong" "$tmp/out"
out_empty "SARIF: valid, with locations and without"

cat >"$tmp/supp" <<'END'
# known
race:^produce$
race:elsewhere
thread:never
END
run "$NORN" predict --suppressions "$tmp/supp" "$trace"
status_is 0 "suppressed: no findings"
out_has '1 proved \(1 suppressed\)' "suppressed: counted"
out_has '^  1 suppressed: race:\^produce\$ \(.*supp:2\)$' "suppressed: by what"
out_has '^  2 suppressions matched nothing$' "suppressions that do nothing"
run "$NORN" predict --json --suppressions "$tmp/supp" "$trace"
json_is 'join " ", map { $_->{matched} } @{$j->{suppressions}}' '1 0 0' "suppressed: JSON"
json_is '$j->{findings}[0]{suppressed} ? 1 : 0' 1 "suppressed: the finding is there"
run "$NORN" predict --sarif --suppressions "$tmp/supp" "$trace"
json_is '$j->{runs}[0]{results}[0]{suppressions}[0]{justification}' '^produce$' "suppressed: SARIF"
# a thread that goes past the arm of a branch
cat >"$tmp/arm.trace" <<END
t1 write x 1 @a.c:3
t1 acquire l
t1 write k 1 @a.c:5
t1 release l
t2 acquire l
t2 read k 1 @a.c:11
t2 release l
t2 branch if (= %6 1) scope=1 @a.c:13
t2 write c 1 @a.c:14
t2 write x 2 reads= @a.c:16
t2 end
END
run "$NORN" predict "$tmp/arm.trace"
status_is 66 "a race behind an arm"
out_has '^       takes the other path at a.c:13$' "text: which way it takes"
run "$NORN" predict --json "$tmp/arm.trace"
json_is 'join " ", @{$j->{findings}[0]{witness}{other_ways}}' 8 "JSON: which branches"
sed 's/ scope=1//' "$tmp/arm.trace" >"$tmp/no-arm.trace"
run "$NORN" predict "$tmp/no-arm.trace"
status_is 0 "without the scope there is none"

echo 'leak:x' >"$tmp/supp"
run "$NORN" predict --suppressions "$tmp/supp" "$trace"
status_is 3 "a type of suppression that nobody knows"
err_has 'supp:1: no suppression type "leak"' "... is named"
finish
