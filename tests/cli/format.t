#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C file stands as clang-format would write it, and every source file names its licence.
. tests/cli/lib.sh
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make check-format
status_is 0 "make check-format (make format mends it)"

# Not the programs that are recorded: the places in them are in what is expected.
find src cmd instrument runtime tests/unit tests/support tests/fuzz -name '*.[ch]' >"$tmp/files"
find bench tools tests/soak tests/fuzz tests/cli -maxdepth 1 -type f -exec grep -lE '^#!|^#include' {} + \
	>>"$tmp/files"
[ "$(wc -l <"$tmp/files")" -ge 900 ]
result $? "there are source files"
while read -r file; do
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file"
done <"$tmp/files" >"$tmp/out"
command_run="head -n 2"
out_empty "each has an SPDX line"
head -n 1 LICENSE | grep -q '^MIT License$'
result $? "it names the licence of LICENSE"
finish
