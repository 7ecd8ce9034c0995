#!/bin/sh
# Some random programs: what is predicted of them, replay shows. make soak has many.
. tests/cli/lib.sh
run tests/soak/truth 15 1
status_is 0 "every finding in 15 random programs is confirmed by replay"
finish
