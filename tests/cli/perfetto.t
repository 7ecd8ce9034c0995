#!/bin/sh
# SPDX-License-Identifier: MIT
# The report for ui.perfetto.dev, decoded by protoc and read by tests/support/check_perfetto: tracks, slices,
# arrows of the recorded run and of each witness.
. tests/cli/lib.sh

# look FILE: what is in it, to $tmp/out
look()
{
	command_run="check_perfetto <$1"
	tests/support/check_perfetto <"$1" >"$tmp/out"
	status=$?
}

trace=$tmp/race.trace
cat >"$trace" <<END
t1 fork t2 @$PWD/src/main.c:40:3:main
t1 write x 1 @$PWD/src/main.c:10:2:produce
t1 acquire l @$PWD/src/main.c:11:2:produce
t1 write ready 1 @$PWD/src/main.c:12:2:produce
t1 release l @$PWD/src/main.c:13:2:produce
t2 begin
t2 acquire l @$PWD/src/main.c:20:2:consume
t2 read ready 1 @$PWD/src/main.c:21:2:consume
t2 release l @$PWD/src/main.c:22:2:consume
t2 read x 1 @$PWD/src/main.c:23:2:consume
t2 end
t1 join t2
END
(cd "$tmp" && exec "$NORN" predict --perfetto race.pf race.trace >out 2>err)
[ $? -eq 66 ]
result $? "beside another report"
out_has '^WARNING: Norn: data race on x' "beside another report: that is printed"
look "$tmp/race.pf"
status_is 0 "what protoc decodes is a trace of Perfetto"
sed -i "s#$PWD/##g" "$tmp/out"
out_is "tracks, slices, arrows" <<'END'
recorded run of race.trace
  t1
    starts t2 @src/main.c:40 {event=1}
    writes x @src/main.c:10 {event=2, recorded value=1}
    takes l @src/main.c:11 {event=3}
    writes ready @src/main.c:12 {event=4, recorded value=1}
    releases l @src/main.c:13 {event=5}
    joins t2 {event=12}
  t2
    begin {event=6}
    takes l @src/main.c:20 {event=7}
    reads ready @src/main.c:21 {event=8, recorded value=1}
    releases l @src/main.c:22 {event=9}
    reads x @src/main.c:23 {event=10, recorded value=1}
    ends {event=11}
  lock l
    t1 @src/main.c:11
    t2 @src/main.c:20
  t1 starts t2 -> t2 begin
  t1 writes ready -> t2 reads ready
  t1 writes x -> t2 reads x
  t2 ends -> t1 joins t2
finding 1: data race at src/main.c:10 (certified)
  t1
    starts t2 @src/main.c:40 {event=1}
    BUG: next writes x @src/main.c:10 {event=2}
  t2
    begin {event=6}
    takes l @src/main.c:20 {event=7}
    CHANGED: reads ready @src/main.c:21 {event=8, reads=as it was at the start, recorded=as written at src/main.c:12, event 4}
    releases l @src/main.c:22 {event=9}
    BUG: next reads x @src/main.c:23 {event=10}
  lock l
    t2 @src/main.c:20
  t1 starts t2 -> t2 begin
END
run "$NORN" predict --format perfetto --output "$tmp/same.pf" "$trace"
status_is 66 "--format perfetto"
run "$NORN" predict --perfetto "$tmp/nowhere/a.pf" "$trace"
status_is 3 "a file that cannot be written"
echo 'race:^produce$' >"$tmp/supp"
"$NORN" predict --suppressions "$tmp/supp" --perfetto "$tmp/a.pf" "$trace" >"$tmp/out"
look "$tmp/a.pf"
! grep -q '^finding' "$tmp/out" && grep -q '^recorded run' "$tmp/out"
result $? "what is suppressed has no witness"

