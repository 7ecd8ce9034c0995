#!/bin/sh
# Every C file stands as clang-format would write it.
. tests/cli/lib.sh
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make check-format
status_is 0 "make check-format (make format mends it)"
finish
