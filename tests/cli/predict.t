#!/bin/sh
# SPDX-License-Identifier: MIT
# norn predict from end to end: what it finds, its exit status, and what happens when solvers and
# processes fail. report.t looks at the reports.
. tests/cli/lib.sh
trace=$conformance/peterson.trace # three races, and one candidate that is none
cvc5='cvc5 --lang smt2'

# no_times: a report without what differs from run to run.
no_times()
{
	grep -v '"seconds"'
}

# counts_are WANT NAME: proved, refuted, undecided and unseen; all candidates are counted.
counts_are()
{
	json_is 'my $c = $j->{candidates};
		$c->{signatures} == $c->{proved} + $c->{refuted} + $c->{undecided} + $c->{unseen} &&
		$c->{undecided} == @{$j->{undecided}} && $c->{proved} == @{$j->{findings}} ?
		"$c->{proved} $c->{refuted} $c->{undecided} $c->{unseen}" : "wrong"' "$1" "$2"
}

# Each conformance trace, in each model: the signatures of the pairs that are races, no others.
# expected.tsv has the pairs, norn show the thread, operation and variable of each event.
for model in values maximal predictable mcm said; do
	for file in $conformance/*.trace; do
		echo "$model ${file##*/}"
		"$NORN" predict --model $model --json --jobs 2 "$file" 2>&1
		echo "exit $?"
	done
done >"$tmp/predicted"
for file in $conformance/*.trace; do
	echo "${file##*/}"
	"$NORN" show "$file"
done >"$tmp/shown"
cat >"$tmp/compare" <<'END'
use JSON::PP;
my ($predicted, $shown, $expected, $wanted) = @ARGV;
my (%is, %want, $case, $compared);
open my $in, '<', $shown or die;
while (<$in>) {
	$case = $1 if /^(\S+)\.trace$/;
	$is{$case}[$1] = "$2 $3 $4" if /^ *(\d+)  (\S+) (\S+) (\S+)/;
}
sub signature { join ' / ', sort @_ }
open $in, '<', $expected or die;
while (<$in>) {
	next unless /^([^\t]+)\t($wanted|deadlock)\t(.*)/;
	my ($name, $analysis, $pairs) = ($1, $2, $3);
	# of deadlocks the table has those of model values
	next if $analysis eq 'deadlock' && $wanted ne 'values';
	$want{$name}{signature(@{$is{$name}}[split /[-,]/])} = 1 for grep { /\d/ } split / /, $pairs;
}
local $/ = undef;
open $in, '<', $predicted or die;
my $all = <$in>;
while ($all =~ /^$wanted (\S+)\.trace\n(.*?)^exit (\d+)$/msg) {
	my ($name, $text, $status) = ($1, $2, $3);
	my $j = eval { decode_json($text) } or print("$name: $text"), next;
	my @findings = grep { $_->{bug} eq 'race' || $wanted eq 'values' } @{$j->{findings}};
	my %got = map { signature(map { $is{$name}[$_->{event}] } @{$_->{events}}) => 1 } @findings;
	my @got = keys %got;
	my $got = join '; ', sort @got;
	my $want = join '; ', sort keys %{$want{$name}};
	print "$name: got $got\n$name: not $want\n" if $got ne $want;
	my $c = $j->{candidates};
	print "$name: not decided\n" if $c->{undecided} || $c->{unseen} || $j->{not_asked_again};
	print "$name: not complete\n" unless $j->{complete};
	print "$name: exit $status\n" if $status != (@{$j->{findings}} ? 66 : 0);
	$compared++;
}
print "$compared traces\n" if $compared != 157;
END
for model in values maximal predictable mcm said; do
	run perl "$tmp/compare" "$tmp/predicted" "$tmp/shown" $conformance/expected.tsv $model
	[ "$status" -eq 0 ] && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
	result $? "$model: the races (values: and deadlocks) of 157 traces, by signature"
done

# Many candidates: in turn a race in the open, one behind a lock, and one that is none.
awk 'BEGIN {
	for (i = 2; i < 24; i += 3) print "volatile f" i
	for (i = 0; i < 24; i++) {
		at = "@block" i ".c:"
		print "t1 write x" i " 1 " at 1
		if (i % 3 == 1)
			print "t1 acquire l\nt1 write y" i " 1\nt1 release l\nt2 acquire l\n" \
				"t2 read y" i " 1\nt2 release l"
		if (i % 3 == 2)
			print "t1 write f" i " 1\nt2 read f" i " 1\nt2 branch"
		print "t2 read x" i " 1 " at 2
	}
}' >"$tmp/many.trace"
run "$NORN" predict --json --jobs 1 --witness "$tmp/w" "$tmp/many.trace"
status_is 66 "many: exit 66"
counts_are '16 8 0 0' "many: all are decided"
no_times <"$tmp/out" >"$tmp/one"
for jobs in 2 5; do
	"$NORN" predict --json --jobs $jobs "$tmp/many.trace" | no_times >"$tmp/several"
	same_files "$tmp/one" "$tmp/several" "--jobs $jobs: the report of --jobs 1"
