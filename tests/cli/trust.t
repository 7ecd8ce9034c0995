#!/bin/sh
# SPDX-License-Identifier: MIT
# A trace is data: what stands in it is run only if this user recorded it here, or says so; and nothing
# in it reaches a terminal as a command.
. tests/cli/lib.sh

umask 022

cat >"$tmp/program.c" <<'END'
#include <pthread.h>
#include <stdio.h>
static int shared;
static void *add(void *p)
{
	shared++;
	return p;
}
int main(void)
{
	FILE *ran = fopen("ran", "w");
	if (ran)
		fclose(ran);
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
"$NORN" cc -g "$tmp/program.c" -o "$tmp/program"
run sh -c 'cd "$1" && exec "$2" record --output own.norn ./program "" "two words" "100%"' sh "$tmp" "$NORN"
status_is 0 "recorded"
[ "$(stat -c %a "$tmp/own.norn")" = 600 ]
result $? "nobody else reads a trace"
[ "$(stat -c %a "$tmp/state/norn/key") $(stat -c %s "$tmp/state/norn/key")" = "600 32" ]
result $? "nor the key"
"$NORN" convert --to text "$tmp/own.norn" "$tmp/own.trace"
[ "$(stat -c %a "$tmp/own.trace")" = 600 ]
result $? "nor a trace in another format"
rm -f "$tmp/ran"

run "$NORN" replay --show-command "$tmp/own.trace"
status_is 0 "--show-command"
out_is "--show-command: what would be run" <<END
recorded by this user on this machine: yes
program: ./program
argument: 
argument: two words
argument: 100%
$(grep -E '^(directory|standard input|environment|input): ?' "$tmp/out")
END
[ ! -e "$tmp/ran" ]
result $? "--show-command runs nothing"
run "$NORN" replay --recorded "$tmp/own.trace"
status_is 0 "what this user recorded is replayed, in any format"
[ -e "$tmp/ran" ]
result $? "it was run"

# refused WHAT SCRIPT: the trace, changed by sed, is a stranger's.
refused()
{
	rm -f "$tmp/ran"
	sed "$2" "$tmp/own.trace" >"$tmp/other.trace"
	! cmp -s "$tmp/own.trace" "$tmp/other.trace"
	result $? "$1: the trace is another one"
	run "$NORN" replay --recorded "$tmp/other.trace"
	status_is 3 "$1: not replayed"
	err_has 'other.trace was not recorded by this user on this machine: .*--show-command.*--trust' "$1: said"
	run "$NORN" predict --replay "$tmp/other.trace"
	status_is 66 "$1: predicted"
	out_has 'replay is not possible here: .*was not recorded by this user' "$1: predict does not replay it"
	[ ! -e "$tmp/ran" ]
	result $? "$1: nothing was run"
}
refused "another program" 's|^meta argument ./program|meta argument /bin/sh|'
refused "one more argument" 's|^meta argument 100%25|&\nmeta argument -c|'
refused "another directory" 's|^meta directory .*|meta directory /|'
refused "another environment" 's|^meta argument ./program|&\nmeta environment LD_PRELOAD=/tmp/evil.so|'
refused "other modules" '0,/^meta module /{/^meta module /d}'
refused "no seal" '/^meta seal /d'
refused "another seal" 's/^meta seal .*/meta seal 00/'

# The same file, for another user or on another machine: another key.
run env XDG_STATE_HOME="$tmp/elsewhere" "$NORN" replay --recorded "$tmp/own.norn"
status_is 3 "another key: not replayed"
[ ! -e "$tmp/elsewhere" ]
result $? "to look for a key makes none"
chmod 644 "$tmp/state/norn/key"
run "$NORN" replay --recorded "$tmp/own.norn"
status_is 3 "a key that others can read is none"
rm -f "$tmp/ran"
run "$NORN" replay --recorded --trust "$tmp/own.norn"
status_is 0 "--trust: replayed"
[ -e "$tmp/ran" ]
result $? "--trust: run"
run "$NORN" predict --replay --trust "$tmp/own.norn"
out_has '\(confirmed: certified and replayed' "predict --trust: confirmed"

# Where there is no place for a key, only later calls are refused.
: >"$tmp/file"
run sh -c 'cd "$1" && XDG_STATE_HOME=$1/file exec "$2" run --output none.norn ./program' sh "$tmp" "$NORN"
status_is 66 "no key: norn run"
out_has '\(confirmed: certified and replayed' "no key: norn run replays what it has recorded"
"$NORN" convert --to text "$tmp/none.norn" - >"$tmp/none.trace"
! grep -q '^meta seal ' "$tmp/none.trace" && grep -q '^meta argument ' "$tmp/none.trace"
result $? "no key: no seal"

# Words that end in the middle of a code, variables that no recorder writes, standard input that is no file
mkfifo "$tmp/pipe"
cat >"$tmp/odd.trace" <<END
meta argument ./program
meta argument a%
meta argument b%4
meta argument c%zz
meta argument d%2
meta environment PATH=/evil
meta environment LD_%3d
meta input $tmp/pipe
t1 write x 1
END
run "$NORN" replay --show-command "$tmp/odd.trace"
out_is "odd words are as they stand" <<END
recorded by this user on this machine: no
program: ./program
argument: a%
argument: b%4
argument: c%zz
argument: d%2
standard input: $tmp/pipe
environment: LD_=
END
sed -i "1i meta directory $tmp" "$tmp/odd.trace"
run timeout 20 "$NORN" replay --recorded --trust "$tmp/odd.trace"
status_is 3 "standard input that is no file is not waited for"

# Characters that a terminal obeys
printf 'meta argument \302\23331mx\235y\n\nt1 write x 1\n' >"$tmp/control.trace"
run "$NORN" replay --show-command "$tmp/control.trace"
out_has '^program: \?\?31mx\?y$' "no control character is printed"
run "$NORN" check "$tmp/$(printf 'a\302\233b\303\251')"
LC_ALL=C grep -q "a??b$(printf '\303\251')" "$tmp/err"
result $? "nor in a message; other characters stay"

# A program with more rights than its caller
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$tmp"
	cp "$tmp/program" "$tmp/raised"
	chmod 4755 "$tmp/raised"
	mkdir -m 777 "$tmp/open"
	run setpriv --reuid=65534 --regid=65534 --clear-groups env --chdir="$tmp" TMPDIR="$tmp/open" \
		XDG_STATE_HOME="$tmp/open" "$NORN" record --output "$tmp/open/raised.norn" "$tmp/raised"
	! find "$tmp/open" -uid 0 ! -path "$tmp/open" | grep -q .
	result $? "setuid: no file is written with its rights"
	grep -q . "$tmp/err"
	result $? "setuid: said"
	for program in program raised; do
		run setpriv --reuid=65534 --regid=65534 --clear-groups env --chdir="$tmp" TMPDIR="$tmp/open" \
			XDG_STATE_HOME="$tmp/open" PATH="$(dirname "$NORN"):$PATH" \
			NORN_OPTIONS="output=$tmp/open/%e.options" "$tmp/$program"
	done
	[ -e "$tmp/open/program.options" ] && [ ! -e "$tmp/open/raised.options" ]
	result $? "setuid: NORN_OPTIONS does nothing"
fi
finish
