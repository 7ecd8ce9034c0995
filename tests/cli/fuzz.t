#!/bin/sh
# SPDX-License-Identifier: MIT
# A minute of fuzzing in all: some ten seconds a fuzzer, each time with the same random numbers
# (`make fuzz` draws new ones). They have sanitizers of their own, so the
# tests under sanitizers do not run them once more.
case $BUILD in
*/asan)
	echo "1..0 # SKIP the fuzzers are run by make test"
	exit 0
	;;
esac
FUZZ_SEED=1 exec tests/fuzz/run 12
