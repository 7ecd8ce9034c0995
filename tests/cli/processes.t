#!/bin/sh
# SPDX-License-Identifier: MIT
# Order that goes through other processes: what one thread gives to a child and what another gets from
# it, by pipes, sockets, signals and their end.
. tests/cli/lib.sh
. tests/cli/recorded.sh
for program in tests/programs/processes/*.c; do
	for level in -O0 -O1 -O2; do
		try_program "$program" $level
	done
done
finish