# a lock that several hold; what the recorded run did wrong; names of strangers
cat >"$tmp/shared.trace" <<'END'
meta seen deadlock ; t1 acquire a @a.c:7 ; t2 acquire b @a.c:9
t1 fork t2
t1 acquire-shared rw @a.c:1
t2 acquire-shared rw @a.c:2
t1 release-shared rw
t2 release-shared rw
t2 acquire a
t1 acquire b @a.c:6
END
"$NORN" predict --perfetto "$tmp/a.pf" "$tmp/shared.trace" >"$tmp/out"
look "$tmp/a.pf"
status_is 0 "locks that several hold: slices do not cross"
sed -n '/^  lock/,/^  t1 /p' "$tmp/out" >"$tmp/locks"
command_run="shared.trace: locks"
grep -A1 'shared by' "$tmp/locks" | tr '\n' ' ' |
	grep -q '^  lock rw, shared by t1     t1 @a.c:1   lock rw, shared by t2     t2 @a.c:2 $'
result $? "locks that several hold: a track for each of them"
grep -q '^    BUG: deadlock: acquire a @a.c:7$' "$tmp/out" || grep -q '^    BUG: deadlock: acquire a$' "$tmp/out"
result $? "what the recorded run did wrong is at its end"
printf 't1 fork t2\nt1 write \303\050\001x 1 @a.c:1\nt2 write \303\050\001x 1 @a.c:2\n' >"$tmp/strange.trace"
"$NORN" predict --perfetto "$tmp/a.pf" "$tmp/strange.trace" >"$tmp/out" 2>&1
look "$tmp/a.pf"
status_is 0 "bytes that are no UTF-8"

# arrows of the recorded run, against who wrote each variable last
for file in $conformance/[!rs]*.trace tests/stuck/*.trace; do
	"$NORN" predict --perfetto "$tmp/a.pf" "$file" >"$tmp/report" 2>/dev/null
	[ $? -eq 3 ] && continue
	tests/support/check_perfetto <"$tmp/a.pf" >"$tmp/all" || { echo "$file:"; grep '^wrong' "$tmp/all"; }
	"$NORN" convert --to text "$file" - 2>/dev/null | perl -ne '
		next if !/^(\S+) (read|write|rmw) (\S+)((?: \S+)*)/ or $4 =~ / [a-z]\w* -?\d/i;
		print "  $by{$3} -> $1 ", $2 eq "read" ? "reads" : "updates", " $3\n"
			if $2 ne "write" and $by{$3} and $by{$3} !~ /^\Q$1\E /;
		$by{$3} = "$1 " . ($2 eq "rmw" ? "updates $3" : "writes $3") if $2 ne "read"' >"$tmp/want"
	sed -n '2,$ { /^[^ ]/q; p; }' "$tmp/all" | grep -E '^  .* (writes|updates) .* -> ' >"$tmp/got"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff" || { echo "$file:"; cat "$tmp/diff"; }
done >"$tmp/out"
command_run="norn predict --perfetto, of all traces"
out_empty "all traces: valid, with the arrows of their reads"

# a long trace is cut, and it says so
perl -e 'print "t1 fork t2\nt1 write x 1 \@a.c:1\nt2 write x 2 \@a.c:2\n"; print "t1 write y $_\n" for 1 .. 210000' \
	>"$tmp/long.trace"
"$NORN" predict --perfetto "$tmp/a.pf" "$tmp/long.trace" >"$tmp/report"
protoc --decode norn.Trace -Itests/support tests/support/perfetto.proto <"$tmp/a.pf" |
	grep -E 'process_name|TYPE_SLICE_BEGIN' | uniq -c | sed 's/^ *//; s#"rec.*run of [^,]*#"recorded run#; s/  */ /g' >"$tmp/out"
command_run="norn predict --perfetto, of a long trace"
out_is "a long trace is cut, and it says so" <<'END'
1 process_name: "recorded run, events 1 to 200000 of 210003"
200000 type: TYPE_SLICE_BEGIN
1 process_name: "finding 1: data race at a.c:1 (certified)"
3 type: TYPE_SLICE_BEGIN
END
finish
