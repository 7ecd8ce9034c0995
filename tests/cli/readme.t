#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command in the blocks of README.md that starts with norn, and make demo, works; the picture shows what is printed.
. tests/cli/lib.sh
# lines between ``` fences; a prompt before the command is none of it
awk '/^```/ { inside = !inside; next } inside' README.md | sed 's/^\$ //' |
	grep -E '^(build/)?norn |^make demo$' >"$tmp/commands"
[ -s "$tmp/commands" ]
result $? "README.md has commands"

# A copy by links, so that what a command writes does not stay in the tree.
root=$PWD
# build/ is one of its own, since another test may run the demo at the same time.
mkdir "$tmp/tree"
ln -s "$root"/* "$tmp/tree"
rm "$tmp/tree/build"
mkdir "$tmp/tree/build"
ln -s "$root"/build/* "$tmp/tree/build"
rm -f "$tmp/tree/build/demo"
cd "$tmp/tree" || exit 1
while read -r command; do
	case $command in
	make*)
		# not the job server, the flags or the directory of the make that runs the tests
		run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $command </dev/null
		;;
	*)
		# a new trace may number its events otherwise; the demo begins with nothing, too
		case $command in *" record "*) rm -f build/demo/*.witness ;; esac
		run sh -c "norn() { \"\$NORN\" \"\$@\"; }; ${command#build/}" </dev/null
		;;
	esac
	[ $status -eq 0 ] || [ $status -eq 66 ]
	result $? "$command"
done <"$tmp/commands"
cp "$root/examples/hidden-race.c" .
run env PATH="${NORN%/*}:$PATH" tools/terminal-svg norn try hidden-race.c
status_is 0 "make picture: drawn"
# addresses and numbers of events are others in each run
for file in "$tmp/out" doc/norn-try.svg; do
	sed 's/0x[0-9a-f]*/ADDRESS/; s/(event [0-9]*)/(event N)/; s/textLength="[0-9.]*"//' $file >"$tmp/${file##*/}.text"
done
same_files "$tmp/norn-try.svg.text" "$tmp/out.text" "the picture in README.md shows what norn try prints"
cd "$root" || exit 1
finish
