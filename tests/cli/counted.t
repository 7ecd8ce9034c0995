#!/bin/sh
# SPDX-License-Identifier: MIT
# What a library has libc do orders threads, although norn cc has not compiled it and it has no atomics: files, streams,
# sockets, polls, locks of files, queues, signals. All is right but the twin, which is touched on both sides.
. tests/cli/lib.sh
. tests/cli/recorded.sh
here=tests/programs/counted
program=$here/program.c

clang -w -O1 -shared -fPIC -o "$tmp/liblibrary.so" $here/library.c -lrt
result $? "the library"
# glibc calls other functions then
clang -w -O2 -D_FORTIFY_SOURCE=2 -shared -fPIC -o "$tmp/libfortified.so" $here/library.c -lrt
result $? "the library, fortified"
for built in library fortified; do
	for level in -O0 -O2; do
		name=$built$level
		run "$bin/norn-cc" -w -g $level -o "$tmp/$name" $program -L"$tmp" -l$built -Wl,-rpath,"$tmp" -lrt
		status_is 0 "$name: norn cc"
		run timeout 100 "$NORN" record --output "$tmp/$name.norn" "$tmp/$name" </dev/null
		status_is 0 "$name: norn record"
		run "$NORN" predict --json "$tmp/$name.norn"
		found <"$tmp/out" >"$tmp/found"
		grep -v "^undecided" "$tmp/found" >"$tmp/races"
		printf 'race %d %d\n' $(grep -n '@b' $program | cut -d: -f1 | sort -n) >"$tmp/want"
		: >"$tmp/out"
		same_files "$tmp/want" "$tmp/races" "$name: the twin races, and nothing else"
		sed 's/^/# /' "$tmp/found"
	done
done
finish
