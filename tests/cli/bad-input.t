#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad input of every kind: exit 3, and a message that says where; never a crash.
. tests/cli/lib.sh
trace=$conformance/control-flow-race.trace

# rejects NAME FILE [VERB…]: exit 3, a file with a line or a byte offset, no output
rejects()
{
	name=$1 file=$2
	shift 2
	[ $# -gt 0 ] || set -- check
	run "$NORN" "$@" "$file"
	status_is 3 "$name: exit 3"
	err_has "^norn: $file:([0-9]+:| byte [0-9]+)" "$name: says where"
}

# rejects_text NAME LINE TEXT…: the trace is bad at this line
rejects_text()
{
	name=$1 line=$2
	shift 2
	printf '%s\n' "$@" >"$tmp/bad.trace"
	for verb in check show 'show --stat' explore; do
		# what is well written but cannot happen is for check and the analyses
		case $name:$verb in impossible*:show*) continue ;; esac
		run "$NORN" $verb "$tmp/bad.trace"
		status_is 3 "$name: $verb: exit 3"
		err_has "^norn: $tmp/bad.trace:$line: " "$name: $verb: at line $line"
	done
}

rejects_text "unknown op" 2 't1 begin' 't1 frobnicate x'
rejects_text "no op" 2 't1 begin' 't1'
rejects_text "operand missing" 1 't1 read x'
rejects_text "one operand too many" 1 't1 acquire l m'
rejects_text "wrong operand" 1 't1 read x seven'
rejects_text "wrong operand, by=" 3 't1 acquire l' 't1 wait c l' 't1 woken c l by=nobody'
rejects_text "woken without by=" 3 't1 acquire l' 't1 wait c l' 't1 woken c l'
rejects_text "unknown annotation" 1 't1 read x 0 why=not'
rejects_text "annotation of another event" 1 't1 acquire l reads='
rejects_text "unknown memory order" 1 't1 read x 0 order=chaotic'
rejects_text "reads= of a later event" 1 't1 write x 1 reads=2' 't1 read y 0'
rejects_text "reads= of itself" 1 't1 write x 1 reads=1'
rejects_text "reads= of event 0" 1 't1 write x 1 reads=0'
rejects_text "reads= that is no list" 2 't1 read x 0' 't1 write x 1 reads=1,,'
rejects_text "impossible: reads= of a foreign event" 2 't1 read x 0' 't2 write x 1 reads=1'
rejects_text "expression with a later read" 1 't1 write x 1 = (+ %2 1)'
rejects_text "expression and reads=" 2 't1 read x 0' 't1 write x 1 reads=1 = (+ %1 1)'
rejects_text "unknown operator" 2 't1 read x 0' 't1 write x 1 = (plus %1 1)'
rejects_text "unbalanced expression" 2 't1 read x 0' 't1 write x 1 = (+ %1 1'
rejects_text "wrong number of arguments" 2 't1 read x 0' 't1 write x 1 = (not %1 1)'
rejects_text "impossible: release of a lock not held" 1 't1 release l'
rejects_text "impossible: join before end" 3 't1 fork t2' 't2 begin' 't1 join t2' 't2 end'
rejects_text "number out of range" 1 't1 write x 18446744073709551616'
rejects_text "negative number out of range" 1 't1 write x -9223372036854775809'
rejects_text "hexadecimal out of range" 1 't1 write x 0x10000000000000000'
rejects_text "event number out of range" 1 't1 write x 1 reads=99999999999999999999'
rejects_text "parties out of range" 1 'barrier b 99999999999'
rejects_text "semaphore out of range" 1 'sem s -1'
rejects_text "parts that overlap" 4 'memory a m 0 4' 'memory b m 2 4' 't1 read a 0' \
	't1 write a 1 b 0'
rejects_text "more than an overlapped variable holds" 3 'memory a m 0 4' 'memory b m 2 2' \
	't1 write a 0x100000000'
rejects_text "memory that wraps around" 1 'memory x heap 0xfffffffffffffff8 16'
rejects_text "memory of no bytes" 1 'memory x heap 0x1000 0'
rejects_text "declaration after use" 2 't1 write x 1' 'init x 4'
rejects_text "memory after an event" 2 't1 begin' 'memory x heap 0x1000 4'
rejects_text "declaration without a value" 1 'init x'
rejects_text "impossible: barrier without parties" 1 't1 barrier-enter b'

