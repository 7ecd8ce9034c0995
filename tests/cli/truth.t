#!/bin/sh
# SPDX-License-Identifier: MIT
# Some random programs: what is predicted of them, replay shows, and nothing is predicted of those that are
# right. make soak has many.
. tests/cli/lib.sh
run tests/soak/truth 15 1
status_is 0 "every finding in 15 random programs is confirmed by replay, and none is in the right ones"
out_has ', 5 of them right:' "a third of them was right"
run tests/soak/share 8 1
status_is 0 "nearly all real races of 8 small programs are found, and nothing else"
out_has '^8 programs: .* 0 wrong' "and all were judged"
finish
