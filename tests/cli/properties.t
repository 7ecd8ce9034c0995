#!/bin/sh
# SPDX-License-Identifier: MIT
# norn predict --property: every answer of tests/conformance/properties, every witness through the
# certifier once more, from its file; reports; what is wrong with a script.
. tests/cli/lib.sh
tab=$(printf '\t')
cases=$conformance/properties
while IFS=$tab read -r case answer; do
	[ "$case" = case ] && continue
	want=66
	[ "$answer" = holds ] && want=0
	rm -rf "$tmp/w"
	run "$NORN" predict -m values -j1 -w "$tmp/w" -p "$cases/$case.csp" "$cases/$case.trace"
	status_is $want "$case $answer"
	for file in "$tmp/w"/*.witness; do
		[ -e "$file" ] || continue
		run "$NORN" certify "$cases/$case.trace" "$file"
		status_is 0 "$case: ${file##*/} is certified"
		# without its last event it breaks nothing
		sed 's/^\(run.*\) [0-9]*$/\1/; s/^bug property.*/bug property/' "$file" >"$tmp/short.witness"
		run "$NORN" certify "$cases/$case.trace" "$tmp/short.witness"
		[ $status -ne 0 ]
		result $? "$case: not without its last event"
	done
done <$cases/expected.tsv
[ "$tests" -ge 110 ]
result $? "there were 60 cases"

# the scripts that come with Norn, each with a trace of a faulty program and of a right one
for script in properties/*.csp; do
	name=$(basename "$script" .csp)
	run "$NORN" predict -j1 -p "$script" "tests/properties/$name-bad.trace"
	status_is 66 "$name: the fault is found"
	run "$NORN" predict -j1 -p "$script" "tests/properties/$name-good.trace"
	status_is 0 "$name: what is right is clean"
	# a run that had none of its events
	{
		grep -v -e '^#' -e '^quiet' "properties/$name.events" | awk 'NF {
			fields = match($0, /^[a-z]*\([^)]*\)/) ? split(substr($0, 1, RLENGTH), part, ",") : 0
			sub(/[ (].*/, "")
			print "meta event", $0, fields }' | sort -u
		printf 'main begin\nmain end\n'
	} >"$tmp/none.trace"
	run "$NORN" predict -j1 -p "$script" "$tmp/none.trace"
	status_is 0 "$name: nothing happened"
done

