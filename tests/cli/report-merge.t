#!/bin/sh
# SPDX-License-Identifier: MIT
# norn report: the reports of many runs as one; what is no report is said, and the others are merged.
. tests/cli/lib.sh

# race FILE VARIABLE LINE: a race of two writes
race()
{
	printf 't1 fork t2 @m.c:1\nt1 write %s 1 @a.c:%s:2:f\nt2 write %s 2 @b.c:%s:2:g\n' "$2" "$3" "$2" "$3" >"$1"
}

mkdir -p "$tmp/r/sub"
race "$tmp/x.trace" x 10
race "$tmp/y.trace" y 20
cat "$tmp/x.trace" - >"$tmp/both.trace" <<'END'
t1 write y 1 @a.c:20:2:f
t2 write y 2 @b.c:20:2:g
END
echo 't1 write x 1' >"$tmp/none.trace"
"$NORN" predict --json "$tmp/x.trace" >"$tmp/r/first.json"
"$NORN" predict --json "$tmp/both.trace" >"$tmp/r/sub/second.json"
"$NORN" predict --json "$tmp/none.trace" >"$tmp/r/third.json"

run "$NORN" report "$tmp/r"
status_is 66 "a directory"
out_has '^Norn: 3 reports, 2 findings in 2 groups, 0 suppressed$' "a directory: each finding once"
out_has '^  In: first, sub/second$' "a directory: the names of the tests"
out_has '^  write of y by thread t1 at a.c:20 in f$' "a directory: the events"
run "$NORN" report --json "$tmp/r/first.json" "$tmp/r/sub/second.json"
status_is 66 "files, as JSON"
json_is 'join " ", map { scalar @{$_->{reports}} } sort { $a->{variable} cmp $b->{variable} } @{$j->{findings}}' \
	'2 1' "JSON: each finding has its reports"
json_is '$j->{candidates}{signatures}' 3 "JSON: sums"
json_is '$j->{complete} ? "yes" : "no"' yes "JSON: complete"
cp "$tmp/out" "$tmp/merged.json"

