#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports for other tools: JUnit, GitLab, editors, and GitHub's limits of SARIF; each against its
# schema, or a check that stands for the reader.
. tests/cli/lib.sh

# valid_junit FILE
valid_junit()
{
	xmllint --noout --schema tests/support/junit.xsd "$1" >"$tmp/lint" 2>&1 || {
		sed 's/^/# /' "$tmp/lint"
		return 1
	}
}

command -v xmllint >/dev/null || valid_junit() { grep -q '^</testsuites>$' "$1"; }

trace=$tmp/race.trace
cat >"$trace" <<END
t1 fork t2 @$PWD/src/main.c:40:3:main
t1 write <x>&"' 1 @$PWD/src/main.c:10:2:produce
t1 acquire l @$PWD/src/main.c:11:2:produce
t1 release l @$PWD/src/main.c:13:2:produce
t2 acquire l @$PWD/src/main.c:20:2:consume
t2 release l @$PWD/src/main.c:22:2:consume
t2 read <x>&"' 1 @$PWD/src/main.c:23:2:consume
END

run "$NORN" predict --junit "$tmp/j.xml" --gitlab "$tmp/g.json" --lines "$tmp/l" "$trace"
status_is 66 "files beside the report"
out_has '^WARNING: Norn: data race on <x>' "files beside the report: it is printed as well"
valid_junit "$tmp/j.xml"
result $? "JUnit: valid"
grep -q '<testsuites name="Norn" tests="2" failures="1" errors="0" skipped="0">' "$tmp/j.xml"
result $? "JUnit: counts"
grep -q '<failure type="norn/data-race" message="data race on &#60;x&#62;&#38;&#34;&#39;">' "$tmp/j.xml"
result $? "JUnit: names are escaped"
tests/support/check_gitlab <"$tmp/g.json" >"$tmp/out"
result $? "GitLab: valid"
cp "$tmp/g.json" "$tmp/out"
json_is '"$j->[0]{location}{path}:$j->[0]{location}{lines}{begin} $j->[0]{severity}"' 'src/main.c:10 major' \
	"GitLab: the path is relative to the directory"
json_is '$j->[0]{fingerprint}' "$("$NORN" predict --json "$trace" | sed -n 's/.*"likeness": "\(.*\)",/\1/p')" \
	"GitLab: the fingerprint is the likeness of the JSON report"
cp "$tmp/l" "$tmp/out"
out_is "lines: as a compiler has them" <<'END'
src/main.c:10:2: warning: data race on <x>&"' (certified) [norn/data-race]
src/main.c:10:2: note: write of <x>&"' by thread t1
src/main.c:23:2: note: read of <x>&"' by thread t2
END

# the same by --format
for kind in junit gitlab lines; do
	run "$NORN" predict --format $kind "$trace"
	status_is 66 "--format $kind"
done
run "$NORN" predict --format lines --junit "$tmp/nowhere/j.xml" "$trace"
status_is 3 "a file that cannot be written"

# suppressed, and not decided
echo 'race:^produce$' >"$tmp/supp"
run "$NORN" predict --suppressions "$tmp/supp" --junit "$tmp/j.xml" --gitlab "$tmp/g.json" --format lines "$trace"
status_is 0 "suppressed"
out_empty "lines: what is suppressed is no line"
valid_junit "$tmp/j.xml" && grep -q '<skipped message="suppressed"/>' "$tmp/j.xml"
result $? "JUnit: what is suppressed is skipped"
tests/support/check_gitlab <"$tmp/g.json" >"$tmp/out" && ! grep -q description "$tmp/g.json"
result $? "GitLab: what is suppressed is left out"
{ echo 'meta stopped-by no more room'; sed 6q "$trace"; } >"$tmp/cut.trace"
run "$NORN" predict --junit "$tmp/j.xml" "$tmp/cut.trace"
status_is 4 "a recording that is not complete"
valid_junit "$tmp/j.xml" && grep -q '<skipped message=".*the recording is not complete"/>' "$tmp/j.xml"
result $? "JUnit: a report that is not complete says so"

