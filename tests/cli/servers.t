#!/bin/sh
# SPDX-License-Identifier: MIT
# Servers are replayed without their clients, by what their sockets gave in the recorded run; or with a client, which
# --with-client starts.
. tests/cli/lib.sh
bin=$(dirname "$NORN")
programs=$PWD/tests/programs/servers
: "${REPLAYS:=3}"

# record NAME SIGNAL: the server that was built as NAME, with three clients.
record()
{
	rm -f "$tmp/told"
	timeout 60 "$NORN" record -o "$tmp/$1.norn" "$tmp/$1" "$tmp/told" 3 </dev/null >"$tmp/recorded" 2>&1 &
	"$programs/client" "$tmp/told" 3 2 $2
	client=$?
	wait $!
	status=$?
	command_run="norn record $1"
	[ $client -eq 0 ] && [ $status -eq 0 ] && grep -q '^[3-6] requests' "$tmp/recorded"
	result $? "$1: recorded with its clients"
}

# replayed NAME: what those replays said, no client being there.
replayed()
{
	"$NORN" predict --json -o "$tmp/report.json" "$tmp/$1.norn" >/dev/null 2>&1
	for i in $(seq "$REPLAYS"); do
		timeout 60 "$NORN" replay --order ab "$tmp/report.json#1" 2>&1 | head -1
	done >"$tmp/out"
	[ "$(grep -c '^replayed: both at .*server.h:.* and .*server.h:' "$tmp/out")" = "$REPLAYS" ]
	result $? "$1: its race is replayed each time, with nobody at the other side"
}

for server in threads epoll poll streams datagrams; do
	signal=
	KIND=tcp
	case $server in
	poll) signal=TERM ;;
	streams) KIND=unix ;;
	datagrams) KIND=udp ;;
	esac
	export KIND
	"$bin/norn-cc" -O1 -g -o "$tmp/$server" "$programs/$server.c" -lpthread
	"$bin/norn-cc" -O1 -g -DRIGHT -o "$tmp/right-$server" "$programs/$server.c" -lpthread
	record $server $signal
	replayed $server
	run timeout 60 "$NORN" replay --recorded "$tmp/$server.norn"
	status_is 0 "$server: the recorded schedule is replayed, too"
	out_has '^exit status 0, as recorded' "$server: and ends as it did, also by a signal from outside"

	record right-$server $signal
	run timeout 100 "$NORN" predict --replay "$tmp/right-$server.norn"
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ]
	result $? "right-$server: nothing is found"
	run timeout 60 "$NORN" replay --recorded "$tmp/right-$server.norn"
	status_is 0 "right-$server: the recorded schedule is replayed"
done
KIND=tcp

run "$NORN" predict --replay "$tmp/threads.norn"
out_has '^WARNING: Norn: data race on requests \(confirmed' 'predict --replay confirms the race'

rm -f "$tmp/told"
"$NORN" predict --json -o "$tmp/report.json" "$tmp/threads.norn" >/dev/null 2>&1
run timeout 60 "$NORN" replay --order ab --with-client "$programs/client $tmp/told 3 2" "$tmp/report.json#1"
status_is 66 'replayed with a client'
out_has '^replayed: both at' 'which the server has served'

# Nobody comes: the program waits for that, which is told as it is.
run timeout 60 "$NORN" replay --timeout 2 --order ab --with-client 'exit 0' "$tmp/report.json#1"
status_is 4 'with a client that does nothing the race is not replayed'
out_has '^not replayed: no thread moved' 'since nothing moves'

# Inputs that were not kept are missing, and are never made up.
rm -f "$tmp/told"
timeout 60 "$NORN" record --max-input 300 -o "$tmp/cut.norn" "$tmp/threads" "$tmp/told" 3 </dev/null >/dev/null 2>&1 &
"$programs/client" "$tmp/told" 3 2
wait $!
"$NORN" predict --json -o "$tmp/report.json" "$tmp/cut.norn" >/dev/null 2>&1
run timeout 60 "$NORN" replay --timeout 2 --order ab "$tmp/report.json#1"
status_is 4 'without the inputs the race is not replayed'
out_has 'calls needed inputs .* that were not kept \(norn record --max-input\)' 'and they are missed'

# Who is connected to itself has both ends, and they are left to it.
"$bin/norn-cc" -O1 -g -o "$tmp/itself" "$programs/itself.c" -lpthread
run timeout 60 "$NORN" record -o "$tmp/itself.norn" "$tmp/itself" "$tmp/told"
status_is 0 'a program with both ends is recorded'
run "$NORN" replay --show-command "$tmp/itself.norn"
out_has '^input: sockets: the program is connected to itself' 'which is seen'
finish
