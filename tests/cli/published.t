#!/bin/sh
# SPDX-License-Identifier: MIT
# Right programs: one thread publishes under a lock, another one asks under the lock whether it did, in
# one of many ways, and only then touches the data. None of them races there; each has a twin that does.
# The ways are in tests/programs/published/*.ways, a few lines each.
. tests/cli/lib.sh
. tests/cli/recorded.sh
ways=tests/programs/published
: "${RUNS:=1}" "${LEVELS:=-O0 -O1 -O2}" "${CHOOSE_LEVELS:=-O0 -O1 -O2 -O3 -Os}"

# judge PROGRAM <REPORT: a line a way of PROGRAM: "ok NAME", or what is found and should not be, or is not and
# should be. What is not by its variable a way's own is that of the line where it happens.
judge()
{
	perl -MJSON::PP -e '
		my ($program) = @ARGV;
		my (@ways, @way_of, %twin, %raced, %wrong);
		open my $in, "<", $program or die;
		while (<$in>) {
			$raced{$1} = 1 if /\braced_(\w+)/;
			push @ways, $1 if m{^/\* way (\w+) \*/};
			$way_of[$.] = $ways[-1] // "head";
		}
		local $/;
		my $j = decode_json(<STDIN>);
		for my $f (@{$j->{findings}}) {
			my ($kind, $name) = ($f->{variable} // "") =~ /^(data|twin|raced)_(\w+)/;
			my @lines = map { $_->{location}{line} // 0 } @{$f->{events}};
			my ($way) = grep { defined } $name, map { $way_of[$_] } @lines;

			if (($kind // "") eq "twin") {
				$twin{$way} = 1;
			} elsif (($kind // "") eq "raced") {
				delete $raced{$way};
			} else {
				$wrong{$way // "head"} .= " $f->{title} on " . ($f->{variable} // "?") . " (" .
					join(", ", map { "line $_" } @lines) . ")";
			}
		}
		for my $way ("head", @ways) {
			my $wrong = $wrong{$way} // "";

			$wrong .= " its twin is not found" unless $twin{$way} || $way =~ /^(head|main)$/;
			$wrong .= " its race is not found" if $raced{$way};
			print $wrong ? "not ok $way:$wrong\n" : "ok $way\n";
		}
		print $j->{complete} ? "ok complete\n" : "not ok complete: something is undecided\n";' "$1" ||
		echo "not ok report: there is none"
}

# build LANGUAGE SUFFIX LEVEL: $tmp/LANGUAGE-LEVEL, and what the compiler says
build()
{
	compile norn "$tmp/$1.$2" -w -I"$ways" "$3" -lm -o "$tmp/$1$3" >"$tmp/$1$3.said" 2>&1
}

# try_ways LANGUAGE SUFFIX LEVEL
try_ways()
{
	program=$tmp/$1$3
	run cat "$program.said"
	[ -x "$program" ]
	result $? "$1 $3: norn cc"
	i=0
	while [ $i -lt "$RUNS" ]; do
		i=$((i + 1))
		judge_run "$@"
	done
}

# judge_run LANGUAGE SUFFIX LEVEL
judge_run()
{
	run timeout 100 "$NORN" record -o "$program.norn" "$program" </dev/null
	status_is 0 "$1 $3: all is published"
	run timeout 200 "$NORN" predict --bugs race --json "$program.norn"
	judge "$tmp/$1.$2" <"$tmp/out" >"$tmp/judged"
	: >"$tmp/out"
	while read -r line; do
		case $line in
		ok\ *) result 0 "$1 $3: ${line#ok }" ;;
		*) result 1 "$1 $3: ${line#not ok }" ;;
		esac
	done <"$tmp/judged"
}

# try_levels C CXX LEVEL…: the ways in C and in C++
try_levels()
{
	c=$1 cxx=$2
	shift 2
	"$ways/generate" "$ways/$c.ways" >"$tmp/$c.c"
	"$ways/generate" "$ways/$cxx.ways" >"$tmp/$cxx.cpp"
	for level; do
		build $cxx cpp "$level" &
		build $c c "$level"
		try_ways $c c "$level"
		wait
		try_ways $cxx cpp "$level"
	done
}

try_levels c cxx $LEVELS
try_levels choose-c choose-cxx $CHOOSE_LEVELS
finish
