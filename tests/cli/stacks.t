#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of accesses, acquisitions and creations of threads, without a replay, in every format.
. tests/cli/lib.sh

# The functions of each stack, the innermost first: a line for each access, TITLE: F F F.
functions()
{
	awk '/^WARNING/ { sub(/^.* on /, ""); sub(/ \(.*/, ""); title = $0 }
	     /^  (Read|Write|Free|Rmw)/ { on = 1; next }
	     /^    #/ && on { if ($1 == "#0") line = title ":"; line = line " " $2; next }
	     { if (line != "") print line; line = ""; on = 0 }' "$1" | sort -u
}

for level in -O0 -O2; do
	"$NORN" c++ $level -g -pthread -o "$tmp/stacks" tests/programs/stacks/stacks.cpp
	run "$NORN" record -o "$tmp/stacks.norn" "$tmp/stacks"
	status_is 0 "$level: recorded"
	run "$NORN" predict "$tmp/stacks.norn"
	status_is 66 "$level: races are found"
	cp "$tmp/out" "$tmp/text"
	functions "$tmp/text" >"$tmp/functions"
	for who in guards_first guards_not; do
		while read -r stack; do
			grep -q "^$stack $who\$" "$tmp/functions"
			result $? "$level: $stack $who"
		done <<END
after_throw: catches work
after_jump: lands work
after_quiet: calls_quiet work
after_spin: spins work
inlined: innermost between outermost work
tail: last calls_last work
END
	done
	grep -q '^deep: recurse recurse recurse recurse work guards_first$' "$tmp/functions"
	result $? "$level: recursion"
	if [ $level = -O0 ]; then
		grep -q '^after_deep: recurse recurse recurse work guards_first$' "$tmp/functions"
		result $? "$level: behind a call that has returned"
	fi
	[ "$(wc -l <"$tmp/functions")" -eq "$(grep -vc norn-runtime "$tmp/functions")" ]
	result $? "$level: nothing of the runtime"
	grep -A2 'holds lock, taken at' "$tmp/text" | awk '{ print $2 }' | tr '\n' ' ' >"$tmp/held"
	[ "$(cat "$tmp/held")" = "lock, guards guards_first " ]
	result $? "$level: where the lock was taken"
	grep -A2 'Thread T1 created' "$tmp/text" | tail -1 | grep -q '#1 main .*stacks.cpp:176'
	result $? "$level: where the thread was made"
done

# Other formats, of the last trace.
run "$NORN" predict --format json "$tmp/stacks.norn"
json_is 'my ($f) = grep { $_->{variable} eq "inlined" } @{$j->{findings}};
	join " ", sort map { (split /:/)[3] } map { @{$_->{location}{callers}} } @{$f->{events}}' \
	"between between guards_first guards_not outermost outermost work work" "JSON"
run "$NORN" predict --format sarif "$tmp/stacks.norn"
json_is 'my ($r) = grep { $_->{message}{text} =~ /inlined/ } @{$j->{runs}[0]{results}};
	join " ", (map { $_->{location}{logicalLocations}[0]{name} }
	@{$r->{stacks}[0]{frames}})[0 .. 3]' \
	"innermost between outermost work" "SARIF"
run "$NORN" predict --format lines "$tmp/stacks.norn"
out_has 'stacks.cpp:103:2: note:   called from between' "lines"
run "$NORN" predict --format junit "$tmp/stacks.norn"
out_has 'called from between at tests/programs/stacks/stacks.cpp:103' "JUnit"
run "$NORN" show --stat "$tmp/stacks.norn"
! grep -q '^frames\|^stacks' "$tmp/out"
result $? "show --stat leaves them out"

# As text and back, and in a trace with facts that make no sense.
"$NORN" convert --to text "$tmp/stacks.norn" "$tmp/stacks.std"
run "$NORN" predict "$tmp/stacks.std"
functions "$tmp/out" | cmp -s - "$tmp/functions"
result $? "as text and back"
for wrong in 's/^\(meta stacks \)/\19999999:1 /' 's/^\(meta frames \)0@/\17@/' \
	's/^meta stacks .*/meta stacks 0:1/' 's/^meta stacks .*/meta stacks 3:x/' \
	's/^meta stacks .*/meta stacks 3:999999999999999999999/'; do
	sed "$wrong" "$tmp/stacks.std" >"$tmp/wrong.std"
	run "$NORN" predict "$tmp/wrong.std"
	[ "$status" -eq 66 ] && ! grep -q '^    #1' "$tmp/out"
	result $? "without stacks: $wrong"
done

finish
