#!/bin/sh
# SPDX-License-Identifier: MIT
# What reports say of a variable beyond its name: volatile, memory of libc that functions share; of what
# threads wait for, of calls that are marked.
. tests/cli/lib.sh

cat >"$tmp/words.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
volatile int flag;
volatile atomic_int counted;
int plain;
struct { int tm_year; } _tmbuf; /* in place of that of libc, whose name needs its symbols */
static void *work(void *p)
{
	flag = 1;
	plain = 1;
	_tmbuf.tm_year = 1;
	counted = 1;
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	int sum = flag + plain + _tmbuf.tm_year;
	counted = 2;
	pthread_join(t, NULL);
	printf("%d\n", sum > 3);
	return 0;
}
END
for level in -O0 -O2; do
	"$NORN" cc $level -g -pthread -o "$tmp/words" "$tmp/words.c"
	run "$NORN" record -o "$tmp/words.norn" "$tmp/words"
	run "$NORN" predict "$tmp/words.norn"
	out_has '^  Note: flag is volatile, which does not order threads' "$level: volatile"
	out_has '^  Note: _tmbuf.* is the static buffer of gmtime\(\)' "$level: of libc"
	[ "$(grep -c '^  Note:' "$tmp/out")" -eq 2 ]
	result $? "$level: of nothing else"
done
run "$NORN" predict --format json "$tmp/words.norn"
json_is 'join " ", sort map { $_->{variable} } grep { $_->{note} } @{$j->{findings}}' \
	"_tmbuf flag" "JSON"
cp "$tmp/out" "$tmp/words.json"
run "$NORN" predict --format sarif "$tmp/words.norn"
json_is 'scalar grep { $_->{message}{text} =~ /Note: flag is volatile/ } @{$j->{runs}[0]{results}}' \
	1 "SARIF"
run "$NORN" predict --format junit "$tmp/words.norn"
out_has 'Note: flag is volatile' "JUnit"
run "$NORN" report "$tmp/words.json"
out_has '^  Note: flag is volatile' "merged"
run "$NORN" report --format html "$tmp/words.json"
out_has 'Note: .*"note":"flag is volatile|"note": *"flag is volatile' "the page"

# what the recorded run did, in words
cat >"$tmp/hang.trace" <<'END'
meta seen stuck ; main join T1 @a.c:1 ; T1 barrier-exit b @a.c:2 ; T2 acquire l @a.c:3 ; T3 woken c @a.c:4
main fork T1
END
run "$NORN" predict "$tmp/hang.trace"
grep '^  Thread' "$tmp/out" >"$tmp/waits"
cp "$tmp/waits" "$tmp/out"
out_is "what threads wait for" <<'END'
  Thread main waits for the end of thread T1:
  Thread T1 waits at barrier b:
  Thread T2 waits for lock l:
  Thread T3 waits on condition c:
END

# a call that is marked is said once
"$NORN" cc -g --events properties/file.events examples/properties/file/faulty.c -o "$tmp/file" &&
	"$NORN" record -o "$tmp/file.norn" "$tmp/file" >"$tmp/out"
run "$NORN" predict --property properties/file.csp --html "$tmp/file.html" "$tmp/file.norn"
[ "$(grep -c '^    #[0-9]* worker .*faulty.c:51' "$tmp/out")" -eq 1 ]
result $? "the call that is marked is not a caller of itself"
grep -q '"specification":{"at":"FILE(' "$tmp/file.html"
result $? "the page has the events of a specification"
finish
