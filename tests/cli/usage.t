#!/bin/sh
# SPDX-License-Identifier: MIT
# Verbs, options, help, exit codes, and what happens when standard output fails.
. tests/cli/lib.sh
trace=$conformance/control-flow-race.trace
verbs='check show convert certify explore pairs orders csp completion help'

run "$NORN"
status_is 2 "no verb: exit 2"
out_has '^usage: norn VERB' "no verb: tells how to use it"
for way in --help -h help; do
	run "$NORN" $way
	status_is 0 "$way: exit 0"
	err_empty "$way: nothing on standard error"
	for verb in $verbs; do
		out_has "^  $verb  *[A-Z].*\\.\$" "$way lists $verb"
	done
done
run "$NORN" --version
status_is 0 "--version: exit 0"
version=$(cat VERSION)
out_is "--version" <<END
norn $version
END

for verb in $verbs; do
	run "$NORN" help $verb
	status_is 0 "help $verb: exit 0"
	out_has "^usage: norn $verb" "help $verb: usage"
	out_has '^  -h, --help' "help $verb: --help"
	cp "$tmp/out" "$tmp/help"
	run "$NORN" $verb --help
	status_is 0 "$verb --help: exit 0"
	same_files "$tmp/help" "$tmp/out" "$verb --help says what help $verb says"
	run "$NORN" $verb --no-such-option
	status_is 2 "$verb --no-such-option: exit 2"
	err_has "^norn: $verb: no option --no-such-option" "$verb --no-such-option: a message"
	out_empty "$verb --no-such-option: nothing on standard output"
done
for verb in check show convert certify explore orders completion; do
	run "$NORN" $verb
	status_is 2 "$verb without operands: exit 2"
	err_has "^usage: norn $verb" "$verb without operands: usage"
done
run "$NORN" help nothing
status_is 2 "help of an unknown verb: exit 2"
run "$NORN" show $trace $trace
status_is 2 "show of two traces: exit 2"

run "$NORN" chekc $trace
status_is 2 "unknown verb: exit 2"
err_has 'no verb chekc; did you mean norn check\?' "unknown verb: suggests the near one"
run "$NORN" explo
err_has 'did you mean norn explore\?' "an abbreviated verb: suggests the whole"
run "$NORN" xyzzy
status_is 2 "a verb far from all: exit 2"
err_has 'no verb xyzzy; norn help' "a verb far from all: no suggestion"
run "$NORN" show --thraed t1 $trace
err_has 'no option --thraed; did you mean --thread\?' "unknown option: suggests the near one"
run "$NORN" show -q $trace
status_is 2 "unknown letter: exit 2"

run "$NORN" show --from=3 --to=3 $trace
out_is "--name=V" <<END
       3  t1 write x 1
END
run "$NORN" show --from 3 $trace --to 3
out_is "--name V, also behind the operand" <<END
       3  t1 write x 1
END
run "$NORN" show -t t1 -v x -- $trace
out_is "-n V, and -- before the operand" <<END
       3  t1 write x 1
END
run "$NORN" show -tt1 -vx $trace
out_is "-nV" <<END
       3  t1 write x 1
END
run "$NORN" show -hx $trace
status_is 2 "a letter of a flag with more behind it: exit 2"
run "$NORN" show --from $trace
status_is 2 "not a number: exit 2"
run "$NORN" show $trace --from
status_is 2 "an argument is missing: exit 2"
err_has '--from needs an argument: N' "an argument is missing: says which"
run "$NORN" show --stat=yes $trace
status_is 2 "a flag with an argument: exit 2"
run "$NORN" show --from 0 $trace
err_has '0 is less than 1' "a number out of range"
for number in 18446744073709551616 99999999999G -1 1e3 3kk 0x10 ''; do
	run "$NORN" show --from "$number" $trace
	status_is 2 "--from '$number': exit 2"
done
run "$NORN" show --from 1k $trace
status_is 0 "--from 1k is a number"
out_empty "--from behind the end: nothing"
run "$NORN" show --from 5 --to 4 $trace
status_is 2 "--from behind --to: exit 2"
run "$NORN" show --json $trace
status_is 2 "show --json without --stat: exit 2"
run "$NORN" explore --model sorcery $trace
status_is 2 "no such model: exit 2"
err_has 'values, maximal, predictable, mcm, said' "no such model: lists them"
run "$NORN" pairs $trace
status_is 2 "pairs without --by: exit 2"
run "$NORN" pairs --by maximal --model mcm $trace
status_is 2 "pairs --model with a race analysis: exit 2"
run "$NORN" pairs --by quick --witness "$tmp/w" $trace
status_is 2 "pairs --witness with quick: exit 2"

for command in 'check' 'show' 'show --stat' 'explore' 'pairs --by maximal' 'orders' 'predict' 'convert'; do
	run "$NORN" $command "$tmp/none" $([ "$command" = convert ] && echo -)
	status_is 3 "$command of a file that is not there: exit 3"
	err_has "norn: $tmp/none: No such file" "$command of a file that is not there: its name"
	run "$NORN" $command tests $([ "$command" = convert ] && echo -)
	status_is 3 "$command of a directory: exit 3"
done
run "$NORN" predict --keep "$tmp/none"
status_is 3 "predict --keep of a file that is not there: exit 3"
err_has "norn: $tmp/none: No such file" "predict --keep of a file that is not there: its name"

if [ -c /dev/full ]; then
	for command in "--version" "help" "check $trace" "show $trace" "show --stat --json $trace" \
		"convert $trace -" "explore $trace" "pairs --by maximal $trace" "orders $trace" \
		"completion bash"; do
		command_run="$command >/dev/full"
		: >"$tmp/out"
		"$NORN" $command >/dev/full 2>"$tmp/err"
		status=$?
		status_is 3 "$command to a full device: exit 3"
		err_has 'standard output: No space left' "$command to a full device: says so"
	done
fi

# a reader that goes away is no error
i=0
while [ $i -lt 20000 ]; do
	i=$((i + 1))
	echo "t1 write x$((i % 7)) $i"
done >"$tmp/long.trace"
for command in show 'convert --to text'; do
	command_run="$command | head -1"
	{
		"$NORN" $command "$tmp/long.trace" $([ "$command" = show ] || echo -) 2>"$tmp/err"
	} | head -1 >"$tmp/out"
	status=0
	err_empty "$command into a closed pipe: no message"
	out_has 't1 write x1 1$' "$command into a closed pipe: the first line"
	(
		trap '' PIPE
		"$NORN" $command "$tmp/long.trace" $([ "$command" = show ] || echo -) 2>"$tmp/err"
	) | head -1 >"$tmp/out"
	err_empty "$command into a closed pipe, SIGPIPE ignored by the parent: no message"
done
finish
