#!/bin/sh
# SPDX-License-Identifier: MIT
# norn show --stat, as text and as JSON.
. tests/cli/lib.sh
cat >"$tmp/t.trace" <<'END'
meta program a "quoted" name
meta host h
memory w heap 0x1000 4
memory b heap 0x1008 1
sem s 1
t1 fork t2 @a.c:1
t1 write w 5 @a.c:2
t1 write b 1
t2 begin
t2 read w 5
t2 write p 6 q 7 reads=
t2 write r 6 = (+ %5 1)
t2 branch if (> %5 2)
t2 read p 6 at=5
t2 rmw z 0 1 order=relaxed
t2 acquire l
t2 release l
t2 sem-wait s
t2 mark hello 1 2
t2 end
t1 join t2
END
run "$NORN" show --stat "$tmp/t.trace"
status_is 0 "text: exit 0"
err_empty "text: nothing on standard error"
for row in 'format text' 'events 16' 'threads 2' 'variables 6' 'locks 1' 'semaphores 1' 'marks 1' \
	'read 2' 'write 4' 'rmw 1' 'acquire 1' 'join 1' 't1 4' 't2 12' '4 bytes 2' '1 byte 1' \
	'size unknown 4' 'several variables 1' 'order= 1' 'an expression 2' 'reads= 1' 'at= 1' \
	'a location 2' "file bytes $(wc -c <"$tmp/t.trace")"; do
	out_has "^$(echo "$row" | sed 's/ \([^ ]*\)$/ +\1/')\$" "text: $row"
done
out_has '^program a "quoted" name$' "text: metadata"
out_has '^bytes an event  *[0-9.]+$' "text: bytes an event"
out_has '^what they depend on +expression +opaque +reads= +all reads$' "text: how well dependences are known"
out_has '^branches +1 +0 +0 +0$' "text: branches"
out_has '^writes +1 +0 +1 +3$' "text: writes, an rmw among them"
! grep -q '^broadcast' "$tmp/out"
result $? "text: kinds that do not occur are left out"

run "$NORN" show --stat --json "$tmp/t.trace"
status_is 0 "JSON: exit 0"
json_is '$j->{format}' text "JSON: format"
json_is '$j->{events}' 16 "JSON: events"
json_is '$j->{file_bytes}' "$(($(wc -c <"$tmp/t.trace")))" "JSON: file size"
json_is '$j->{objects}{variables}' 6 "JSON: variables"
json_is '$j->{objects}{conditions}' 0 "JSON: conditions"
json_is '$j->{by_kind}{write}' 4 "JSON: writes"
json_is '$j->{by_kind}{broadcast}' 0 "JSON: all kinds are there"
json_is '$j->{by_thread}[1]{name} . $j->{by_thread}[1]{events}' t212 "JSON: threads"
json_is '$j->{by_size}{4} . $j->{by_size}{1} . $j->{by_size}{unknown}' 214 "JSON: sizes"
json_is 'join ",", map { $j->{with}{$_} } sort keys %{$j->{with}}' 1,2,2,1,1,1 "JSON: annotations"
json_is 'join ",", map { $j->{depends}{branches}{$_} } qw(expression reads all)' 1,0,0 "JSON: branches"
json_is 'join ",", map { $j->{depends}{writes}{$_} } qw(expression reads all)' 1,1,3 "JSON: writes"
json_is '$j->{meta}[0]{value}' 'a "quoted" name' "JSON: metadata"

run "$NORN" show --stat --thread t1 --from 2 "$tmp/t.trace"
out_has '^events  *3$' "filters and a range apply"
! grep -q '^bytes an event' "$tmp/out"
result $? "bytes an event only for the whole trace"
run "$NORN" show --stat --json - <"$tmp/t.trace"
json_is '$j->{trace}' 'standard input' "standard input"
json_is 'exists $j->{file_bytes} ? 1 : 0' 0 "standard input has no size"

i=0
while [ $i -lt 30 ]; do
	i=$((i + 1))
	echo "thread$i begin"
done >"$tmp/many.trace"
run "$NORN" show --stat "$tmp/many.trace"
out_has '^thread20  *1$' "20 threads in text"
out_has '^and 10 more$' "and how many more"
! grep -q '^thread21 ' "$tmp/out"
result $? "not 21"
run "$NORN" show --stat --json "$tmp/many.trace"
json_is 'scalar @{$j->{by_thread}}' 30 "all threads in JSON"

for trace in $conformance/*.trace; do
	run "$NORN" show --stat --json "$trace"
	json_is '$j->{events}' "$(grep -Ecv '^(#|init |volatile |sem |barrier |memory |meta |$)' "$trace")" \
		"JSON: events of ${trace##*/}"
done
cat >"$tmp/opaque.trace" <<'END'
t1 read x 0
t1 branch
t1 branch reads=
t1 branch reads=1
t1 branch if (= %1 0)
t1 branch if (= %1 0) opaque
t1 read a[0] 0 at=1
END
run "$NORN" show --stat "$tmp/opaque.trace"
out_has '^branches +1 +1 +2 +1$' "a branch that says nothing depends on all; reads= without any is exact"
run "$NORN" show --stat --from 3 "$tmp/opaque.trace"
out_has '^branches +1 +1 +2 +0$' "filters apply here, too"
finish
