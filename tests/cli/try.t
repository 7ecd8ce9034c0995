#!/bin/sh
# SPDX-License-Identifier: MIT
# norn try: compile, record, predict.
. tests/cli/lib.sh
export TMPDIR="$tmp/temporary files"
mkdir "$TMPDIR"
unset NORN_CLANG

no_files()
{
	[ -z "$(ls -A "$TMPDIR")" ]
	result $? "$1"
}

run "$NORN" try examples/hidden-race.c
status_is 66 "a race"
out_has '^1 message\(s\), the last is 42$' "what the program prints"
out_has 'SUMMARY: Norn: data race: .*hidden-race.c:18.*hidden-race.c:30' "what is found, by line"
run "$NORN" try -O2 examples/gate-lock.c
status_is 0 "no race"
run "$NORN" try -std=c++17 tests/programs/cxx-threads.cpp
status_is 66 "C++"
out_has 'cxx-threads.cpp:' "C++: by line"
cat >"$tmp/arguments.c" <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("<%s>", argv[i]);
	puts(WORD);
	return getchar() == 'x' ? STATUS : 1;
}
END
run sh -c 'echo x | "$@"' sh "$NORN" try '-DWORD="a word"' -DSTATUS=0 "$tmp/arguments.c" -- -o 'b c' -- --keep
status_is 0 "arguments"
out_has '^<-o><b c><--><--keep>a word$' "arguments of the program and of the compiler"
run sh -c 'echo x | "$@"' sh "$NORN" try -DWORD=NULL '-DWORD=""' -DSTATUS=9 -w "$tmp/arguments.c"
status_is 0 "a program that fails"
err_has 'exit status 9' "is told of"
no_files "nothing temporary is left"
run "$NORN" try --keep examples/semaphore-good.c
status_is 0 "--keep"
kept=$(sed -n 's/^norn: the program and its trace, trace.norn, are in \(.*\)/\1/p' "$tmp/err")
run "$NORN" check "$kept/trace.norn"
status_is 0 "--keep: the trace"
run "$kept/program"
status_is 0 "--keep: the program"
rm -rf "$kept"
no_files "--keep: nothing else"

# Long options of norn run are taken; letters are the compiler's.
run "$NORN" try --json -O1 examples/hidden-race.c
status_is 66 "--json"
json_is '$j->{findings}[0]{replay}{confirmed} ? 1 : 0' 1 "--json: the report"
err_has '^1 message' "--json: what the program prints is elsewhere"
run "$NORN" try examples/hidden-race.c --report "$tmp/report" --sarif
status_is 66 "--report, --sarif"
cp "$tmp/report" "$tmp/out"
json_is '$j->{version}' 2.1.0 "--report: the file"
run "$NORN" try --bugs=deadlock examples/hidden-race.c
status_is 0 "--bugs"
run "$NORN" try --output "$tmp/o.norn" examples/hidden-race.c
run "$NORN" check "$tmp/o.norn"
status_is 0 "--output: the trace is there"
run "$NORN" try --exit-wait 0.5 examples/joined-order.c
status_is 0 "--exit-wait"
run "$NORN" try --exit-wait soon examples/joined-order.c
status_is 2 "a bad argument"
err_has '^norn: try: --exit-wait: "soon" is not a time in seconds' "is told, before anything is compiled"
run "$NORN" try --json --sarif examples/hidden-race.c
status_is 2 "two formats"
run "$NORN" help try
out_has '^      --budget SECONDS ' "the help has them"
! grep -q -e '-o, --output' "$tmp/out"
result $? "the help has no letters that are the compiler's"
no_files "nothing temporary is left behind these"
echo 'int broken(' >"$tmp/broken.c"
run "$NORN" try "$tmp/broken.c"
status_is 1 "an error of the compiler"
err_has 'broken.c:1' "is shown"
run "$NORN" try
status_is 2 "no program"
run "$NORN" try --keep
status_is 2 "no program, with an option"
no_files "nothing temporary is left after errors"
finish