done
run "$NORN" predict --json --no-greedy --jobs 1 "$tmp/many.trace"
counts_are '16 8 0 0' "--no-greedy: all are decided"
json_is 'join " ", map { $_->{engine} } @{$j->{tiers}}' solver "--no-greedy: by the solver alone"
no_times <"$tmp/out" >"$tmp/one-solver"
"$NORN" predict --json --no-greedy --jobs 5 "$tmp/many.trace" | no_times >"$tmp/several"
same_files "$tmp/one-solver" "$tmp/several" "--no-greedy --jobs 5: the report of --jobs 1"

[ "$(ls "$tmp/w" | wc -l)" -eq 16 ]
result $? "--witness: one for each finding"
for file in "$tmp/w"/*; do
	"$NORN" certify "$tmp/many.trace" "$file" || echo "$file"
done >"$tmp/certified" 2>&1
[ "$(grep -c '^certified: race .*(values)' "$tmp/certified")" -eq 16 ]
result $? "--witness: norn certify accepts them"

# through a pipe: the processes read the same copy at the same time
nameless()
{
	sed '/"trace_digest": /d; s/"trace": .*/"trace": "",/'
}
nameless <"$tmp/one" >"$tmp/want"
gzip -c "$tmp/many.trace" >"$tmp/many.trace.gz"
"$NORN" convert "$tmp/many.trace" "$tmp/many.norn"
for file in many.trace many.trace.gz many.norn; do
	cat "$tmp/$file" | "$NORN" predict --json --jobs 5 - | no_times | nameless >"$tmp/piped"
	same_files "$tmp/want" "$tmp/piped" "$file through a pipe: the same report"
done

run "$NORN" predict --output "$tmp/report" "$trace"
status_is 66 "--output: exit 66"
out_empty "--output: nothing on standard output"
"$NORN" predict "$trace" >"$tmp/text"
same_files "$tmp/text" "$tmp/report" "--output: the report"

# Exit status
run "$NORN" predict "$trace"
status_is 66 "races: exit 66"
err_empty "races: nothing on standard error"
run "$NORN" predict $conformance/flag-spun-on.trace
status_is 0 "no race, but for a branch of which nothing is known: exit 0"
sed 's/branch/branch if (= %3 1)/' $conformance/flag-spun-on.trace >"$tmp/known.trace"
run "$NORN" predict "$tmp/known.trace"
status_is 0 "no race: exit 0"
out_has '^Norn: 1 candidate, model values: 0 proved, 1 refuted, 0 undecided$' "no race: what there was"
awk 'BEGIN {
	print "volatile f"
	for (i = 0; i < 70; i++) print "t1 write x 1 @loop.c:1"
	print "t1 write f 1\nt2 read f 1\nt2 branch"
	for (i = 0; i < 70; i++) print "t2 read x 1 @loop.c:2"
}' >"$tmp/loop.trace"
run "$NORN" predict "$tmp/loop.trace"
status_is 0 "pairs that are all looked at: exit 0"
run "$NORN" predict --tune predict.instances=4096 "$tmp/loop.trace"
status_is 4 "more pairs than are looked at: exit 4"
out_has '^  1 undecided: .* pairs are refuted, but there are more$' "more pairs than are looked at: why"
echo race:x0 >"$tmp/known"
echo 'race:x[' >"$tmp/unknown"
grep -w x0 "$tmp/many.trace" >"$tmp/single.trace"
run "$NORN" predict -s "$tmp/unknown" "$tmp/single.trace"
status_is 66 "a suppression of something else: exit 66"
run "$NORN" predict -s "$tmp/unknown" -s "$tmp/known" "$tmp/single.trace"
status_is 0 "two files of suppressions, the second fits: exit 0"
for wrong in '' "--json --sarif $trace" "--model nobody $trace" "--jobs 257 $trace" \
	"--budget -1 $trace" "--solver= $trace" "--dump-smt $tmp/smt $trace" "$trace $trace"; do
	run "$NORN" predict $wrong
	status_is 2 "predict $wrong: exit 2"
	out_empty "predict $wrong: no report"
done
printf 't1 write x 1\nt1 read x 2\n' >"$tmp/bad.trace"
for wrong in "$tmp/bad.trace" "$tmp/nothing.trace" "-s $tmp/nothing $trace" \
	"-w $tmp/no/such $trace" "-o $tmp/no/such $trace"; do
	run "$NORN" predict $wrong
	status_is 3 "predict $wrong: exit 3"
	out_empty "predict $wrong: no report"
done

