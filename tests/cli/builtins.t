#!/bin/sh
# SPDX-License-Identifier: MIT
# Operators that compilers have beside those of C (counts of bits, sums that tell whether they fit, two
# floats in a register) have expressions, which say for all values what the program computed.
. tests/cli/lib.sh
. tests/cli/recorded.sh

for level in -O0 -O1 -O2 -Os; do
	compile norn tests/programs/builtins.c -w $level -o "$tmp/builtins" -lm
	run "$NORN" record -o "$tmp/t.norn" "$tmp/builtins"
	run "$NORN" convert --to text "$tmp/t.norn" "$tmp/t.txt"
	status_is 0 "$level: recorded"
	! grep -q '^meta wrong-expressions' "$tmp/t.txt"
	result $? "$level: no expression has another value than the program"
	[ "$(grep -c '^T[1-9].* write results.* = (' "$tmp/t.txt")" -gt 5000 ]
	result $? "$level: results have expressions"
	run sh -c 'grep "^T[1-9].* write results" "$1" | grep "reads=[0-9]"' sh "$tmp/t.txt"
	status_is 1 "$level: all that depend on something"
done
finish
