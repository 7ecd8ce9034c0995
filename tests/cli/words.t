#!/bin/sh
# SPDX-License-Identifier: MIT
# What reports say of a variable beyond its name: volatile, memory of libc that functions share.
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

finish
