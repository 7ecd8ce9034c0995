#!/bin/sh
# SPDX-License-Identifier: MIT
# NORN_OPTIONS: programs of norn cc are recorded without norn record in front of them.
. tests/cli/lib.sh
here=$PWD
PATH=$(dirname "$NORN"):$PATH

cat >"$tmp/count.cpp" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int count;
static struct early {
	early() { fprintf(stderr, "constructed\n"); }
} before_main;
static void *work(void *p)
{
	count++;
	return p;
}
int main(int argc, char **argv)
{
	char line[100] = "";
	pthread_t t;
	pthread_create(&t, nullptr, work, nullptr);
	count++;
	pthread_join(t, nullptr);
	if (argc > 1 && !strcmp(argv[1], "again")) {
		argv[1] = nullptr;
		execv("/proc/self/exe", argv);
	}
	if (!fgets(line, sizeof line, stdin))
		line[0] = 0;
	const char *last = strrchr(argv[0], '/');
	printf("%s %d %s, options %s, %s\n", last ? last + 1 : argv[0], argc,
	       argc > 2 ? argv[2] : "-", getenv("NORN_OPTIONS") ? "seen" : "unseen", line);
	return 42;
}
EOF
cat >"$tmp/plain.c" <<'EOF'
int main(void) { return 5; }
EOF
run "$NORN" c++ -g -o "$tmp/count" "$tmp/count.cpp"
status_is 0 "norn c++"
run "$NORN" c++ -static -g -o "$tmp/static" "$tmp/count.cpp"
status_is 0 "norn c++ -static"
mkdir "$tmp/traces" "$tmp/bin"
cd "$tmp" || exit 1

# with OPTIONS COMMAND...
with()
{
	options=$1
	shift
	run env NORN_OPTIONS="$options" timeout 60 "$@" </dev/null
}

# traces N WHAT: there are so many
traces()
{
	[ "$(find "$tmp/traces" -name '*.norn' | wc -l)" = "$1" ]
	result $? "$2"
	rm -f "$tmp"/traces/*
}

pattern="output=$tmp/traces/%e.%p.norn"
for program in count static; do
	printf 'a line' >input
	run env NORN_OPTIONS="$pattern:max-events=1M" timeout 60 ./$program -x 'a b' <input
	status_is 42 "$program: the exit status is that of the program"
	out_is "$program: it has its arguments and its input, and does not see the variable" <<END
$program 3 a b, options unseen, a line
END
	[ "$(grep -c constructed err)" = 1 ]
	result $? "$program: constructors run once"
	run "$NORN" predict traces/*
	status_is 66 "$program: it is recorded, and the race is in the trace"
	"$NORN" convert traces/* - 2>err | grep -a NORN_OPTIONS >out
	out_empty "$program: which says nothing of the variable"
	find traces -name "$program.[0-9]*.norn" >out
	out_has . "$program: and has the name that the pattern says"
	traces 1 "$program: there is one"
done

# %p is the process that was started
NORN_OPTIONS="output=$tmp/traces/%p.%%p.norn" ./count </dev/null >/dev/null 2>&1 &
first=$!
wait $first
with "output=$tmp/traces/%p.%%p.norn" ./count
[ -s "traces/$first.%p.norn" ]
result $? "%p is the process that was started"
traces 2 "and each has its own"

# names that lead to the program: a link, one in PATH, one that is none
ln -s ../count bin/linked
with "output=$tmp/traces/%e.norn" bin/linked
out_has '^linked ' "a link keeps its name"
PATH=$tmp/bin:$PATH with "output=$tmp/traces/path-%e.norn" linked
out_has '^linked ' "and so it does in PATH"
with "output=$tmp/traces/none.norn" perl -e 'exec { "./count" } "no such name"'
out_has '^count ' "a name that leads nowhere gives way to that of the file"
traces 3 "all three are recorded"

# quotes; the command line
mkdir 'a:b c'
with "output='$tmp/a:b c/x.norn' follow" ./count
[ -s 'a:b c/x.norn' ]
result $? "a value in quotes"
with "output=$tmp/traces/variable.norn" norn record -o line.norn ./count
[ -s line.norn ]
result $? "the command line goes before the variable"
traces 0 "which does not count then"

# programs that are recorded already
for program in count static; do
	with "output=$tmp/traces/inner.norn" norn run -o outer.norn ./$program
	status_is 66 "norn run ./$program"
	traces 0 "is not recorded twice"
done
with "$pattern:follow" ./count again
traces 2 "a program that executes another one, with follow"
with "$pattern" sh -c './count; ./static; exit 3'
status_is 3 "a script that runs two programs"
traces 2 "has two traces"

# what goes wrong is said
with outptu=x ./count
status_is 2 "with a mistake, the program does not run"
err_has 'NORN_OPTIONS: no option --outptu; did you mean --output' "and why is said"
out_empty "and nothing else"
with "output='x" ./count
err_has 'NORN_OPTIONS: a quote is missing' "a quote without its end"
mkdir none
run env PATH=$tmp/none NORN_OPTIONS="$pattern" ./static </dev/null
status_is 42 "where norn is not found, the program runs"
err_has 'norn is not in PATH: this run is not recorded' "and that is said"
cc -o plain plain.c || exit 1
with nonsense ./plain
status_is 5 "programs without Norn do not care"

cd "$here" || exit 1
finish
