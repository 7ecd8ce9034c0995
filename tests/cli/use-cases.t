#!/bin/sh
# SPDX-License-Identifier: MIT
# From the source of a program to a property that is broken: each use case has a faulty program, which
# is found and replayed, and a right one, which is clean.
. tests/cli/lib.sh
for script in properties/*.csp; do
	name=$(basename "$script" .csp)
	for program in faulty right; do
		[ "$name" = sqlite ] && library=-lsqlite3 || library=
		for level in -O0 -O2; do
			run "$NORN" cc $level -g --events "properties/$name.events" \
				"examples/properties/$name/$program.c" -o "$tmp/x" $library
			status_is 0 "$name, $program $level: builds"
			run "$NORN" run --property "$script" --output "$tmp/x.norn" "$tmp/x"
			if [ $program = faulty ]; then
				status_is 66 "$name, $program $level: is broken"
				out_has 'property violated \(confirmed' "$name, $program $level: is replayed"
			else
				status_is 0 "$name, $program $level: is kept"
				out_has '^Every candidate is decided' "$name, $program $level: all is decided"
			fi
		done
	done
done

# norn hunt asks the property of every run
for program in faulty right; do
	"$NORN" cc -g --events properties/file.events "examples/properties/file/$program.c" -o "$tmp/$program"
	run "$NORN" hunt --property properties/file.csp --time 60 --output "$tmp/hunt-$program" "$tmp/$program"
	if [ $program = faulty ]; then
		status_is 66 "hunt, $program: is broken"
		out_has 'SUMMARY: Norn: property violated: ' "hunt, $program: says so"
	else
		[ "$status" -eq 0 ] || [ "$status" -eq 4 ] # of a choice it may not be sure
		result $? "hunt, $program: is kept"
	fi
done
finish
