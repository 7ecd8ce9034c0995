#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory that has two names. What the trace proves of such a run is conditional, unless it is
# replayed, and the race beside it is. Of memory that is mapped once nothing is lost.
. tests/cli/lib.sh
bin=$(dirname "$NORN")
program=tests/programs/maps/twofold.c

for level in -O0 -O1 -O2; do
	run "$bin/norn-cc" -w $level "$program" -o "$tmp/right"
	run "$bin/norn-cc" -w $level -DRACY "$program" -o "$tmp/racy"
	for way in lock flag remap segment write read; do
		run "$NORN" record -o "$tmp/right.norn" "$tmp/right" $way
		status_is 0 "$way $level: recorded"
		err_has 'memory: some was mapped twice' "$way $level: norn record says so"
		run "$NORN" predict --replay "$tmp/right.norn"
		status_is 4 "$way $level: nothing is proved, and it is no all-clear"
		! grep -q WARNING "$tmp/out"
		result $? "$way $level: nothing is called a bug"
		run "$NORN" predict "$tmp/right.norn"
		status_is 4 "$way $level: nor without a replay"
		out_has 'Relies on: memory that has two names' "$way $level: it says on what it relies"
		run "$NORN" record -o "$tmp/racy.norn" "$tmp/racy" $way
		run "$NORN" predict --replay "$tmp/racy.norn"
		status_is 66 "$way $level: the twin races"
		out_has 'data race on twin \(confirmed' "$way $level: and that is confirmed"
		! grep -q 'WARNING: Norn: data race on data' "$tmp/out"
		result $? "$way $level: only that"
	done
	for way in once again; do
		run "$NORN" record -o "$tmp/right.norn" "$tmp/right" $way
		run "$NORN" predict "$tmp/right.norn"
		status_is 0 "$way $level: clean"
		! grep -q 'not complete\|conditional' "$tmp/out"
		result $? "$way $level: and complete"
		run "$NORN" record -o "$tmp/racy.norn" "$tmp/racy" $way
		run "$NORN" predict "$tmp/racy.norn"
		status_is 66 "$way $level: the twin races"
		out_has 'data race on twin \(certified' "$way $level: and that is certified"
	done
done

# The other formats.
run "$NORN" record -o "$tmp/right.norn" "$tmp/right" flag
run "$NORN" predict --json "$tmp/right.norn"
out_has '^ *"memory that has two names"' "JSON has it"
out_has '"complete": false' "and is not complete"
run "$NORN" predict --sarif "$tmp/right.norn"
out_has 'memory that has two names' "SARIF has it"
finish