# files of a format cut short, or none at all
printf 't1 begin\nt1 wri' >"$tmp/cut.trace"
rejects "text cut short" "$tmp/cut.trace"
printf 't1 begin\nt1 write x\0 1\n' >"$tmp/nul.trace"
rejects "a NUL byte" "$tmp/nul.trace"
printf 'T1|begin(T1)|1\nT1|wri' >"$tmp/cut.std"
rejects "STD cut short" "$tmp/cut.std"
gzip -c $trace | head -c 100 >"$tmp/cut.gz"
run "$NORN" check "$tmp/cut.gz"
status_is 3 "gzip cut short: exit 3"
err_has "^norn: $tmp/cut.gz: .*gzip" "gzip cut short: says so"
for seed in 1 2 3 4 5 6 7 8; do
	perl -e 'srand(shift); print map { chr int rand 256 } 1 .. 5000' $seed >"$tmp/random"
	rejects "random bytes $seed" "$tmp/random"
	perl -e 'srand(shift); print map { (" ", "\n", "a".."f", 0..3, "=", "(", "%")[rand 16] } 1 .. 5000' \
		$seed >"$tmp/random"
	run "$NORN" convert --from text "$tmp/random" "$tmp/x.trace"
	status_is 3 "random text $seed: exit 3"
	err_has "^norn: $tmp/random:[0-9]+: " "random text $seed: says where"
	for format in binary std rapid-csv focs; do
		run "$NORN" convert --from $format "$tmp/random" "$tmp/x.trace"
		status_is 3 "random text $seed as $format: exit 3"
	done
done

# binary: each cut, and each of many bit flips
"$NORN" convert $trace "$tmp/t.norn"
"$NORN" show $trace >"$tmp/events"
size=$(($(wc -c <"$tmp/t.norn")))
length=1
while [ $length -lt $size ]; do
	head -c $length "$tmp/t.norn" >"$tmp/cut.norn"
	run "$NORN" show "$tmp/cut.norn"
	# either nothing can be used, or the events that are there come with a warning
	want=3
	[ -s "$tmp/out" ] && want=0
	[ $status -eq $want ] && grep -Eq "^norn: $tmp/cut.norn:([0-9]+:|.* byte [0-9]+)" "$tmp/err" &&
		head -c "$(wc -c <"$tmp/out")" "$tmp/events" | cmp -s - "$tmp/out"
	ok=$?
	[ $ok -eq 0 ] || result $ok "binary cut at $length of $size bytes"
	length=$((length + 7))
done
result 0 "binary cut anywhere: the events before it, and a message"
bit=0
while [ $bit -lt $((size * 8)) ]; do
	perl -e 'local $/; my $d = <STDIN>; vec($d, shift, 1) ^= 1; print $d' $bit \
		<"$tmp/t.norn" >"$tmp/flip.norn"
	run "$NORN" show "$tmp/flip.norn"
	# a flip is seen; or it hit what readers pass over, and the events are the same
	{ [ $status -eq 3 ] && grep -Eq "^norn: $tmp/flip.norn:" "$tmp/err"; } ||
		{ [ $status -eq 0 ] && cmp -s "$tmp/events" "$tmp/out"; }
	ok=$?
	[ $ok -eq 0 ] || result $ok "binary, bit $bit flipped"
	bit=$((bit + 13))
done
result 0 "binary, bits flipped: noticed or harmless"

# a line of 1 GB, of which no more than a piece is ever read
for head in '' 't1 begin\n' 't1 write ' '# '; do
	for verb in check show 'show --stat'; do
		command_run="a line of 1 GB after '$head' | norn $verb -"
		{
			printf "$head"
			head -c 1G /dev/zero | tr '\0' a
		} 2>/dev/null | "$NORN" $verb - >"$tmp/out" 2>"$tmp/err"
		status=$?
		status_is 3 "a line of 1 GB after '$head': $verb: exit 3"
		err_has '^norn: standard input:([0-9]+:| byte [0-9]+)' \
			"a line of 1 GB after '$head': $verb: says where"
	done
done
printf 'norn-witness 1\nmodel said\nbug race 3 10\nbreaks 2 a\0b\nrun 1\nend\n' >"$tmp/nul.witness"
run "$NORN" certify "$trace" "$tmp/nul.witness"
status_is 3 "a witness with a NUL in the name of a file: exit 3"
err_has "^norn: $tmp/nul.witness:4: .*NUL" "a witness with a NUL in the name of a file: says where"

command_run="a witness with a line of 1 GB"
{
	printf 'norn-witness 1\nmodel maximal\nbug race 3 10\nrun 1'
	head -c 1G /dev/zero | tr '\0' ' '
} 2>/dev/null | "$NORN" certify $trace - >"$tmp/out" 2>"$tmp/err"
status=$?
status_is 3 "a witness with a line of 1 GB: exit 3"
err_has '^norn: standard input:4: ' "a witness with a line of 1 GB: says where"
finish
