#!/bin/sh
# SPDX-License-Identifier: MIT
# Long traces are first read without accesses and branches (predict.whole_most). The report is the same.
. tests/cli/lib.sh

# report MOST FILE: what norn predict says of $trace, without its times.
report()
{
	run timeout 60 "$NORN" predict --json --tune predict.whole_most="$1" "$trace"
	{ echo "$status"; sed 's/"seconds": .*//' "$tmp/out"; } >"$2"
}

differ=0 clean=0
for trace in "$conformance"/*.trace tests/stuck/*.trace; do
	report 1000000000 "$tmp/whole"
	report 0 "$tmp/bare"
	[ "$(head -1 "$tmp/whole")" -ne 0 ] || clean=$((clean + 1))
	cmp -s "$tmp/whole" "$tmp/bare" && continue
	differ=$((differ + 1))
	echo "# $trace"
done
[ $differ -eq 0 ]
result $? "the reports of all traces are the same"
[ $clean -gt 20 ]
result $? "and many have nothing to be found"

# A signal that the wait names is counted anew, behind accesses that are not kept.
cat >"$tmp/signal.trace" <<'END'
main fork T1
T1 begin
T1 acquire l
T1 wait c l
main write x 1
main write x 2
main acquire l
main signal c
main release l
T1 woken c l by=8
T1 release l
T1 end
main join T1
END
trace=$tmp/signal.trace
report 1000000000 "$tmp/whole"
report 0 "$tmp/bare"
[ "$(head -1 "$tmp/bare")" -eq 66 ]
result $? "a wait that a signal behind it ends: it may come before"
same_files "$tmp/whole" "$tmp/bare" "with accesses and without"
finish
