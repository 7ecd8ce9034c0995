#!/bin/sh
# SPDX-License-Identifier: MIT
# runtime/known.h and the runtime agree: what it says is replaced or interposed is there, in both
# archives, nothing else is interposed, and every name is one that a program can call. And every
# function of glibc that a program can link with is there, or is left out in runtime/libc/libc.table.
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
names COUNTED >"$tmp/COUNTED"
missing "$tmp/COUNTED" "$tmp/REPLACED" "what is counted is replaced"
missing "$tmp/COUNTED" "$tmp/dynamic" "and in the runtime"
LC_ALL=C sort "$tmp/INTERPOSED" "$tmp/COUNTED" >"$tmp/ours"
grep -v '^__norn_\|^norn_\|^DW\.ref' "$tmp/dynamic" >"$tmp/others"
missing "$tmp/others" "$tmp/ours" "nothing else is interposed"
grep '^__wrap_' "$tmp/static" >"$tmp/others"
missing "$tmp/others" "$tmp/wrapped" "nor wrapped in static programs"

# Functions of libc are where a program's linker finds them: shared, or in what comes with it.
for library in libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1 libatomic.so.1; do
	nm -D --defined-only --format=posix "$(cc -print-file-name=$library)"
done 2>/dev/null | sed 's/@.*//; s/ .*//' >"$tmp/there"
nm -D --defined-only --format=posix "$(clang -print-resource-dir)/../../libomp.so" | sed 's/@.*//; s/ .*//' >>"$tmp/there"
nm -g --defined-only --format=posix "$(cc -print-file-name=libc_nonshared.a)" 2>/dev/null |
	awk 'NF > 1 { print $1 }' >>"$tmp/there"
grep '^norn_' "$tmp/dynamic" >>"$tmp/there" # norn.h
LC_ALL=C sort -u -o "$tmp/there" "$tmp/there"
for list in REPLACED INTERPOSED QUIET; do
	missing "$tmp/$list" "$tmp/there" "all of $list are functions of libraries"
done

# Functions by the default version of their symbol, and not those that glibc keeps for itself.
linkable()
{
	nm -D --defined-only --format=posix "$(cc -print-file-name=$1)" |
		awk '$2 ~ /[TWi]/ && $1 ~ /@@/ && $1 !~ /@@GLIBC_PRIVATE/ { sub(/@.*/, "", $1); print $1 }'
}

sed -n 's/^\t//p' runtime/libc/libc.table | tr ' ' '\n' | LC_ALL=C sort >"$tmp/left"
[ "$(wc -l <"$tmp/left")" -gt 500 ]
result $? "libc.table has names"
uniq -d "$tmp/left" >"$tmp/out"
out_empty "no function is left out twice"
grep -v '^#\|^	\|^$' runtime/libc/libc.table | grep -v ':$' >"$tmp/out"
out_empty "it has reasons, names and nothing else"
cat "$tmp/REPLACED" "$tmp/INTERPOSED" "$tmp/QUIET" | LC_ALL=C sort >"$tmp/listed"
LC_ALL=C comm -12 "$tmp/left" "$tmp/listed" >"$tmp/out"
out_empty "what is left out is not known"
version=$(getconf GNU_LIBC_VERSION 2>/dev/null)
for library in libc.so.6 libm.so.6; do
	linkable $library
done | LC_ALL=C sort -u >"$tmp/linkable"
[ "$(wc -l <"$tmp/linkable")" -gt 2000 ]
result $? "the library has functions ($version)"
LC_ALL=C sort -u "$tmp/listed" "$tmp/left" >"$tmp/rows"
missing "$tmp/linkable" "$tmp/rows" "every function of the library has a row"
missing "$tmp/left" "$tmp/linkable" "every row that is left out is a function of the library"

finish
