#!/bin/sh
# SPDX-License-Identifier: MIT
# norn show: filters and ranges.
. tests/cli/lib.sh
cat >"$tmp/t.trace" <<'END'
# every kind of thing to filter
init x 1
main fork worker
main acquire m
main write x 2 y 3
main wait c m
worker begin
worker acquire m
worker read y 3
worker signal c
worker release m
main woken c m by=8
main read x 2 @a.c:7
main release m
worker acquire n
worker release n
END
run "$NORN" show "$tmp/t.trace"
status_is 0 "exit 0"
err_empty "nothing on standard error"
out_is "all events, numbered" <<'END'
       1  main fork worker
       2  main acquire m
       3  main write x 2 y 3
       4  main wait c m
       5  worker begin
       6  worker acquire m
       7  worker read y 3
       8  worker signal c
       9  worker release m
      10  main woken c m by=8
      11  main read x 2 @a.c:7
      12  main release m
      13  worker acquire n
      14  worker release n
END
run "$NORN" show --thread worker --to 7 "$tmp/t.trace"
out_is "--thread and --to" <<'END'
       5  worker begin
       6  worker acquire m
       7  worker read y 3
END
run "$NORN" show --var y "$tmp/t.trace"
out_is "--var, also the second of an access" <<'END'
       3  main write x 2 y 3
       7  worker read y 3
END
run "$NORN" show --var x --var y "$tmp/t.trace"
out_is "--var twice: either" <<'END'
       3  main write x 2 y 3
       7  worker read y 3
      11  main read x 2 @a.c:7
END
run "$NORN" show --lock m "$tmp/t.trace"
out_is "--lock, waits with it included" <<'END'
       2  main acquire m
       4  main wait c m
       6  worker acquire m
       9  worker release m
      10  main woken c m by=8
      12  main release m
END
run "$NORN" show --lock m --thread worker "$tmp/t.trace"
out_is "filters of two kinds: both" <<'END'
       6  worker acquire m
       9  worker release m
END
run "$NORN" show --lock m --var x "$tmp/t.trace"
status_is 0 "no event matches: exit 0"
out_empty "no event has a lock and a variable"
run "$NORN" show --lock n --from 14 "$tmp/t.trace"
out_is "--from" <<'END'
      14  worker release n
END
run "$NORN" show --thread main --thread nobody "$tmp/t.trace"
status_is 2 "an unknown thread: exit 2"
err_has 'no thread is named nobody' "an unknown thread: says so"
run "$NORN" show --var m "$tmp/t.trace"
err_has 'no variable is named m' "a lock is not a variable"
run "$NORN" show --lock x "$tmp/t.trace"
err_has 'no lock is named x' "a variable is not a lock"
run "$NORN" show --thread worker --to 1 "$tmp/t.trace"
status_is 0 "a thread that is only forked is known"
run "$NORN" show --lock n --to 12 "$tmp/t.trace"
status_is 0 "a range that ends before the lock appears, in the same piece"

# the same through the binary format, standard input, and gzip
"$NORN" show "$tmp/t.trace" >"$tmp/all"
"$NORN" convert "$tmp/t.trace" "$tmp/t.norn"
run "$NORN" show "$tmp/t.norn"
same_files "$tmp/all" "$tmp/out" "binary: the same"
run "$NORN" show --from 13 --lock n "$tmp/t.norn"
out_is "binary: --from" <<'END'
      13  worker acquire n
      14  worker release n
END
run "$NORN" show - <"$tmp/t.trace"
same_files "$tmp/all" "$tmp/out" "standard input: the same"
gzip -c "$tmp/t.trace" >"$tmp/t.trace.gz"
run "$NORN" show "$tmp/t.trace.gz"
same_files "$tmp/all" "$tmp/out" "gzip: the same"

# overlapping memory is cut into ranges, which --var finds by the names that were cut
cat >"$tmp/m.trace" <<'END'
memory word heap 0x1000 4
memory byte heap 0x1000 1
memory other heap 0x1008 4
t1 write word 0x01020304
t1 read byte 4
t1 write other 5
END
run "$NORN" show --var word "$tmp/m.trace"
status_is 0 "--var of a variable that was cut: exit 0"
out_has '^ *1 ' "--var of a variable that was cut: its own access"
out_has '^ *2 ' "--var of a variable that was cut: the access inside it"
! grep -q other "$tmp/out"
result $? "--var of a variable that was cut: nothing else"

# --slice: what a property depends on. tests/unit/property.c checks that the rest does not matter.
cat >"$tmp/file.trace" <<'END'
main mark open 3
main fork t
main fork u
u write y 1
t read flag 0
t branch
t mark access 3
t write x 1
main write flag 1
main mark close 3
main read y 1
main join t
END
cat >"$tmp/file.csp" <<'END'
FILE = open?t!3 -> OPENED
OPENED = access?t!3 -> OPENED [] close?t!3 -> FILE
assert FILE [T= PROGRAM |\ {|open, access, close|}
END
run "$NORN" show --slice "$tmp/file.csp" "$tmp/file.trace"
[ "$(awk '{ print $1 }' "$tmp/out" | tr '\n' ' ')" = '1 2 3 5 6 7 9 10 ' ]
result $? "--slice: what the marks depend on"
run sh -c '"$1" show --slice "$2" --thread main - <"$3"' sh "$NORN" "$tmp/file.csp" "$tmp/file.trace"
[ "$(awk '{ print $1 }' "$tmp/out" | tr '\n' ' ')" = '1 2 3 9 10 ' ]
result $? "--slice: with another filter, from standard input"
echo 'assert PROGRAM :[deadlock free]' >"$tmp/all.csp"
run "$NORN" show --slice "$tmp/all.csp" "$tmp/file.trace"
[ "$(wc -l <"$tmp/out")" -eq 12 ]
result $? "--slice: all events, for deadlock freedom"
echo 'assert STOP [T= PROGRAM |\ {endthreads}' >"$tmp/end.csp"
run "$NORN" show --slice "$tmp/end.csp" "$tmp/file.trace"
[ "$(wc -l <"$tmp/out")" -eq 12 ]
result $? "--slice: all events, where endthreads counts"
run "$NORN" show --slice "$tmp/none.csp" "$tmp/file.trace"
status_is 3 "--slice: no such script"

# events before the bad one are shown
printf 't1 begin\nt1 write x 1\nt1 nonsense\n' >"$tmp/bad.trace"
run "$NORN" show "$tmp/bad.trace"
status_is 3 "a bad line: exit 3"
err_has "bad.trace:3: " "a bad line: where"
finish
