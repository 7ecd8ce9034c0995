#!/bin/sh
# runtime/known.h and the runtime agree: what it says is replaced or interposed is there, in both
# archives, nothing else is interposed, and every name is one that a program can call.
. tests/cli/lib.sh
bin=$(dirname "$NORN")

# names LIST: of known.h, a line each.
names()
{
	printf '#include "runtime/known.h"\n#define ROW(name) NAME name\nNORN_%s(ROW)\n' "$1" |
		cc -E -P -I. -x c - | grep -o 'NAME [A-Za-z0-9_]*' | cut -d' ' -f2 | LC_ALL=C sort
}

defined()
{
	nm -g --defined-only --format=posix "$1" 2>/dev/null | awk 'NF > 1 && $2 ~ /[TWV]/ { print $1 }' |
		LC_ALL=C sort -u
}

# missing FILE IN NAME: lines of FILE that are not in IN.
missing()
{
	LC_ALL=C comm -23 "$1" "$2" >"$tmp/out"
	out_empty "$3"
}

for list in REPLACED INTERPOSED QUIET; do
	names $list >"$tmp/$list"
	[ -s "$tmp/$list" ]
	result $? "$list has names"
done
cat "$tmp/REPLACED" "$tmp/INTERPOSED" "$tmp/QUIET" | LC_ALL=C sort | uniq -d >"$tmp/out"
out_empty "no name is listed twice"

defined "$bin/libnorn-runtime.a" >"$tmp/dynamic"
defined "$bin/libnorn-runtime-static.a" >"$tmp/static"
sed 's/^/__norn_/' "$tmp/REPLACED" | LC_ALL=C sort >"$tmp/replaced"
sed 's/^/__wrap_/' "$tmp/INTERPOSED" | LC_ALL=C sort >"$tmp/wrapped"
missing "$tmp/replaced" "$tmp/dynamic" "what is replaced is in the runtime"
missing "$tmp/replaced" "$tmp/static" "and in that for static programs"
missing "$tmp/INTERPOSED" "$tmp/dynamic" "what is interposed is in the runtime"
missing "$tmp/wrapped" "$tmp/static" "and in that for static programs"
grep -v '^__norn_\|^norn_\|^DW\.ref' "$tmp/dynamic" >"$tmp/others"
missing "$tmp/others" "$tmp/INTERPOSED" "nothing else is interposed"
grep '^__wrap_' "$tmp/static" >"$tmp/others"
missing "$tmp/others" "$tmp/wrapped" "nor wrapped in static programs"

# Functions of libc are where a program's linker finds them: shared, or in what comes with it.
for library in libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1 libatomic.so.1; do
	nm -D --defined-only --format=posix "$(cc -print-file-name=$library)"
done 2>/dev/null | sed 's/@.*//; s/ .*//' >"$tmp/there"
nm -g --defined-only --format=posix "$(cc -print-file-name=libc_nonshared.a)" 2>/dev/null |
	awk 'NF > 1 { print $1 }' >>"$tmp/there"
grep '^norn_' "$tmp/dynamic" >>"$tmp/there" # norn.h
LC_ALL=C sort -u -o "$tmp/there" "$tmp/there"
for list in REPLACED INTERPOSED QUIET; do
	missing "$tmp/$list" "$tmp/there" "all of $list are functions of libraries"
done

finish
