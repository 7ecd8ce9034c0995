#!/bin/sh
# What the recorded run itself did wrong is in its trace, and is reported as seen: deadlocks and other
# hangs, which end; memory that is used after it was freed; crashes. Programs that only look hung are
# left alone. Each at three levels of optimisation.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# record_one FILE LEVEL: its status and report are left in a directory of its own.
record_one()
{
	work=$tmp/$(basename "$1")$2
	mkdir "$work"
	compile norn "$1" -w $2 -o "$work/program" >"$work/log" 2>&1 || return
	timeout 60 "$NORN" record --hang 1 --output "$work/trace" -- "$work/program" \
		>"$work/out" 2>"$work/err" </dev/null
	echo $? >"$work/status"
	"$NORN" check "$work/trace" >>"$work/log" 2>&1 || return
	"$NORN" predict --json "$work/trace" >"$work/json" 2>>"$work/log"
	echo $? >"$work/predicted"
}

# Most of them wait most of the time.
jobs=0
for program in tests/programs/seen/* tests/programs/waits/*; do
	for level in -O0 -O1 -O2; do
		record_one "$program" $level &
		jobs=$((jobs + 1))
		[ $((jobs % 6)) -ne 0 ] || wait
	done
done
wait

# Hangs are ended by SIGKILL.
wanted_status()
{
	status_line=$(directive "$1" status)
	if [ "$status_line" ]; then
		echo "$status_line"
	elif grep -q '^ \* expect: seen-\(deadlock\|stuck\)' "$1" && ! grep -q '\b_exit' "$1"; then
		echo 137
	else
		echo 0
	fi
}

for program in tests/programs/seen/* tests/programs/waits/*; do
	for level in -O0 -O1 -O2; do
		name=$(basename "$program") work=$tmp/$(basename "$program")$level
		command_run="$name $level"
		cp "$work/log" "$tmp/err"
		: >"$tmp/out"
		status=$(cat "$work/status" 2>/dev/null || echo 1)
		status_is "$(wanted_status "$program")" "$name $level: how it ends"
		expected "$program" >"$work/expected"
		found <"$work/json" >"$work/found"
		# what else is predicted is for other tests
		grep -v '^race\|^deadlock\|^stuck' "$work/found" >"$work/seen"
		diff "$work/expected" "$work/seen" >"$tmp/diff"
		result $? "$name $level: exactly what was to be seen"
		sed 's/^/# /' "$tmp/diff"
		status=$(cat "$work/predicted" 2>/dev/null || echo 1)
		if [ -s "$work/expected" ]; then
			status_is 66 "$name $level: exit status of predict"
		else
			status_is 0 "$name $level: exit status of predict"
		fi
	done
done
finish