cat >"$tmp/file.trace" <<'END'
main begin
main fork t
main mark open 3 @main.c:2:main
t begin
t mark access 3 @main.c:9:work
t end
main mark close 3 @main.c:4:main
main join t
main end
END
cat >"$tmp/file.csp" <<'END'
files = Union({open_arg1, access_arg1, close_arg1})
channel open, access, close : thread.files
FILE(f) = open?t!f -> OPENED(f)
OPENED(f) = access?t!f -> OPENED(f) [] close?t!f -> FILE(f)
FILES = ||| f : files @ FILE(f)
print files
assert FILES [T= PROGRAM |\ {|open, access, close|} :[partial order reduce [precise]]
assert RUN({|open, close|}) [T= PROGRAM |\ {|open, close|}
assert STOP [T= (PROGRAM [| {|open, close|} |] WD(close?t?f -> open?u!f -> SKIP, {|open, close|})) |\ {error}
assert STOP [T= (PROGRAM [| {|open, close|} |] WD(open?t?f -> close?u!f -> SKIP, {|open, close|})) |\ {error}
END
run "$NORN" predict -p "$tmp/file.csp" "$tmp/file.trace"
status_is 66 "a script that declares the channels itself"
out_has '^Norn: 4 candidates, model values: 2 proved, 2 refuted, 0 undecided$' "each assertion is a candidate"
out_has 'Not allowed: access.1.3 by thread t:' "the event that is not allowed"
out_has 'the specification is at FILE.3.' "where the specification is"
out_has 'and allows: open.0.3, open.1.3$' "what it would have allowed"
out_has '^SUMMARY: Norn: property violated: main.c:9 in work' "the last line"
run "$NORN" predict --json -p "$tmp/file.csp" "$tmp/file.trace"
json_is '$j->{findings}[0]{property}{number} . " " . $j->{findings}[0]{property}{line}' '1 7' "JSON: which assertion"
json_is '$j->{findings}[0]{property}{order}[-1]{name}' access.1.3 "JSON: the order"
json_is '$j->{findings}[0]{property}{specification}{at}' 'FILE(3)' "JSON: where the specification is"
json_is '$j->{findings}[0]{witness}{assertion}' 1 "JSON: the witness names the assertion"
json_is '$j->{findings}[0]{fingerprint} ne $j->{findings}[1]{fingerprint}' 1 "JSON: fingerprints"
run sh -c '"$1" predict --sarif -p "$2" "$3" | tests/support/check_sarif' sh "$NORN" "$tmp/file.csp" "$tmp/file.trace"
status_is 0 "SARIF is valid"
run "$NORN" predict -p "$tmp/file.csp" --bugs race "$tmp/file.trace"
out_has '^Every candidate is decided: races?.*propert' "other bugs beside it"

printf 'main mark access 3\nmain mark open 3\nmain mark close 3\n' >"$tmp/seen.trace"
run "$NORN" predict -p properties/file.csp "$tmp/seen.trace"
out_has 'Seen: the recorded run broke it, too' "the recorded run broke it, too"

# deadlock as a property
cat >"$tmp/live.csp" <<'END'
channel live
LIVE = live -> LIVE
assert LIVE [F= ((PROGRAM [| {endthreads} |> SKIP) \ Events) ; LIVE
END
run "$NORN" predict -p "$tmp/live.csp" "$conformance/lock-order-deadlock.trace"
case $status in 0 | 66) ;; *) false ;; esac
result $? "a trace without end events can be asked"
run "$NORN" predict -p "$tmp/live.csp" "$tmp/file.trace"
status_is 0 "a program that always ends"

# a trace that is too long for going through its states
long()
{
	awk -v last="$1" 'BEGIN { print "main begin\nmain mark open 3\nmain fork t\nt begin"
		for (i = 0; i < 20000; i++)
			print i % 2 ? "main" : "t", "write v" i % 7, 1, "reads="
		print "t acquire l\nt mark access 3\nt release l\nt end\n" last "\nmain end" }'
}
long 'main acquire l\nmain mark close 3\nmain release l\nmain join t' >"$tmp/long.trace"
run "$NORN" predict -p properties/file.csp "$tmp/long.trace"
status_is 66 "a long trace: the fault is found"
long 'main join t\nmain mark close 3' >"$tmp/long.trace"
run "$NORN" predict -p properties/file.csp "$tmp/long.trace"
status_is 0 "a long trace: what is right is refuted"
# threads say by a flag under a lock that they are done with the files
flagged()
{
	awk 'BEGIN {
		print "main begin"
		for (f = 0; f < 40; f++) print "main mark open " f
		for (t = 0; t < 8; t++) print "main fork t" t
		for (t = 0; t < 8; t++) {
			for (r = 0; r < 400; r++) {
				print "t" t " acquire l" t "\nt" t " write x" t " " r "\nt" t " read x" t " " r
				if (r < 40) print "t" t " mark access " r
				print "t" t " release l" t
			}
			print "t" t " acquire m\nt" t " write done" t " 1 = 1\nt" t " release m\nt" t " end"
		}
		for (t = 0; t < 8; t++)
			print "main acquire m\nmain read done" t " 1\nmain release m\nmain branch"
		for (f = 0; f < 40; f++) print "main mark close " f
	}' | sed "$1"
}
flagged '' >"$tmp/flagged.trace"
run "$NORN" predict -p properties/file.csp "$tmp/flagged.trace"
status_is 0 "a long trace: what flags under a lock order is refuted"
out_has ': 0 proved, 1 refuted, 0 undecided' "a long trace: all of it"
flagged '/main read done7/,/main branch/{/main branch/d}' >"$tmp/flagged.trace"
run "$NORN" predict -p properties/file.csp "$tmp/flagged.trace"
status_is 66 "a long trace: a flag that nobody looks at orders nothing"

# replay: all of the run, the event that breaks it last
cat >"$tmp/file.c" <<'END'
#include <norn.h>
#include <pthread.h>
#include <unistd.h>
static void *work(void *p)
{
	NORN_MARK("access 3");
	return p;
}
int main(void)
{
	pthread_t t;
	NORN_MARK("open 3");
	pthread_create(&t, NULL, work, NULL);
	sleep(1);
	NORN_MARK("close 3");
	pthread_join(t, NULL);
	return 0;
}
END
"$NORN" cc "$tmp/file.c" -o "$tmp/file" && "$NORN" record -o "$tmp/file.norn" "$tmp/file"
sed '/WD/d' "$tmp/file.csp" >"$tmp/order.csp"
run "$NORN" predict --replay -p "$tmp/order.csp" "$tmp/file.norn"
out_has 'Replayed: at .*file.c:6' "it is replayed"
"$NORN" predict --json -p "$tmp/order.csp" "$tmp/file.norn" >"$tmp/report.json"
run "$NORN" replay "$tmp/report.json#1"
status_is 66 "norn replay, of a report"
out_has '^replayed: at .*file.c:6' "norn replay says up to where"
run "$NORN" run -o "$tmp/run.norn" --property "$tmp/order.csp" "$tmp/file"
status_is 66 "norn run --property"
out_has 'property violated .confirmed' "norn run --property: confirmed"

# what is wrong
wrong()
{
	printf "$2" >"$tmp/wrong.csp"
	run "$NORN" predict -p "$tmp/wrong.csp" "$tmp/file.trace"
	status_is 3 "$1: exit status"
	err_has "$3" "$1"
}
wrong "a name that is not known" 'assert STOP [T= PROGRAM |\\ {|opn|}\n' 'wrong.csp:1:30: '
wrong "not an assertion" 'P = STOP\n' 'wrong.csp: there is no assertion'
wrong "two programs" 'assert STOP [T= PROGRAM ||| PROGRAM\n' 'wrong.csp:1:1: PROGRAM is there more than once'
wrong "a program with priorities" 'external prioritise\nassert STOP [T= prioritise(PROGRAM, <{}, Events>)\n' 'wrong.csp:2:1: PROGRAM cannot stand in chase or prioritise'
wrong "no program" 'assert STOP [T= STOP\n' 'wrong.csp:1:1: this assertion does not speak of PROGRAM'
wrong "not" 'assert not STOP [T= PROGRAM\n' 'wrong.csp:1:1: .not. is not shown by one execution'
wrong "divergence" 'assert STOP [FD= PROGRAM\n' 'wrong.csp:1:1: no program diverges'
wrong "a channel too narrow" 'channel open : thread.{1}\nassert STOP [T= PROGRAM\n' 'open.0.3, event 3 of the trace, is no event of the script'
wrong "what is found when it runs" 'P = open?t?f -> (if f / 0 == 1 then P else STOP)\nassert P [T= PROGRAM |\\ {|open, access|}\n' 'wrong.csp:1:[0-9]*: '
printf 'main mark a\nmain mark a 1\n' >"$tmp/odd.trace"
run "$NORN" predict -p "$tmp/live.csp" "$tmp/odd.trace"
status_is 3 "marks that no channel has: exit status"
err_has 'event 2: mark a has 1 fields here, and had 0 before' "marks that no channel has"
run "$NORN" predict --bugs property "$tmp/file.trace"
status_is 2 "--bugs property without a script"
run "$NORN" predict -p "$tmp/none.csp" "$tmp/file.trace"
status_is 3 "no such file"

# numbers that the trace does not have: the channels are those that are given
sed '/^channel/d; /RUN\|WD/d' "$tmp/file.csp" >"$tmp/given.csp"
printf 'main mark open 3\nmain mark open 4\nmain mark access 3\nmain mark access 5\nmain mark close 3\n' >"$tmp/unopened.trace"
rm -rf "$tmp/w"
run "$NORN" predict -w "$tmp/w" -p "$tmp/given.csp" "$tmp/unopened.trace"
out_has 'Not allowed: access.0.5 by thread main' "a file that nobody opens is no error in the script"
run sh -c '"$1" certify "$2" "$3"/*.witness' sh "$NORN" "$tmp/unopened.trace" "$tmp/w"
status_is 0 "a file that nobody opens: for the certifier, neither"
cat >"$tmp/absent.csp" <<'END'
A = open?t!99 -> STOP [] lock.7.7 -> STOP [] open.0.3 -> open?t?f:{4, 98} -> B
B = access?t!3 -> RUN({access.0.5, access.0.97})
assert A [T= (PROGRAM |\ {|open, access, open.0.96|})[[access.0.98 <- open.0.3]]
assert STOP [T= (PROGRAM [| {open.0.99} |] open.0.99 -> error -> STOP) |\ {error}
channel live
LIVE = live -> LIVE
assert LIVE [F= (PROGRAM [| {endthreads} |> SKIP) \ Events ; LIVE
END
run "$NORN" predict -p "$tmp/absent.csp" "$tmp/unopened.trace"
out_has '^Norn: 3 candidates, model values: 0 proved, 3 refuted' "events that never happen: no process offers them"
echo 'assert open.0.99 -> STOP [F= PROGRAM |\ {|open|}' >>"$tmp/absent.csp"
run "$NORN" predict -p "$tmp/absent.csp" "$tmp/unopened.trace"
status_is 3 "what could insist on them: exit status"
err_has 'absent.csp:8:8: the channel open cannot carry 99 as its field 2' "what could insist on them is an error"

# an event that the run could have had
# what the run never had
cat >"$tmp/word.trace" <<'END'
meta event never 2
meta word never 2 store
meta word access 1 store
main mark access load
main mark access load
END
cat >"$tmp/word.csp" <<'END'
A = access?t!load -> A [] access?t!store -> STOP [] never?t?n!store -> STOP
assert A [T= PROGRAM |\ {|access, never|}
assert access?t!store -> STOP [T= PROGRAM |\ {|access|}
assert if access_arg1 == {load} and never_arg2 == {} then A else STOP [T= PROGRAM |\ {|access|}
END
rm -rf "$tmp/w"
run "$NORN" predict -w "$tmp/w" -p "$tmp/word.csp" "$tmp/word.trace"
out_has '1 proved, 2 refuted' "words that the run never had: known, and in no set of values"
run sh -c '"$1" certify "$2" "$3"/*.witness' sh "$NORN" "$tmp/word.trace" "$tmp/w"
status_is 0 "words that the run never had: the certifier knows them, too"

printf 'meta event never 2\nmain mark a\n' >"$tmp/never.trace"
printf 'assert STOP [T= PROGRAM |\\ {|never|}\nassert RUN(Events) [T= PROGRAM\n' >"$tmp/never.csp"
run "$NORN" predict -p "$tmp/never.csp" "$tmp/never.trace"
status_is 0 "an event that did not happen has its channel"

# PROGRAM does what a process beside it can do as well, and both come to the same place
printf 't mark b 0\nt mark c x\n' >"$tmp/beside.trace"
printf 'Q = b?t!0 -> Q [] c?t!x -> Q\nassert STOP [T= (PROGRAM [| {|c|} |] Q) |\\ {|c|}\n' >"$tmp/beside.csp"
run "$NORN" predict -p "$tmp/beside.csp" "$tmp/beside.trace"
status_is 66 "a step of PROGRAM that looks like one of another process"
finish
