#!/bin/sh
# SPDX-License-Identifier: MIT
# norn orders: the table, the lists, JSON, what is refused and what is said beside the answer.
. tests/cli/lib.sh
trace=$conformance/control-flow-race.trace
all='hb cp wcp sdp dc wdp drc quick'

run "$NORN" orders $trace
status_is 66 "a nomination: exit 66"
err_empty "nothing on standard error"
out_has '^order +signatures +pairs +seconds +events/s +memory$' "a head"
[ "$(sed 1d "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "$all " ]
result $? "a row for each order"
out_has '^hb +0 +0 +[0-9.]+ ' "hb nominates nothing"
out_has '^quick +1 +1 +[0-9.]+ ' "quick nominates a pair"
run "$NORN" orders --order quick,hb $trace
[ "$(sed 1d "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = 'quick hb ' ]
result $? "--order: these alone, as they are given"
run "$NORN" orders --order hb -o wcp $trace
status_is 0 "no nomination: exit 0"
[ "$(sed 1d "$tmp/out" | wc -l)" -eq 2 ]
result $? "--order may be repeated"
run "$NORN" orders --order wdp --signatures $trace
[ "$(tail -n 1 "$tmp/out" | tr -s ' ')" = 'wdp t1 write x t2 read x 3-10' ]
result $? "--signatures: both sites, the closest pair"
printf 't1 write x 1\nt1 write y 1\nt2 read y 1\nt2 write x 2\n' >"$tmp/read.trace"
run "$NORN" orders --order drc,hb --signatures "$tmp/read.trace"
out_has '^drc +t1 write y +t2 read y +2-3$' "drc: a read races with the write that it reads from"
out_has '^hb +t1 write x +t2 write x +1-4$' "hb: so do the writes around them"
[ "$(grep -c '^drc .*-' "$tmp/out")" -eq 1 ]
result $? "drc: these are ordered by the read"

run "$NORN" orders --json $trace
status_is 66 "JSON: exit 66"
json_is 'join " ", map { $_->{order} } @{$j->{orders}}' "$all" "JSON: the orders"
json_is '$j->{events}' 16 "JSON: events"
json_is '$j->{checked} ? 1 : 0' 1 "JSON: it was checked"
json_is 'join "|", @{$j->{orders}[-1]{signatures}[0]{sites}}' 't1 write x|t2 read x' "JSON: sites"
for which in first closest; do
	json_is "join '-', @{\$j->{orders}[-1]{signatures}[0]{$which}}" 3-10 "JSON: $which"
done
json_is '"@{$j->{orders}[-1]{signatures}[0]{random}[0]}"' '3 10' "JSON: random"
json_is '$j->{orders}[0]{pairs} . $j->{orders}[-1]{pairs}' 01 "JSON: pairs"
json_is 'exists $j->{orders}[1]{forgot} ? 1 : 0' 0 "JSON: nothing is forgotten"

run "$NORN" orders --order wpc $trace
status_is 2 "no such order: exit 2"
err_has 'orders: no order wpc; did you mean wcp\?' "no such order: suggests the near one"
run "$NORN" orders --order sorcery $trace
err_has 'no order "sorcery"; the orders are hb, cp, wcp, sdp, dc, wdp, drc, quick' "no such order: lists them"
for list in hb,hb hb,cp,hb; do
	run "$NORN" orders --order $list $trace
	status_is 2 "--order $list: exit 2"
	err_has 'hb twice' "--order $list: says why"
done
for list in '' , hb, ,hb hb,,cp; do
	run "$NORN" orders --order "$list" $trace
	status_is 2 "--order '$list': exit 2"
done

