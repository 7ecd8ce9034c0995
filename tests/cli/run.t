#!/bin/sh
# SPDX-License-Identifier: MIT
# norn run: record, predict, replay, one report.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# build FILE: $tmp/program
build()
{
	compile norn "$1" -w -O1 -o "$tmp/program"
}

# go OPTION…: in $tmp, so that what is written is there.
go()
{
	run sh -c 'cd "$1" && shift && exec timeout 200 "$@"' sh "$tmp" "$NORN" run "$@" </dev/null
}

build examples/hidden-race.c
go ./program
status_is 66 "a race: exit 66"
out_has '^1 message\(s\), the last is 42$' "the program runs"
out_has '^WARNING: Norn: data race on message \(confirmed: certified and replayed\)$' "confirmed"
out_has '^  Replayed: both at examples/hidden-race.c:[0-9]+ and examples/hidden-race.c:[0-9]+$' \
	"where the threads stood"
out_has '^    ab: T[12] first: exit status 0, as recorded$' "what followed"
out_has '^    the two orders print different output$' "what was printed"
out_has '^  See it again: norn replay program.norn#1$' "the command to see it again"
(cd "$tmp" && timeout 60 "$NORN" replay program.norn#1) >"$tmp/out" 2>"$tmp/err"
status=$?
status_is 66 "that command works"

go --json ./program
status_is 66 "--json: exit 66"
json_is '$j->{findings}[0]{replay}{confirmed} ? 1 : 0' 1 "--json: confirmed"
json_is '$j->{findings}[0]{verdict}' confirmed "--json: the verdict"
json_is '$j->{findings}[0]{replay}{again}' 'norn replay program.norn#1' "--json: again"
json_is 'scalar @{$j->{findings}[0]{replay}{follows}}' 3 "--json: what followed"
err_has '^1 message\(s\), the last is 42$' "--json: what the program prints is elsewhere"
go --sarif ./program
json_is '$j->{runs}[0]{results}[0]{message}{text} =~ /\(confirmed by a replay: both at / ? 1 : 0' 1 \
	"--sarif: confirmed"
go --report "$tmp/report.json" --json ./program
status_is 66 "--report: exit 66"
out_has '^1 message' "--report: standard output is the program's"
cp "$tmp/report.json" "$tmp/out"
json_is '$j->{format}' norn-report "--report: the file"
go -o "$tmp/t.norn" ./program
[ -e "$tmp/t.norn" ] && [ -e "$tmp/t.norn.1.witness" ]
result $? "--output: trace and witness"

build examples/null-pointer.c
go ./program
out_has '^    ba: T2 first: signal 11 .*; recorded: exit status 0$' "a crash is told"

build examples/joined-order.c
go ./program
status_is 0 "nothing: exit 0"
out_has '^Every candidate is decided: race, deadlock and stuck, of this record' "nothing: the report"

# What a replay cannot do is certified, with the reason: the first run leaves something behind.
cat >"$tmp/once.c" <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
int x, y;
static void *other(void *way)
{
	if (way)
		y++;
	x = 1;
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, open("left", O_CREAT | O_EXCL, 0600) < 0 ? &x : 0);
	usleep(50000);
	y = x;
	x = 2;
	pthread_join(t, 0);
}
EOF
build "$tmp/once.c"
go --timeout 2 ./program
status_is 66 "certified: exit 66"
out_has '^WARNING: Norn: data race on x \(certified; not replayed\)$' "certified: not confirmed"
out_has '^  Not replayed: replay is not possible here: the recorded schedule cannot be replayed either: thread T1 reached a .* instead of a write at .*once.c:9 ' \
	"certified: the reason"
rm "$tmp/left"
go --timeout 2 --json ./program
json_is '$j->{findings}[0]{verdict}' certified "certified: --json"
rm "$tmp/left"
go --timeout 2 --sarif ./program
json_is '$j->{runs}[0]{results}[0]{properties}{verdict}' certified "certified: --sarif"

go ./not-there
status_is 127 "no program: exit 127"
go --json --sarif ./program
status_is 2 "two formats: exit 2"
finish
