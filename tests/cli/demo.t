#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo records, finds the race, has it certified, replays it, and says how to go on.
. tests/cli/lib.sh
run env NORN="$NORN" examples/demo
status_is 0 "exit 0"
err_empty "nothing on standard error"
out_has '^18:.*message = 42;' "prints the program"
out_has '^\$ .*norn record ' "records"
out_has '^1 message\(s\), the last is 42$' "runs the program"
out_has '^\$ .*norn predict ' "predicts"
out_has '^WARNING: Norn: data race on message \(certified\)$' "finds the race"
out_has '^ +2\. thread T2: .*hidden-race.c:29, takes lock, releases lock$' "says why"
out_has '^SUMMARY: .*hidden-race.c:18 in writer, .*hidden-race.c:30 in reader$' "and where"
out_has '^Every candidate is decided: race, deadlock and stuck, of this record' "says that this is all"
out_has '^certified: race [0-9]+-[0-9]+ \(values\), ' "certifies it"
out_has '^\$ .*norn certify ' "shows the commands"
out_has '^replayed: both at examples/hidden-race.c:18 and examples/hidden-race.c:30$' "replays it"
out_has '^[^ ]*norn replay --gdb ' "how to see it again"
next=$(tail -1 "$tmp/out")
run sh -c "$next"
status_is 66 "the last line is a command that works"
finish