printf 't1 write x 1\nt1 read x 2\nt2 read x 2\n' >"$tmp/bad.trace"
run "$NORN" orders "$tmp/bad.trace"
status_is 3 "not consistent: exit 3"
out_empty "not consistent: no table"
err_has 'bad.trace:2: event 2 ' "not consistent: where"
run "$NORN" orders --no-check "$tmp/bad.trace"
status_is 66 "--no-check: no matter"
run "$NORN" orders --json --no-check "$tmp/bad.trace"
json_is '$j->{checked} ? 1 : 0' 0 "JSON: it was not checked"
for way in --json '--json --no-check'; do
	run "$NORN" orders $way - <$trace
	json_is '$j->{orders}[-1]{pairs}' 1 "$way, standard input"
	json_is '$j->{trace}' 'standard input' "$way, standard input: its name"
	run sh -c '"$0" convert --to binary "$1" - | "$0" orders $2 -' "$NORN" $trace "$way"
	json_is '$j->{orders}[-1]{pairs}' 1 "$way, binary through a pipe"
	run sh -c 'gzip -c "$1" | "$0" orders $2 -' "$NORN" $trace "$way"
	json_is '$j->{orders}[-1]{pairs}' 1 "$way, gzip through a pipe"
	mkfifo "$tmp/fifo"
	cat $trace >"$tmp/fifo" &
	run "$NORN" orders $way "$tmp/fifo"
	json_is '$j->{orders}[-1]{pairs}' 1 "$way, a named pipe"
	rm "$tmp/fifo"
done
run sh -c 'cat "$1" | "$0" orders -' "$NORN" "$tmp/bad.trace"
status_is 3 "not consistent, through a pipe: exit 3"
err_has 'standard input:2: event 2 ' "not consistent, through a pipe: where"
printf 'a barrier-enter b\na barrier-exit b\n' >"$tmp/barrier.trace"
run "$NORN" orders --no-check "$tmp/barrier.trace"
status_is 0 "--no-check: a barrier that is not declared"
printf 't1 acquire l\nt1 write x 1\nt2 acquire l\nt2 write x 2\nt1 release l\n' >"$tmp/two.trace"
run "$NORN" orders --no-check "$tmp/two.trace"
status_is 0 "--no-check: two threads that hold one lock"
printf 't1 write x 1\nt1 nonsense\n' >"$tmp/syntax.trace"
for way in --no-check --json; do
	run "$NORN" orders $way "$tmp/syntax.trace"
	status_is 3 "bad input, $way: exit 3"
	out_empty "bad input, $way: nothing"
	err_has 'syntax.trace:2:' "bad input, $way: where"
done
run "$NORN" orders "$tmp/none"
status_is 3 "a file that is not there: exit 3"
: >"$tmp/empty.trace"
run "$NORN" orders "$tmp/empty.trace"
status_is 0 "no events: exit 0"

# cp sees no pair that lies more than a window apart; the others do
{
	echo 't1 write x 1'
	i=0
	while [ $i -lt 50 ]; do
		i=$((i + 1))
		echo "t1 write y$i 1"
	done
	echo 't2 read x 1'
} >"$tmp/far.trace"
run "$NORN" orders --order hb,cp "$tmp/far.trace"
out_has '^cp +1 ' "one window: cp nominates it"
err_empty "one window: nothing is forgotten"
run "$NORN" orders --order hb,cp --window 10 "$tmp/far.trace"
out_has '^hb +1 ' "--window: hb nominates it"
out_has '^cp +0 ' "--window: cp does not"
err_has '^norn: cp forgot ' "--window: says that it forgot"
run "$NORN" orders --order hb,cp --window 10 --json "$tmp/far.trace"
json_is 'length($j->{orders}[1]{forgot}) > 0 ? 1 : 0' 1 "--window: JSON says it too"

"$NORN" convert $trace "$tmp/t.norn"
run "$NORN" orders --order quick --signatures "$tmp/t.norn"
out_has '3-10$' "binary"
head -c "$(($(wc -c <"$tmp/t.norn") - 10))" "$tmp/t.norn" >"$tmp/cut.norn"
run "$NORN" orders --json "$tmp/cut.norn"
status_is 66 "a file that is cut short is used as far as it goes"
[ "$(wc -l <"$tmp/err")" -eq 1 ]
result $? "a file that is cut short: said once"
json_is 'length($j->{cut}) > 0 ? 1 : 0' 1 "a file that is cut short: JSON says it"

# the signatures are those of the exact pairs
for file in $conformance/*.trace; do
	for order in $all; do
		"$NORN" pairs --by $order "$file" | wc -l
	done >"$tmp/exact"
	"$NORN" orders "$file" | sed 1d | awk '{ print $2 }' | paste "$tmp/exact" - |
		awk '($1 > 0) != ($2 > 0) { exit 1 }'
	result $? "${file##*/}: an order nominates a signature if it has a pair"
done
finish
