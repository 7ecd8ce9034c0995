#!/bin/sh
# SPDX-License-Identifier: MIT
# Every answer of tests/conformance/expected.tsv for which there is an analysis, and every
# witness through the certifier once more, from its file.
. tests/cli/lib.sh
tab=$(printf '\t')
while IFS=$tab read -r case analysis pairs; do
	case $analysis in
	maximal | mcm | predictable | values | said | quick | deadlock) ;;
	*) continue ;;
	esac
	trace=$conformance/$case.trace
	rm -rf "$tmp/w"
	witness="--witness $tmp/w"
	[ "$analysis" = quick ] && witness=
	want=66
	[ "$pairs" = - ] && want=0 pairs=
	run "$NORN" pairs --by "$analysis" $witness "$trace"
	[ "$status" -eq $want ] && [ "$(echo $(cat "$tmp/out"))" = "$pairs" ]
	result $? "$case by $analysis: ${pairs:-none}"
	for file in "$tmp/w"/*.witness; do
		[ -e "$file" ] || continue
		run "$NORN" certify "$trace" "$file"
		status_is 0 "$case by $analysis: ${file##*/} is certified"
	done
done <$conformance/expected.tsv
[ "$tests" -ge 1099 ]
result $? "there were 157 traces by 7 analyses"
finish