# every kind of finding
for file in $conformance/[!rs]*.trace tests/stuck/*.trace; do
	"$NORN" predict --junit "$tmp/j.xml" --gitlab "$tmp/g.json" --format lines "$file" >"$tmp/l" 2>/dev/null
	[ $? -eq 3 ] && continue
	valid_junit "$tmp/j.xml" || echo "$file: junit"
	tests/support/check_gitlab <"$tmp/g.json" || echo "$file: gitlab"
	grep -nv '^[^:]*:[1-9][0-9]*:[1-9][0-9]*: \(warning\|note\): .' "$tmp/l" | sed "s#^#$file: lines: #"
done >"$tmp/out"
command_run="norn predict, of all traces"
out_empty "all traces: valid"

# not all of them as text
run "$NORN" predict --max-findings 1 tests/conformance/peterson.trace
status_is 66 "--max-findings"
all=$("$NORN" predict tests/conformance/peterson.trace | grep -c '^WARNING')
[ "$all" -ge 2 ] && [ "$(grep -c '^WARNING' "$tmp/out")" -eq 1 ]
result $? "--max-findings: so many are printed"
out_has "^$((all - 1)) more findings? not shown \(--max-findings\)\$" "--max-findings: the others are counted"

# GitHub's limits: long flows, many results; those suppressed are left out first
awk 'BEGIN {
	print "t1 fork t2"
	for (i = 1; i <= 1200; i++) print "t" 1 + i % 2 " acquire l @a.c:" i "\nt" 1 + i % 2 " release l @a.c:" i
	print "t1 write x 1 @a.c:9001\nt1 acquire l\nt1 release l\nt2 acquire l\nt2 release l\nt2 write x 2 @a.c:9002"
}' >"$tmp/flow.trace"
"$NORN" predict --sarif --model mcm "$tmp/flow.trace" >"$tmp/out"
tests/support/check_sarif <"$tmp/out" >"$tmp/wrong"
result $? "SARIF: a long flow is within the limits"
awk 'BEGIN {
	print "t1 fork t2"
	for (i = 1; i <= 5100; i++) print "t1 write x" i " 1 @a.c:" i ":1:" (i == 7 ? "known" : "f")
	for (i = 1; i <= 5100; i++) print "t2 write x" i " 2 @b.c:" i
}' >"$tmp/many.trace"
echo 'race:^known$' >"$tmp/supp"
"$NORN" predict --sarif --suppressions "$tmp/supp" "$tmp/many.trace" >"$tmp/out"
[ "$(grep -c '"ruleId"' "$tmp/out")" -eq 5000 ]
result $? "SARIF: 5,000 results"
! grep -q '"suppressions"' "$tmp/out"
result $? "SARIF: those suppressed are left out first"
out_has '"text": "100 more results are left out; JSON has them."' "SARIF: it says what is left out"

# SARIF's own schema, of every kind of finding, with stacks, and at the limits
if schema=$(tests/support/sarif_schema "${BUILD:-$PWD/build}/npm") && python3 -c 'import jsonschema' 2>/dev/null; then
	mkdir "$tmp/sarif"
	cp "$tmp/out" "$tmp/sarif/many"
	"$NORN" predict --sarif --model mcm "$tmp/flow.trace" >"$tmp/sarif/flow"
	"$NORN" c++ -O0 -g -pthread -o "$tmp/stacks" tests/programs/stacks/stacks.cpp
	"$NORN" record -o "$tmp/stacks.norn" "$tmp/stacks" >/dev/null 2>&1
	"$NORN" predict --sarif "$tmp/stacks.norn" >"$tmp/sarif/stacks"
	grep -q '"stacks"' "$tmp/sarif/stacks"
	result $? "SARIF's schema: stacks are among what is looked at"
	for file in $conformance/*.trace $conformance/*/*.trace tests/stuck/*.trace; do
		"$NORN" predict --sarif "$file" >"$tmp/sarif/$(echo "$file" | tr / _)" 2>/dev/null
	done
	find "$tmp/sarif" -size 0 -delete
	[ "$(find "$tmp/sarif" -type f | wc -l)" -ge 200 ]
	result $? "SARIF's schema: reports of many traces"
	run tests/support/check_schema "$schema" "$tmp"/sarif/*
	status_is 0 "SARIF's schema: all reports keep to it"
	sed 's/"startLine": \([0-9]*\)/"startLine": 0/' "$tmp/sarif/flow" >"$tmp/wrong.sarif"
	run tests/support/check_schema "$schema" "$tmp/wrong.sarif"
	status_is 1 "SARIF's schema: a line 0 is refused by it"
else
	echo "ok $((tests += 1)) - SARIF's schema # SKIP no npm, or no python3-jsonschema"
fi
finish
