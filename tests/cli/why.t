#!/bin/sh
# SPDX-License-Identifier: MIT
# Candidates that are refuted only because of dependences that the record could not follow: they are
# counted, --why tells where these are, and a replay shows which of them happen all the same.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# without_unknown TRACE: what it does not tell how, depends on nothing.
without_unknown()
{
	perl -pe 'next unless /^\S+ (branch|write|rmw)\b/;
		my ($line, $place) = /^(.*?)((?: @\S+)?)$/;
		$line =~ s/ reads=\S*//;
		$_ = $line =~ / (=|if) / ? "$line$place\n" : "$line reads=$place\n"' "$1"
}

# The count is right: as many are found if the trace says that nothing depends on what is not known.
conformance=tests/conformance
without_unknown $conformance/flag-spun-on.trace >"$tmp/optimistic.trace"
grep -q '^t2 branch reads=$' "$tmp/optimistic.trace"
result $? "a trace with nothing unknown in it"
for trace in $conformance/*.trace tests/stuck/*.trace; do
	without_unknown "$trace" >"$tmp/optimistic.trace"
	"$NORN" predict --json -j 1 --model values "$trace" >"$tmp/one" 2>/dev/null
	"$NORN" predict --json -j 1 --model values "$tmp/optimistic.trace" >"$tmp/other" 2>/dev/null
	perl -MJSON::PP -e '
		my ($name, @files) = @ARGV;
		my ($one, $other) = map { local (@ARGV, $/) = $_; decode_json(<>)->{bugs}} @files;
		for my $bug ("race", "deadlock", "stuck") {
			my ($a, $b) = ($one->{$bug}, $other->{$bug});
			print "$name: $bug: $a->{proved} and $a->{held} held back, not $b->{proved}\n"
				if $a->{proved} + $a->{held} != $b->{proved};
			print STDERR "held\n" if $a->{held};
		}' "${trace##*/}" "$tmp/one" "$tmp/other" 2>>"$tmp/held" || echo "${trace##*/}: no report"
done >"$tmp/compared"
[ ! -s "$tmp/compared" ]
result $? "what is held back is what would be found without unknown dependences"
sed 's/^/# /' "$tmp/compared"
[ "$(wc -l <"$tmp/held")" -gt 5 ]
result $? "and there are such traces"

# Words
run "$NORN" predict $conformance/flag-spun-on.trace
status_is 0 "held back: exit 0"
out_has '^  1 refuted only because of dependences that were not followed; --why lists them$' "held back: counted"
out_has '^Candidates that are held back may be findings; all others are decided\.$' "held back: the last line"
! grep -q 'Every candidate' "$tmp/out"
result $? "held back: not every candidate is decided"
run "$NORN" predict --sarif $conformance/flag-spun-on.trace
json_is '$j->{runs}[0]{invocations}[0]{toolExecutionNotifications}[0]{descriptor}{id}' norn/held "SARIF tells it"

# Two places: one holds both candidates back, the other one of them, with it.
cat >"$tmp/two.trace" <<'END'
t1 write x 1 @a.c:1
t1 acquire l
t1 write f 1 reads=
t1 release l
t2 acquire l
t2 read f 1 @b.c:1
t2 release l
t2 branch reads=6 @b.c:2:3:look
t2 read x 1 @b.c:3
t2 branch @b.c:4
t2 write x 2 @b.c:5
END
run "$NORN" predict --why "$tmp/two.trace"
status_is 0 "two places: exit 0"
out_has '^  2 candidates, 1 by it alone: b.c:2 in look \(event 8\)$' "two places: the most costly"
out_has '^    a condition, a call or an address: from the read of f \(event 6\), it is not known how$' \
	"two places: what is not known"
out_has '^  1 candidate, with others: b.c:4 \(event 10\)$' "two places: the other"
out_has 'it is not known which reads before it are behind it$' "two places: nothing is known of it"
out_has '^  To follow more: compile with -O1' "two places: advice"
run "$NORN" predict --why --json "$tmp/two.trace"
json_is 'join ",", map { "$_->{event} $_->{op} $_->{candidates} $_->{alone} $_->{location}{line}" } @{$j->{why}}' \
	'8 branch 2 1 2,10 branch 1 0 4' "JSON: the places"
json_is 'join ",", map { "$_->{bug} @{$_->{events}}" } @{$j->{held}}' 'race 1 9,race 1 11' "JSON: what they hold back"
json_is '"$j->{candidates}{held} $j->{candidates}{refuted} " . ($j->{complete} ? 1 : 0)' '2 2 1' "JSON: counts"

# Many functions without hooks: ten of them are named.
{
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "meta unknown-function function_$i"; done
	cat "$tmp/two.trace"
} >"$tmp/many.trace"
run "$NORN" predict --why "$tmp/many.trace"
out_has '^    function_10$' "many functions: the tenth"
! grep -q '^    function_11$' "$tmp/out"
result $? "many functions: no more"
out_has '^    and 2 more$' "many functions: how many more"

# A write whose value is not known stands in the way of a branch that is.
cat >"$tmp/write.trace" <<'END'
t1 write x 1 @a.c:1
t1 acquire l
t1 write f 1 reads=
t1 release l
t2 acquire l
t2 read f 1 @b.c:1
t2 write g 7 @b.c:2
t2 release l
t3 acquire l
t3 read g 7 @c.c:1
t3 release l
t3 branch if (= %10 7) @c.c:2
t3 write x 2 @c.c:3
END
run "$NORN" predict --why "$tmp/write.trace"
out_has '^  1 candidate, by it alone: b.c:2 \(event 7\)$' "a write: the place"
out_has '^    the value that is written: it is not known which' "a write: what is not known"

# Other tools tell nothing of branches: there, all reads count.
"$NORN" convert --to std "$tmp/two.trace" "$tmp/two.std" 2>/dev/null
run "$NORN" predict --why "$tmp/two.std"
status_is 0 "no branches known: exit 0"
out_has '^  2 refuted only because model mcm assumes a branch after every read$' "no branches known: counted"
out_has '^    in this model a read decides all that its thread does behind it$' "no branches known: what is not known"
out_has '^  A trace with branches and their dependences' "no branches known: advice"
run "$NORN" predict "$tmp/two.std"
out_has 'after every read; --why lists them$' "no branches known: without --why"

# Programs: what goes through code without hooks is not followed.
cat >"$tmp/plain.c" <<'END'
int pass(int x)
{
	return x;
}
END
cat >"$tmp/program.c" <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>
int pass(int x);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, data, sum;
#if WAY == 1
#define THROUGH(x) pass(x)
#elif WAY == 2
static int through(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}
#define THROUGH(x) through(x)
#else
static jmp_buf back;
static int through(int x)
{
	int got = setjmp(back);

	if (!got)
		longjmp(back, x + 1);
	return got - 1;
}
#define THROUGH(x) through(x)
#endif
static void *first(void *p)
{
	data = 1; /* @write */
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return p;
}
static void *second(void *p)
{
	usleep(300000);
	pthread_mutex_lock(&lock);
	int got = THROUGH(count);
	pthread_mutex_unlock(&lock);
	if (got >= LEAST)
		sum = data; /* @read */
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", sum);
	return 0;
}
END
write=$(grep -n '@write' "$tmp/program.c" | cut -d: -f1)
read=$(grep -n '@read' "$tmp/program.c" | cut -d: -f1)

# norn_in_tmp ARGUMENT…
norn_in_tmp()
{
	run sh -c 'cd "$1" && shift && exec timeout 100 "$@"' sh "$tmp" "$NORN" "$@"
}

for level in O0 O2; do
	clang -$level -c "$tmp/plain.c" -o "$tmp/plain.o"
	for way in 1 2 3; do
		what=$(echo "library assembly setjmp" | cut -d' ' -f$way)-$level
		"$NORN" cc -g -w -$level -DWAY=$way -DLEAST=0 "$tmp/program.c" "$tmp/plain.o" -o "$tmp/$what"
		norn_in_tmp run --no-optimism ./$what
		status_is 0 "$what: held back, exit 0"
		out_has '^  1 refuted only because of dependences that were not followed' "$what: held back"
		! grep -q 'second chance' "$tmp/out"
		result $? "$what: --no-optimism"
		norn_in_tmp run --json ./$what
		status_is 66 "$what: a second chance finds it"
		json_is 'join " ", map { $_->{location}{line} } @{$j->{findings}[0]{events}}' "$write $read" \
			"$what: the lines"
		json_is '$j->{findings}[0]{verdict}' confirmed "$what: confirmed"
		json_is '$j->{findings}[0]{seen} + 0' 0 "$what: not seen in the recorded run"
		json_is 'join " ", map { $j->{second_chance}{$_} } qw(replayed confirmed left)' '1 1 0' \
			"$what: the second chance"
		json_is '"$j->{candidates}{proved} $j->{candidates}{refuted} $j->{candidates}{held}"' \
			'1 0 0' "$what: counts"
		cp "$tmp/out" "$tmp/$what.json"
		evidence=$tmp/$what.second1.norn
		run "$NORN" certify "$evidence" "$evidence.1.witness"
		status_is 0 "$what: certified by the trace of its own run"
		norn_in_tmp predict $what.second1.norn
		status_is 66 "$what: which has the race"
		"$NORN" cc -g -w -$level -DWAY=$way -DLEAST=1 "$tmp/program.c" "$tmp/plain.o" -o "$tmp/$what-right"
		: >"$tmp/$what-right.second1.norn"
		norn_in_tmp run ./$what-right
		status_is 0 "$what: the right program has no finding"
		out_has '^  second chance: 1 candidate replayed, 0 confirmed$' "$what: it was tried"
		! ls "$tmp/$what-right".second* >/dev/null 2>&1
		result $? "$what: nothing is kept of it, nor of an earlier call"
	done
done

# By the report, before its trace is recorded anew
norn_in_tmp replay assembly-O2.json#1
status_is 66 "the report's finding is seen again"

# How it is told, and seen again
norn_in_tmp run ./assembly-O2
out_has '^WARNING: Norn: data race on data \(confirmed: certified and replayed\)$' "text: the finding"
out_has '^  A second chance: the record holds this finding back.* assembly-O2.second1.norn$' "text: how it was found"
out_has '^  See it again: norn replay assembly-O2.second1.norn#1$' "text: how to see it again"
out_has '^  second chance: 1 candidate replayed, 1 confirmed$' "text: counted"
out_has '^Every candidate is decided: ' "text: nothing is left"
norn_in_tmp replay assembly-O2.second1.norn#1
status_is 66 "it is seen again"
printf ' ' >>"$tmp/assembly-O2.second1.norn"
norn_in_tmp replay assembly-O2.json#1
status_is 3 "the report's trace is another one: exit 3"
err_has 'assembly-O2.second1.norn is not the trace of assembly-O2.json: predict again' \
	"the report's trace is another one: said"
run sh -c 'cd "$1" && timeout 100 "$2" run --sarif ./assembly-O2 | "$3"' sh "$tmp" "$NORN" \
	"$PWD/tests/support/check_sarif"
status_is 0 "SARIF is good"
printf 'race:second\n' >"$tmp/hide"
norn_in_tmp run --suppressions hide ./assembly-O2
status_is 0 "suppressed: exit 0"
out_has '1 proved \(1 suppressed\), 0 refuted' "suppressed: counted"
norn_in_tmp predict --why assembly-O0.norn
out_has ' in through \(event [0-9]+\)$' "a program: the place"
mv "$tmp/assembly-O2" "$tmp/gone"
norn_in_tmp predict --replay assembly-O2.norn
status_is 0 "the program is gone: exit 0"
out_has '^  second chance: not possible here: .*assembly-O2' "the program is gone: said"
mv "$tmp/gone" "$tmp/assembly-O2"
run sh -c 'cd "$1" && exec timeout 100 "$2" try -O2 -w -g -DWAY=2 -DLEAST=0 program.c plain.o' sh "$tmp" "$NORN"
status_is 66 "norn try: a second chance"
out_has '^  second chance: 1 candidate replayed, 1 confirmed$' "norn try: told"

# What code without hooks decides by is pinned where it is called.
cat >"$tmp/stream.cpp" <<'END'
#include <mutex>
#include <sstream>
#include <thread>
#include <unistd.h>
static std::mutex m;
int request = 1, handled;
static int parse(int n)
{
	std::istringstream in("1");
	in >> n;
	return n;
}
static void client()
{
	handled = 1;
	std::lock_guard<std::mutex> guard(m);
	request = 2;
}
static void server()
{
	m.lock();
	int n = request;
	m.unlock();
	if (parse(n) > 0)
		handled = 2;
}
int main()
{
	std::thread a(client);
	usleep(300000);
	std::thread b(server);
	a.join();
	b.join();
}
END
run "$NORN" c++ -O1 -g "$tmp/stream.cpp" -o "$tmp/stream"
status_is 0 "a stream: norn c++"
run timeout 60 "$NORN" record -o "$tmp/stream.norn" "$tmp/stream"
run timeout 60 "$NORN" predict --why "$tmp/stream.norn"
out_has ' candidate.*: .*stream.cpp:[0-9]+ in parse \(event [0-9]+\)$' "a stream: the place of the call"
finish
