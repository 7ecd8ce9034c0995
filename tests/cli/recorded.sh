# SPDX-License-Identifier: MIT
# For tests that record programs; source it behind lib.sh.
#
# A program says in its first comment what is to be seen:
#
#	expect: race @a @b	predict finds a race of these lines; more of them: more lines
#	expect: deadlock @a @b	likewise: where threads wait
#	expect: stuck @a @b	likewise: where all threads wait that have not ended
#	expect: seen-KIND @a @b	what the run itself did: where threads wait, the use and the free
#	expect: nothing
#	expect: undecided	or not all of the run is recorded
#	bugs: KIND,…		for --bugs of predict
#	status: N		its exit status, if not 0
#	flags: OPTION…		of the compiler
#	output: varies		it does not print the same each time
#	replay: no, …		findings need not be replayed, and why
#
# A line is named by a comment on it, /* @a */.
bin=$(dirname "$NORN")

# directive FILE NAME: the rest of such lines.
directive()
{
	sed -n "/\*\//q; s/^ \* $2: //p" "$1"
}

# expected FILE: a line a finding: kind and line numbers, sorted.
expected()
{
	directive "$1" expect | grep -v '^nothing$' | while read -r kind labels; do
		printf '%s' "$kind"
		for label in $labels; do
			grep -n "/\* $label \*/" "$1" | cut -d: -f1
		done | sort -n | tr '\n' ' ' | sed 's/^/ /; s/ $//'
		echo
	done | LC_ALL=C sort -u
}

# wanted_status FILE: how norn record ends. Hangs are ended by SIGKILL.
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

# found <REPORT: the same, from what norn predict --json prints; and if not all is decided, or there is
# no report.
found()
{
	perl -MJSON::PP -e '
		local $/; my $j = decode_json(<STDIN>);
		my %seen;
		for my $f (@{$j->{findings}}) {
			my @lines = map { $_->{location}{line} // "?" } @{$f->{events}};
			$seen{join " ", $f->{bug}, sort { $a <=> $b } @lines} = 1;
		}
		for my $f (@{$j->{seen}}) {
			my @steps = grep { $_->{op} !~ /^(holds|holds-shared|signal|alloc)$/ } @{$f->{steps}};
			my @lines = map { $_->{location}{line} // "?" } @steps;
			$seen{join " ", "seen-$f->{kind}", sort { $a <=> $b } @lines} = 1;
		}
		print "$_\n" for sort keys %seen;
		print "undecided\n" unless $j->{complete};' || echo "no report"
}

# compile COMPILERS FILE OPTION… : norn or clang, by the language of FILE.
compile()
{
	case $1:$2 in
	norn:*.cpp) compiler="$bin/norn-c++ -std=c++17" ;;
	norn:*) compiler="$bin/norn-cc" ;;
	*.cpp) compiler="clang++ -std=c++17 -I$bin/include" ;;
	*) compiler="clang -I$bin/include" ;;
	esac
	shift
	$compiler "$@"
}

# try_program FILE OPTIMISATION: builds, runs, records, checks, predicts. verdict is then what kinds
# of bugs are found.
try_program()
{
	name=$(basename "$1") level=$2
	work=$tmp/$name$level
	mkdir "$work"
	flags=$(directive "$1" flags)
	run compile clang "$1" -w -g $flags $level -o "$work/native"
	run compile norn "$1" -w $flags $level -o "$work/program"
	status_is 0 "$name $level: norn cc"
	[ $status -eq 0 ] || return
	want=$(directive "$1" status)
	varies=$(directive "$1" output)

	timeout 60 "$work/native" >"$work/want" 2>/dev/null </dev/null
	[ $? -eq "${want:-0}" ]
	result $? "$name $level: exit status with clang"
	run timeout 60 "$work/program" </dev/null
	status_is "${want:-0}" "$name $level: exit status, not recorded"
	[ "$varies" ] || same_files "$work/want" "$tmp/out" "$name $level: output, not recorded"

	run timeout 60 "$NORN" record --output "$work/trace" -- "$work/program" </dev/null
	status_is "${want:-0}" "$name $level: exit status"
	[ "$varies" ] || same_files "$work/want" "$tmp/out" "$name $level: output"
	run "$NORN" check "$work/trace"
	status_is 0 "$name $level: norn check"
	[ $status -eq 0 ] || return
	expected "$1" >"$work/expected"
	bugs=$(directive "$1" bugs)
	run "$NORN" predict ${bugs:+--bugs $bugs} --json --witness "$work/witnesses" "$work/trace"
	found <"$tmp/out" >"$work/found"
	verdict=$(cut -d" " -f1 "$work/found" | uniq | paste -sd" ")
	: >"$tmp/out"
	diff "$work/expected" "$work/found" >"$tmp/diff"
	result $? "$name $level: norn predict finds exactly what is expected"
	sed 's/^/# /' "$tmp/diff"
	for witness in "$work"/witnesses/*; do
		[ ! -e "$witness" ] || "$NORN" certify "$work/trace" "$witness"
	done >"$tmp/certified" 2>&1
	! grep -v '^certified: ' "$tmp/certified" >"$tmp/rejected"
	result $? "$name $level: the witnesses are certified"
	sed 's/^/# /' "$tmp/rejected"
	rm -rf "$work"
}