# Formats of other tools have no branches.
run "$NORN" predict --json tests/import/sample.std
json_is '$j->{model}' mcm "STD: model mcm"
err_has '^norn: .*sample.std: std has no branches: model mcm' "STD: says so"
run "$NORN" predict --json --model values tests/import/sample.std
json_is '$j->{model}' values "STD, --model values: as asked"
err_has '^norn: .*sample.std: std has no branches, so model values ' "STD, --model values: says what that means"

# Solvers of others: the same answers, and queries that others can answer.
for solver in z3 smt "$cvc5"; do
	run "$NORN" predict --json --no-greedy --solver "$solver" --dump-smt "$tmp/smt" "$trace"
	status_is 66 "--solver $solver: exit 66"
	counts_are '3 1 0 0' "--solver $solver: all are decided"
	json_is 'join " ", map { join "-", map { $_->{event} } @{$_->{events}} } @{$j->{findings}}' \
		'2-8 3-7 6-9' "--solver $solver: the races"
	[ "$(ls "$tmp/smt" | wc -l)" -eq 4 ]
	result $? "--dump-smt: one query for each pair"
	for file in "$tmp/smt"/*; do
		echo "${file##*/} $($cvc5 "$file" 2>&1)"
	done >"$tmp/out"
	out_is "--dump-smt: cvc5 answers as the report does" <<END
race-2-8-values.smt2 sat
race-3-7-values.smt2 sat
race-5-11-values.smt2 unsat
race-6-9-values.smt2 sat
END
	rm -r "$tmp/smt"
done

# bad SOLVER COUNTS STATUS NAME: and the report says what the solver did wrong.
bad()
{
	run "$NORN" predict --json --no-greedy --budget 1 --solver "$1" "$trace"
	status_is "$3" "a solver that $4: exit $3"
	counts_are "$2" "a solver that $4: $2"
	json_is '$j->{undecided}[0]{why}' "${5-}" "a solver that $4: why"
	err_empty "a solver that $4: nothing else"
}
bad "kill -9 \$\$" '0 0 4 0' 4 'is killed' 'kill -9 $$: ended by signal 9'
bad 'echo rubbish' '0 0 4 0' 4 'prints rubbish' 'echo rubbish: it answers "rubbish"'
bad 'echo sat' '0 0 4 0' 4 'lies' 'echo sat: what it found is no execution, after "sat"'
bad yes '0 0 4 0' 4 'does not stop to print' 'yes: it prints too much'
bad 'sleep 1000' '0 0 4 0' 4 'sleeps' 'sleep 1000: no answer within 1 seconds'
bad no-such-solver '0 0 4 0' 4 'is not there' \
	'no-such-solver: no answer, exit status 127: sh: 1: no-such-solver: not found'

# once SCRIPT: a solver that does this the first time, and is a good one from then on.
once()
{
	rm -rf "$tmp/once"
	echo "if mkdir $tmp/once 2>/dev/null; then $1; else exec $cvc5; fi"
}
grep -wE 'x0|x3|x6|x9' "$tmp/many.trace" >"$tmp/four.trace" # races, of one pair each
solver=$(once "kill -9 \$\$")
run "$NORN" predict --json --no-greedy --solver "$solver" "$tmp/four.trace"
status_is 66 "a solver is killed once: exit 66"
counts_are '3 0 1 0' "a solver is killed once: one candidate is undecided"

# its parent is the process that searches
solver=$(once "kill -9 \$PPID; sleep 30")
start=$(date +%s)
for jobs in 1 2; do
	run "$NORN" predict --json --no-greedy --jobs $jobs --solver "$solver" \
		"$tmp/four.trace"
	status_is 66 "a worker is killed, --jobs $jobs: exit 66"
	counts_are '3 0 1 0' "a worker is killed, --jobs $jobs: its candidate is undecided, others go on"
	json_is '$j->{undecided}[0]{why}' 'the process that searched was ended: Killed' \
		"a worker is killed, --jobs $jobs: why"
	json_is '$j->{interrupted} ? 1 : 0' 0 "a worker is killed, --jobs $jobs: not interrupted"
	rm -rf "$tmp/once"
done
[ $(($(date +%s) - start)) -lt 30 ]
result $? "a worker is killed: nobody waits for its solver"

