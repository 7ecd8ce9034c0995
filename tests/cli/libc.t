#!/bin/sh
# What libc's functions do between threads: right programs are clean, and what races beside them is
# found, at every level of optimisation.
. tests/cli/lib.sh
. tests/cli/recorded.sh
for program in tests/programs/libc/*.c tests/programs/libc/*.cpp; do
	[ -e "$program" ] || continue
	for level in -O0 -O1 -O2; do
		try_program "$program" $level
	done
done
finish
