# SPDX-License-Identifier: MIT
# TAP for tests of the command line. Source it, `run` a command, say what should have come of
# it, and end with `finish`. $tmp is a directory of the test's own.

: "${NORN:=$PWD/build/norn}"
conformance=tests/conformance
tests=0
failures=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/norn-test.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
# the key by which a trace is this user's
XDG_STATE_HOME=$tmp/state
export XDG_STATE_HOME
command_run=nothing
status=0
: >"$tmp/out"
: >"$tmp/err"

# run COMMAND…: keeps its output in $tmp/out and $tmp/err and its exit status in $status.
run()
{
	command_run=$*
	"$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# result OK NAME: OK is 0 if the test passed.
result()
{
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' $tests "$2"
		return
	fi
	failures=$((failures + 1))
	printf 'not ok %d - %s\n' $tests "$2"
	printf '# after: %s\n' "$command_run"
	echo "# exit status $status"
	head -20 "$tmp/out" | sed 's/^/# out: /'
	head -20 "$tmp/err" | sed 's/^/# err: /'
}

# todo NAME: what does not pass yet, and is known not to; prove counts it apart.
todo()
{
	tests=$((tests + 1))
	printf 'not ok %d - %s # TODO\n' $tests "$1"
}

status_is()
{
	[ "$status" -eq "$1" ]
	result $? "$2"
}

# out_is NAME <<END: exactly this on standard output.
out_is()
{
	cat >"$tmp/want"
	diff "$tmp/want" "$tmp/out" >"$tmp/diff"
	result $? "$1"
	sed 's/^/# /' "$tmp/diff"
}

# An extended regular expression that some line must match.
out_has()
{
	grep -Eq -e "$1" "$tmp/out"
	result $? "$2"
}

err_has()
{
	grep -Eq -e "$1" "$tmp/err"
	result $? "$2"
}

out_empty()
{
	[ ! -s "$tmp/out" ]
	result $? "$1"
}

err_empty()
{
	[ ! -s "$tmp/err" ]
	result $? "$1"
}

same_files()
{
	cmp "$1" "$2" >/dev/null 2>&1
	result $? "$3"
}

# json_is EXPRESSION WANT NAME: standard output is JSON, $j; a Perl expression on it.
json_is()
{
	got=$(perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>); print eval($ARGV[0]) // ""' \
		"$1" <"$tmp/out" 2>>"$tmp/err")
	[ "$got" = "$2" ]
	result $? "$3"
	[ "$got" = "$2" ] || echo "# $1 is '$got', not '$2'"
}

finish()
{
	echo "1..$tests"
	[ "$failures" -eq 0 ]
	exit
}
