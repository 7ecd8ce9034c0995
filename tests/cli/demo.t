#!/bin/sh
# The demo finds the race, shows the witness, has it certified, and says how to go on.
. tests/cli/lib.sh
run env NORN="$NORN" examples/demo
status_is 0 "exit 0"
err_empty "nothing on standard error"
out_has '^ +10  t2 read x 1$' "prints the trace"
out_has '^\$ .*norn predict ' "predicts"
out_has '^WARNING: Norn: data race on x \(certified\)$' "finds the race"
out_has '^    2\. thread t2: 4 events, event 6 … event 9, takes l, releases l$' "says why"
out_has '^Every candidate is decided\.$' "says that this is all"
out_has '^bug race 3 10$' "prints the witness"
out_has '^certified: race 3-10 \(values\), ' "certifies it"
out_has '^\$ .*norn certify ' "shows the commands"
next=$(tail -1 "$tmp/out")
run sh -c "$next"
status_is 66 "the last line is a command that works"
finish
