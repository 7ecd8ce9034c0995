#!/bin/sh
# SPDX-License-Identifier: MIT
# norn report on directories of traces: predicted and merged, with the names of the tests; what cannot be read is said,
# and the others are merged; findings whose lines moved are known to a baseline, and to GitLab and GitHub.
. tests/cli/lib.sh

# race FILE VARIABLE LINE [DIRECTORY]: a race of two writes
race()
{
	printf 't1 fork t2 @m.c:1\nt1 write %s 1 @%sa.c:%s:2:f\nt2 write %s 2 @%sb.c:%s:3:g\n' "$2" "${4:-}" "$3" "$2" \
		"${4:-}" "$3" >"$1"
}

mkdir -p "$tmp/r/queue"
race "$tmp/r/first.norn" x 10
race "$tmp/y.trace" y 20
"$NORN" convert "$tmp/r/first.norn" "$tmp/r/queue/second.norn"
sed '$d' "$tmp/y.trace" >"$tmp/r/none.norn"
"$NORN" predict --json "$tmp/y.trace" >"$tmp/r/third.json"

run "$NORN" report --html "$tmp/r/all.html" --junit "$tmp/r/all.xml" "$tmp/r"
status_is 66 "traces and a report"
out_has '^Norn: 4 reports, 2 findings in 2 groups, 0 suppressed$' "traces and a report: merged"
out_has '^  In: first, queue/second$' "the names of the tests"
out_has '^  In: third$' "the name of a report"
[ "$(grep -c '<testsuite ' "$tmp/r/all.xml")" -eq 4 ]
result $? "JUnit: a suite for each"
err_empty "nothing else is said"
run "$NORN" report "$tmp/y.trace" "$tmp/r/first.norn"
status_is 66 "traces as operands, of any name"
out_has '^Norn: 2 reports, 2 findings' "traces as operands: both"

# reports of parts, as of several machines, keep the names of the tests
"$NORN" report --json --output "$tmp/part1.json" "$tmp/r" >/dev/null
"$NORN" report --json --output "$tmp/part2.json" "$tmp/y.trace" >/dev/null
run "$NORN" report "$tmp/part1.json" "$tmp/part2.json"
out_has '^Norn: 5 reports, 2 findings in 2 groups, 0 suppressed$' "merged reports, merged"
out_has '^  In: first, queue/second$' "merged reports: the names of the tests"
out_has '^  In: third, y.trace$' "merged reports: over both"
sed 's/"queue.second"/"nobody"/' "$tmp/part1.json" | sed '0,/"nobody"/s//"queue"/' >"$tmp/hostile.json"
run "$NORN" report "$tmp/hostile.json"
status_is 66 "merged reports: a name that no report has"

# what is written into the directory is not read by the next run
run "$NORN" report --json --output "$tmp/r/all.json" "$tmp/r"
run "$NORN" report --json --output "$tmp/r/all.json" "$tmp/r"
cp "$tmp/r/all.json" "$tmp/out"
json_is 'scalar @{$j->{reports}}' 4 "the report itself is no input"
rm "$tmp/r"/all.*

# options of norn predict
echo 'race:^f$' >"$tmp/supp"
run "$NORN" report --suppressions "$tmp/supp" --budget 5 --time 20 "$tmp/r/first.norn"
status_is 0 "suppressions"
out_has '^Norn: 1 report, 0 findings in 0 groups, 1 suppressed$' "suppressions: counted"
run "$NORN" report --time x "$tmp/r/first.norn"
[ $status -ne 0 ] && [ $status -ne 66 ]
result $? "an option that norn predict refuses is no all-clear"