# it is a report itself: merged again, and certified
run "$NORN" report --format lines "$tmp/merged.json"
[ "$(grep -c ': warning: data race on' "$tmp/out")" -eq 2 ]
result $? "a merged report can be merged"
number=$(perl -MJSON::PP -e 'my $f = decode_json(do { local $/; <STDIN> })->{findings};
	print grep { $f->[$_ - 1]{variable} eq "y" } 1 .. @$f' <"$tmp/merged.json")
run "$NORN" certify "$tmp/both.trace" "$tmp/merged.json#$number"
status_is 0 "a finding of a merged report is certified by its trace"

# a baseline: new, known, gone
"$NORN" predict --json "$tmp/x.trace" >"$tmp/old.json"
run "$NORN" report --baseline "$tmp/old.json" "$tmp/r"
status_is 66 "baseline: something is new"
out_has '^WARNING: Norn: data race on y \(certified; new\)$' "baseline: new"
out_has '^WARNING: Norn: data race on x \(certified; known\)$' "baseline: known"
[ "$(grep -n 'on y' "$tmp/out" | cut -d: -f1)" -lt "$(grep -n 'on x' "$tmp/out" | cut -d: -f1)" ]
result $? "baseline: what is new comes first"
run "$NORN" report --baseline "$tmp/merged.json" "$tmp/r/first.json"
status_is 0 "baseline: nothing is new"
out_has '^Norn: 1 report, 0 findings in 1 group, 0 suppressed, 1 known, 1 gone$' "baseline: gone"
run "$NORN" report --baseline "$tmp/x.trace" "$tmp/r/first.json"
status_is 3 "baseline: no report"
run "$NORN" report --baseline "$tmp/merged.json" --junit "$tmp/j.xml" "$tmp/r/first.json"
grep -q '<skipped message="known: it is in the baseline"/>' "$tmp/j.xml"
result $? "baseline: JUnit skips what is known"

run "$NORN" report --max-findings 1 "$tmp/r"
out_has '^1 more group of findings not shown \(--max-findings\)$' "--max-findings"

# one bug once: many pairs of one array are one group
{
	echo 't1 fork t2'
	for i in 1 2 3 4 5; do printf 't1 write a[%d] 1 @a.c:7\nt2 write a[%d] 2 @b.c:%d\n' $i $i $i; done
} >"$tmp/array.trace"
"$NORN" predict --json "$tmp/array.trace" >"$tmp/array.json"
run "$NORN" report "$tmp/array.json"
out_has '^Norn: 1 report, 5 findings in 1 group, 0 suppressed$' "one array is one group"
[ "$(grep -c '^  Also: at a.c:[0-9], at b.c:[0-9]$' "$tmp/out")" -eq 4 ]
result $? "one array: the other pairs are listed"

# one side shared: parts of one allocation; without, they are two
printf 't1 fork t2\nt1 write heap:a.c:3~1+%s 1 @a.c:1\nt1 write heap:a.c:3~2+%s 1 @a.c:%s\nt2 write heap:a.c:3~1+%s 2 @b.c:1\nt2 write heap:a.c:3~2+%s 2 @b.c:2\n' \
	0 8 1 0 8 >"$tmp/heap.trace"
"$NORN" predict --json "$tmp/heap.trace" >"$tmp/heap.json"
run "$NORN" report "$tmp/heap.json"
out_has '^Norn: 1 report, 2 findings in 1 group, 0 suppressed$' "one allocation and one side are one group"
sed 's/ 1 @a.c:1$/ 1 @a.c:5/; 3s/@a.c:5/@a.c:6/' "$tmp/heap.trace" >"$tmp/heap2.trace"
"$NORN" predict --json "$tmp/heap2.trace" >"$tmp/heap.json"
run "$NORN" report "$tmp/heap.json"
out_has '^Norn: 1 report, 2 findings in 2 groups, 0 suppressed$' "no side shared: two groups"

# the same in the text of a prediction, which ends with the places of the best
run "$NORN" predict "$tmp/array.trace"
[ "$(grep -c '^WARNING' "$tmp/out")" -eq 1 ] && [ "$(grep -c '^  Also on a\[[0-9]\]: a.c:[0-9], b.c:[0-9]$' "$tmp/out")" -eq 4 ]
result $? "norn predict: one array is told once, with the other places"
grep -q '^SUMMARY: Norn: data race: a.c:7, b.c:1$' "$tmp/out"
result $? "norn predict: one summary"
run "$NORN" predict "$tmp/heap2.trace"
[ "$(grep -c '^WARNING' "$tmp/out")" -eq 2 ] && ! grep -q Also "$tmp/out"
result $? "norn predict: no side shared: two"

# one copy of a structure races with many writes of its members; another variable is another bug
{
	echo 't1 fork t2'
	for i in 1 2 3 4 5 6 7 8 9 10 11; do printf 't1 write heap:a.c:3~1.m%d 1 @a.c:%d\n' $i $i; done
	for i in 1 2 3 4 5 6 7 8 9 10 11; do printf 't2 write heap:a.c:3~1.m%d 2 @copy.c:1\n' $i; done
	echo 't1 write other.m1 1 @a.c:50'
	echo 't2 write other.m1 2 @copy.c:1'
} >"$tmp/copy.trace"
run "$NORN" predict "$tmp/copy.trace"
[ "$(grep -c '^WARNING' "$tmp/out")" -eq 2 ] && [ "$(grep -c '^  Also on heap:a.c:3~1.m[0-9]*: a.c:[0-9]*, copy.c:1$' "$tmp/out")" -eq 8 ]
result $? "norn predict: one copy is told once, and another variable"
out_has '^  and 2 more findings like these; --json has all$' "norn predict: those that are not listed are counted"
"$NORN" predict --json "$tmp/copy.trace" >"$tmp/out"
json_is 'my %n; $n{$_->{group}}++ for @{$j->{findings}}; join " ", map { $n{$_} } sort keys %n' "11 1" "JSON: all findings, each with its group"
run "$NORN" predict --max-findings 1 "$tmp/copy.trace"
out_has '^1 more finding not shown' "norn predict --max-findings counts what is told"

# bad input: a clear word with the position, the others are still merged
mkdir "$tmp/bad"
cp "$tmp/r/first.json" "$tmp/bad/good.json"
head -c 700 "$tmp/r/first.json" >"$tmp/bad/cut.json"
sed 's/"version": 3/"version": 9/' "$tmp/r/first.json" >"$tmp/bad/nine.json"
"$NORN" predict --sarif "$tmp/x.trace" >"$tmp/bad/sarif.json"
: >"$tmp/bad/empty.json"
sed 's/"fingerprint": "/&<b>/' "$tmp/r/first.json" >"$tmp/bad/print.json"
printf '{"format": "norn-report",\n "version": 3, "findings": [}' >"$tmp/bad/syntax.json"
echo 'no JSON' >"$tmp/bad/ignored.txt"
run "$NORN" report "$tmp/bad"
status_is 66 "bad input: the others are merged"
out_has '^Norn: 1 report, 1 finding' "bad input: the good one"
err_has 'bad/cut.json: line [0-9]*, column [0-9]*: it ends early' "bad input: cut"
err_has 'bad/nine.json: a report of version 9; this Norn reads 2 and 3: predict again' "bad input: another version"
err_has 'bad/sarif.json: not a report of norn predict --json' "bad input: another tool"
err_has 'bad/empty.json: line 1, column 1: it ends early' "bad input: nothing"
err_has 'bad/print.json: a report with a finding without a fingerprint' "bad input: no fingerprint"
err_has 'bad/syntax.json: line 2, column 29: a value is missing' "bad input: the position"
rm "$tmp/bad/good.json"
cp "$tmp/r/third.json" "$tmp/bad/good.json"
run "$NORN" report "$tmp/bad"
status_is 3 "bad input: no all-clear"
run "$NORN" report "$tmp/bad/cut.json"
status_is 3 "bad input alone"
err_has 'there is no report and no trace that can be read' "bad input alone: said"
run "$NORN" report "$tmp/nowhere"
status_is 3 "no such file"
run "$NORN" report --format sarif "$tmp/r"
status_is 2 "SARIF is not made of reports"
err_has "sarif" "SARIF is not made of reports: said"
{ echo 'meta stopped-by no more room'; cat "$tmp/none.trace"; } >"$tmp/lost.trace"
"$NORN" predict --json "$tmp/lost.trace" >"$tmp/lost.json"
run "$NORN" report "$tmp/lost.json" "$tmp/r/third.json"
status_is 4 "a report that is not complete"
out_has '^1 report is not complete: there may be more findings$' "a report that is not complete: said"
finish
