#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of tests/programs/deadlocks, each recorded in a run that goes well: what norn predict
# finds in them, and the table of those scenarios that another tool was published with.
. tests/cli/lib.sh
. tests/cli/recorded.sh
programs=tests/programs/deadlocks
for level in -O0 -O2; do
	right=0 scenarios=0
	: >"$tmp/table"
	for program in $programs/*.c; do
		verdict=none
		before=$failures
		try_program "$program" $level
		scenario=$(directive "$program" scenario)
		[ "$scenario" ] || continue
		scenarios=$((scenarios + 1))
		[ $failures -gt $before ] || right=$((right + 1))
		printf '# %-18s%-22s%-10s%s\n' "$scenario" "$(basename "$program" .c)" \
			"$(directive "$program" expect | cut -d' ' -f1 | uniq)" "${verdict:-nothing}" \
			>>"$tmp/table"
	done
	printf '# %-18s%-22s%-10s%s\n' scenario program expected "Norn $level"
	cat "$tmp/table"
	[ "$right of $scenarios" = "13 of 13" ]
	result $? "$level: $right of $scenarios scenarios are right"
done
for program in $programs/*.c; do
	name=$(basename "$program")
	grep -q "($name)" $programs/README.md
	result $? "$name is in the table of what other tools say"
done
finish