# reports that are kept are used as long as the trace is the same
run "$NORN" report --keep "$tmp/r/first.norn" "$tmp/r/none.norn"
[ -s "$tmp/r/first.norn.json" ] && [ -s "$tmp/r/none.norn.json" ]
result $? "--keep: the reports are beside the traces"
sed -i 's/data race/kept race/' "$tmp/r/first.norn.json"
run "$NORN" report "$tmp/r"
out_has 'kept race on x' "kept: not predicted again"
out_has '^Norn: 4 reports, 2 findings' "kept: counted once"
sed 's/ x / z /' "$tmp/r/first.norn" >"$tmp/changed"
cp "$tmp/changed" "$tmp/r/first.norn"
run "$NORN" report "$tmp/r"
out_has 'data race on z' "kept, but the trace has changed: predicted again"
err_has 'first.norn.json: not the report of .*first.norn as it is now' "kept, but the trace has changed: said"
rm "$tmp/r"/*.norn.json
race "$tmp/r/first.norn" x 10

# what cannot be read is said, with the place, and the others are merged
mkdir "$tmp/bad" "$tmp/bad/lost.norn.rec.a8Xq1z"
cp "$tmp/r/first.norn" "$tmp/bad/good.norn"
head -c 40 "$tmp/r/queue/second.norn" >"$tmp/bad/cut.norn"
{ cat "$tmp/r/first.norn"; echo 't2 frobs x'; } >"$tmp/bad/word.norn"
: >"$tmp/bad/empty.norn"
printf '\177ELF\2\1\1' >"$tmp/bad/program.norn"
ln -s nowhere "$tmp/bad/link.norn"
run "$NORN" report "$tmp/bad"
status_is 66 "damaged traces: the good one is merged"
out_has '^  In: good$' "damaged traces: the good one is there"
err_has 'bad/cut.norn: the file is cut short at byte [0-9]*' "a trace that is cut: where"
err_has 'bad/word.norn:4: ' "a trace with a word that nobody knows: where"
err_has 'bad/empty.norn: the file is empty' "an empty trace"
err_has 'bad/program.norn' "no trace at all"
err_has 'bad/lost.norn.rec.a8Xq1z: a recording without a trace: norn merge ' "a recording whose recorder was killed"
rm "$tmp/bad"/good.norn
cp "$tmp/r/none.norn" "$tmp/bad/none.norn"
run "$NORN" report "$tmp/bad"
status_is 3 "damaged traces: no all-clear"
mkdir "$tmp/lost"
mv "$tmp/bad/lost.norn.rec.a8Xq1z" "$tmp/bad/none.norn" "$tmp/lost"
run "$NORN" report "$tmp/lost"
status_is 3 "a recording without a trace: no all-clear"
{ echo 'meta stopped-by no more room'; cat "$tmp/r/none.norn"; } >"$tmp/part.trace"
run "$NORN" report "$tmp/part.trace" "$tmp/r/none.norn"
status_is 4 "a recording that is not complete: no all-clear"

# a baseline knows what moved; another one like it is new; what is on another variable is new
"$NORN" predict --json "$tmp/r/first.norn" >"$tmp/old.json"
race "$tmp/moved.trace" x 31 /another/checkout/
run "$NORN" report --baseline "$tmp/old.json" "$tmp/moved.trace"
status_is 0 "a finding whose lines moved"
out_has '^WARNING: Norn: data race on x \(certified; known\)$' "a finding whose lines moved is known"
out_has ', 1 known, 0 gone$' "a finding whose lines moved is not gone"
{ cat "$tmp/moved.trace"; printf 't1 write x 3 @a.c:70:2:f\nt2 write x 4 @b.c:70:2:g\n'; } >"$tmp/more.trace"
run "$NORN" report --json --baseline "$tmp/old.json" "$tmp/more.trace"
status_is 66 "another one like it"
json_is 'join " ", map { my $s = $_; $s . "=" . grep { $_->{state} eq $s } @{$j->{findings}} } qw(known new)' \
	"known=1 new=$(perl -MJSON::PP -e 'print @{decode_json(do { local $/; <STDIN> })->{findings}} - 1' <"$tmp/out")" \
	"another one like it is new"
race "$tmp/other.trace" w 11
run "$NORN" report --baseline "$tmp/old.json" "$tmp/other.trace"
status_is 66 "another variable in the same functions is new"
out_has ', 0 known, 1 gone$' "another variable: the old one is gone"
sed "s/:10:2:f/:12:2:h/" "$tmp/r/first.norn" >"$tmp/function.trace"
run "$NORN" report --baseline "$tmp/old.json" "$tmp/function.trace"
status_is 66 "another function is new"
sed "s/write x 1/rmw x 0 1/; s/:10:/:12:/" "$tmp/r/first.norn" >"$tmp/op.trace"
run "$NORN" report --baseline "$tmp/old.json" "$tmp/op.trace"
status_is 66 "another operation is new"
sed '/likeness/d' "$tmp/old.json" >"$tmp/older.json"
run "$NORN" report --baseline "$tmp/older.json" "$tmp/moved.trace"
status_is 66 "a baseline of an older Norn: only what stayed is known"

# what GitLab and GitHub go by
for trace in "$tmp/r/first.norn" "$tmp/moved.trace"; do
	"$NORN" predict --gitlab "$tmp/g.json" --sarif "$trace" >"$tmp/s.json"
	sed -n 's/.*"\(fingerprint\|primaryLocationLineHash\)": *\(.*\)/\2/p' "$tmp/g.json" "$tmp/s.json" >"$trace.prints"
done
[ "$(wc -l <"$tmp/moved.trace.prints")" -eq 2 ]
result $? "GitLab and GitHub: both have one"
same_files "$tmp/r/first.norn.prints" "$tmp/moved.trace.prints" "GitLab and GitHub: the same when lines move"
"$NORN" predict --gitlab "$tmp/g.json" "$tmp/more.trace" >/dev/null
tests/support/check_gitlab <"$tmp/g.json" >"$tmp/out"
result $? "GitLab: those alike have a number"
[ "$(grep -c '"fingerprint": "[0-9a-f]*-[0-9]*"' "$tmp/g.json")" -ge 1 ]
result $? "GitLab: those alike have a number: there are some"

# what was seen, and heap blocks by their lines
for line in 12 40; do
	printf 'meta seen use-after-free ; t1 use heap:/src/a.c:%d~1+8 @/src/a.c:%d:1:f ; t2 free heap:/src/a.c:%d~1 @/src/a.c:%d:1:g\nt1 write q 1\n' \
		$line $line $line $line >"$tmp/seen.$line.trace"
done
"$NORN" predict --json "$tmp/seen.12.trace" >"$tmp/seen.json"
run "$NORN" report --baseline "$tmp/seen.json" "$tmp/seen.40.trace"
status_is 0 "what was seen, and moved"
out_has '; known\)$' "what was seen, and moved, is known"
finish