# No memory: two accesses that are close together, and two far apart.
awk 'BEGIN {
	print "t1 write near 1 @near.c:1\nt2 write near 2 @near.c:2"
	for (i = 1; i <= 3000; i++) {
		t = "t" 1 + i % 2
		print t " acquire l\n" t " read y " i - 1 "\n" t " branch\n" t " write y " i "\n" \
			t " release l"
		if (i == 1500) print "t1 write far 1 @far.c:1"
	}
	print "t2 read far 1 @far.c:2"
}' >"$tmp/long.trace"
case $NORN in
*asan*) echo "# sanitizers take their memory as they like" ;;
*)
	sed 1,2d "$tmp/long.trace" >"$tmp/far.trace"
	run "$NORN" predict --json --max-memory 100k "$tmp/far.trace"
	status_is 4 "no memory for the trace: exit 4"
	err_has '^norn: undecided: more memory is needed than --max-memory allows$' \
		"no memory for the trace: it says so"
	# the least in which the trace fits, and more
	size=1000
	while
		size=$((size + 200))
		run "$NORN" predict --json --no-greedy --jobs 1 --max-memory ${size}k "$tmp/far.trace"
		[ $size -lt 100000 ] && ! grep -q '"findings"' "$tmp/out"
	do :; done
	status_is 4 "no memory: exit 4"
	counts_are '0 0 1 0' "no memory: all are undecided"
	json_is '$j->{undecided}[0]{why} =~ /^the process that searched .*out of memory/ ? 1 : 0' 1 \
		"no memory: why"
	while
		size=$((size + 200))
		run "$NORN" predict --json --no-greedy --jobs 1 --max-memory ${size}k "$tmp/long.trace"
		[ $size -lt 100000 ] && [ "$status" != 66 ]
	do :; done
	status_is 66 "memory for one of two: exit 66"
	counts_are '1 0 1 0' "memory for one of two: the other is undecided"
	json_is '$j->{undecided}[0]{why} =~ /^the process that searched .*out of memory/ ? 1 : 0' 1 \
		"memory for one of two: why"
	;;
esac

# interrupt SIGNAL SOLVER JOBS [twice]: when the solvers, each of which makes $tmp/pid.NUMBER, are at work.
# A shell without jobs starts commands that ignore SIGINT.
interrupt()
{
	command_run="norn predict --jobs $3, then kill -$1"
	rm -f "$tmp"/pid.*
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$NORN" predict --json --no-greedy --budget 0 \
		--jobs $3 --solver "$2" "$trace" >"$tmp/out" 2>"$tmp/err" &
	norn=$!
	tries=0
	while [ "$(ls "$tmp" | grep -c '^pid')" -lt $3 ] && [ $((tries += 1)) -lt 200 ]; do
		sleep 0.1
	done
	start=$(date +%s)
	kill -$1 $norn
	[ -z "$4" ] || { sleep 0.02 && kill -$1 $norn; }
	wait $norn
	status=$?
	[ $(($(date +%s) - start)) -lt 10 ]
	result $? "$1: it ends soon"
	alive=0
	for pid in $(ls "$tmp" | sed -n 's/^pid\.//p'); do
		kill -0 $pid 2>/dev/null && alive=$((alive + 1))
	done
	[ $alive -eq 0 ]
	result $? "$1: the solvers are gone"
	err_empty "$1: nothing on standard error"
	json_is '$j->{interrupted} && !$j->{complete} ? 1 : 0' 1 "$1: the report says that it was interrupted"
	json_is '$j->{undecided}[0]{why}' 'Norn was stopped' "$1: and why there is an undecided one"
}
sleeper=": >$tmp/pid.\$\$ && exec sleep 1000"
interrupt INT "$sleeper" 1
status_is 4 "INT: exit 4"
counts_are '0 0 1 3' "INT: one was begun, nobody looked at the others"
interrupt TERM "$sleeper" 4
status_is 4 "TERM: exit 4"
counts_are '0 0 4 0' "TERM: all were begun"
# who types it at a terminal sends it to norn try as well, which sends it on
interrupt INT "$sleeper" 1 twice
status_is 4 "INT, and again at once: exit 4"
counts_are '0 0 1 3' "INT, and again at once: nothing is lost"
rm -rf "$tmp/once"
interrupt INT "if mkdir $tmp/once 2>/dev/null; then exec $cvc5; else $sleeper; fi" 1
status_is 66 "INT, after a race was found: exit 66"
counts_are '1 0 1 2' "INT, after a race was found: it is reported"

# A time for all: solvers that never answer use it up, and whatever is not decided then is undecided.
start=$(date +%s)
run "$NORN" predict --json --no-greedy --budget 0 --jobs 2 --time 1 --solver "exec sleep 1000" "$trace"
status_is 4 "--time: exit 4"
json_is '$j->{complete} || $j->{interrupted} ? 1 : 0' 0 "--time: not complete, and not interrupted"
json_is '(grep { $_->{why} !~ /time|no answer/ } @{$j->{undecided}}) ? 1 : 0' 0 "--time: why"
[ $(($(date +%s) - start)) -lt 30 ]
result $? "--time: nobody waits for the solvers"
run "$NORN" predict --time 1000 "$trace"
mv "$tmp/out" "$tmp/in-time"
run "$NORN" predict "$trace"
cmp -s "$tmp/out" "$tmp/in-time"
result $? "--time: with enough of it all is as without"
finish
