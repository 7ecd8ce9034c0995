#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples behave under norn cc and norn record as under clang; their traces are
# consistent; and norn predict finds what is in them, at the right lines, and nothing else.
. tests/cli/lib.sh
. tests/cli/recorded.sh
for program in examples/*.c; do
	for level in -O0 -O2; do
		try_program "$program" $level
	done
done
finish
