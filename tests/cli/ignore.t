#!/bin/sh
# SPDX-License-Identifier: MIT
# norn cc --ignore: functions and files without hooks.
. tests/cli/lib.sh

mkdir "$tmp/deep"
cat >"$tmp/main.cpp" <<'EOF'
#include <pthread.h>
#include <stdio.h>
int a, b, c;
extern "C" void elsewhere(void);
static __attribute__((noinline)) void plain() { a++; }
namespace inner {
struct thing {
	__attribute__((noinline)) void method(int by) { b += by; }
};
}
static __attribute__((noinline)) void kept() { c++; }
static void *work(void *argument)
{
	inner::thing thing;
	plain();
	thing.method(1);
	kept();
	elsewhere();
	return argument;
}
int main()
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	printf("%d\n", a + b + c);
}
EOF
cat >"$tmp/deep/other.c" <<'EOF'
int d;
void elsewhere(void) { d++; }
EOF

# written: the variables whose functions have hooks
written()
{
	"$NORN" show "$tmp/t.norn" | sed -n 's/.* write \([a-d]\) .*/\1/p' | sort -u | tr -d '\n'
}

# hooked LEVEL LIST...: $found are these
hooked()
{
	level=$1
	shift
	printf '%s\n' "$@" >"$tmp/list"
	run "$NORN" c++ -w $level -g --ignore "$tmp/list" -x c "$tmp/deep/other.c" -x c++ "$tmp/main.cpp" -o "$tmp/program"
	status_is 0 "$level, $*: norn c++"
	run timeout 60 "$NORN" record -o "$tmp/t.norn" "$tmp/program"
	found=$(written)
}

for level in -O0 -O2; do
	hooked $level '# nothing'
	[ "$found" = abcd ]
	result $? "$level: hooks everywhere: $found"
	hooked $level 'fun:_ZL5plainv'
	[ "$found" = bcd ]
	result $? "$level: a symbol: $found"
	hooked $level 'fun:plain' 'fun:inner::*'
	[ "$found" = cd ]
	result $? "$level: C++ names: $found"
	hooked $level 'src:*/other.c'
	[ "$found" = abc ]
	result $? "$level: a file: $found"
	hooked $level 'src:deep/*' 'fun:kept()'
	[ "$found" = ab ]
	result $? "$level: the end of a path, and parameters: $found"
	hooked $level '[address|memory]' 'fun:*' '[thread]' 'fun:plain' '[*]' 'fun:kept' 'global:b' 'fun:work=init'
	[ "$found" = bd ]
	result $? "$level: sections, and what is for others: $found"
done

# NORN_IGNORE, and a list without a match
echo 'fun:plain' >"$tmp/one"
echo 'fun:kept' >"$tmp/two"
run env NORN_IGNORE="$tmp/one:$tmp/two" "$NORN" c++ -w -g -x c "$tmp/deep/other.c" -x c++ "$tmp/main.cpp" -o "$tmp/program"
run timeout 60 "$NORN" record -o "$tmp/t.norn" "$tmp/program"
found=$(written)
[ "$found" = bd ]
result $? "NORN_IGNORE: two files: $found"

# A hot loop over memory of its own: what races beside it is found.
cat >"$tmp/hot.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
struct shared { int x; };
static __attribute__((noinline)) int hot(const int *from, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += from[i];
	return sum;
}
static void *work(void *argument)
{
	struct shared *s = argument;
	int own[1000] = {1};
	s->x = hot(own, 1000);
	return 0;
}
int main(void)
{
	struct shared *s = malloc(sizeof *s);
	pthread_t t;
	pthread_create(&t, 0, work, s);
	work(s);
	pthread_join(t, 0);
	free(s);
}
EOF
echo 'fun:hot' >"$tmp/list"
for level in -O0 -O2; do
	run "$NORN" cc -w $level -g --ignore "$tmp/list" "$tmp/hot.c" -o "$tmp/program"
	run timeout 60 "$NORN" record -v -o "$tmp/t.norn" "$tmp/program"
	records=$(sed -n 's/.*: \([0-9]*\) records.*/\1/p' "$tmp/err")
	[ "$records" -lt 1000 ]
	result $? "$level: a hot loop that is ignored is not recorded: $records records"
	run "$NORN" predict "$tmp/t.norn"
	status_is 66 "$level: the race beside it"
	out_has 'data race on ' "$level: the race beside it is found"
done

# bad LINE WHERE EXPECTED
bad()
{
	printf '# first\n%s\n' "$1" >"$tmp/bad"
	rm -f "$tmp/program"
	run "$NORN" cc -w --ignore "$tmp/bad" "$tmp/deep/other.c" -c -o "$tmp/program"
	status_is 3 "$1: exit 3"
	err_has "bad:2:$2: expected .*$3" "$1: place, and what was expected"
	[ ! -e "$tmp/program" ]
	result $? "$1: nothing is built"
}
bad 'function:x' 1 'fun:PATTERN'
bad 'fun:' 5 'a pattern'
bad 'plain' 1 'fun:PATTERN'
bad '[thread' 7 'a section of'
bad '[]' 2 'a section of'
run "$NORN" cc --ignore "$tmp/nowhere" -c "$tmp/deep/other.c" -o "$tmp/program"
status_is 3 "no such list: exit 3"
err_has 'nowhere: No such file' "no such list: it says so"
run "$NORN" cc -c "$tmp/deep/other.c" --ignore
status_is 2 "--ignore without a file: exit 2"
finish
