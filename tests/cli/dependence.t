#!/bin/sh
# SPDX-License-Identifier: MIT
# Values are followed from where they were read to where they matter, in all the ways that C and C++ have. Each way hides a
# race behind a lock: it is to be found where the value leaves it open, and not where the value forbids it. The ways are in
# tests/programs/dependence/*.ways, a few lines each; generate there says what the kinds of them are.
#
#	LEVELS		of optimisation: all four by default
#	WAYS_TABLE	a file to which lines are added, LANGUAGE LEVEL ROW FOLLOWED ALL
. tests/cli/lib.sh
. tests/cli/recorded.sh
ways=tests/programs/dependence
: "${LEVELS:=-O0 -O1 -O2 -Os}"

# build LANGUAGE SUFFIX LEVEL: $tmp/LANGUAGE-LEVEL with an object and a library of its own, and what the compilers say
build()
{
	program=$tmp/$1$3
	standard=
	[ "$1" != cxx ] || standard=-std=c++20
	{
		compile norn "$ways/module.c" -w "$3" -c -o "$program-module.o" &&
			compile norn "$ways/module.c" -w "$3" -DLIBRARY -fPIC -shared -o "$program-library.so" &&
			compile norn "$tmp/$1.$2" $standard -w -I"$ways" "$3" "$program-module.o" "$program-library.so" \
				-lm -o "$program"
	} >"$program.said" 2>&1
}

# try_some PROGRAM NAMES: records these ways, and predicts; again for those that were not in the order that is asked for,
# with a longer pause. Leaves lines "found NAME", "missed NAME", "undecided" and "odd FINDING" in NAMES.result.
try_some()
{
	pause=4000
	cp "$2" "$2.left"
	while [ -s "$2.left" ] && [ $pause -lt 1000000 ]; do
		timeout 100 "$NORN" record -o "$2.norn" "$1" $pause $(cat "$2.left") >"$2.out" 2>/dev/null </dev/null
		timeout 100 "$NORN" predict --bugs race --json "$2.norn" >"$2.json" 2>"$2.err" || true
		judge "$2.out" <"$2.json" >>"$2.result"
		sed -n 's/^late //p' "$2.out" >"$2.left"
		pause=$((pause * 3))
	done
}

# judge OUTPUT <REPORT
judge()
{
	perl -MJSON::PP -e '
		my (%ran, %found);
		open my $in, "<", $ARGV[0] or die;
		while (<$in>) {
			$ran{$2} = $1 if /^(wrote|ran|late) (\w+)$/;
		}
		local $/;
		my $j = decode_json(<STDIN>);
		for my $f (@{$j->{findings}}) {
			my ($name) = ($f->{variable} // "") =~ /^data_(\w+)$/;

			print "odd $f->{title} on ", $f->{variable} // "?", "\n" unless $name;
			$found{$name} = 1 if $name;
		}
		for my $name (keys %ran) {
			print $found{$name} ? "found" : "missed", " $name\n" if $ran{$name} eq "wrote";
			print "odd $name did not come to its end\n" if $ran{$name} eq "ran";
		}
		print "undecided\n" if @{$j->{undecided}};' "$1" || echo "odd no report"
}

# show LANGUAGE SUFFIX LEVEL <RESULTS: a line a way, "ok ROW: NAME" or what is wrong with it, and the counts of each row;
# "todo" in place of "not ok" if it is only missed, and on the list of those.
show()
{
	perl -e '
		my ($source, $place, $list, $table) = @ARGV;
		my (%missed, %result, @odd, @ways, %kinds, %rows, @rows, $all, $followed);
		while (<STDIN>) {
			$result{$2} = $1 if /^(found|missed) (\w+)/;
			push @odd, $1 if /^(?:odd )?(.*)/ && !/^(?:found|missed) /;
		}
		open my $known, "<", $list or die;
		while (<$known>) {
			my ($language, $name, @levels) = split;
			$missed{"$language $_"}{$name} = 1 for @levels;
		}
		open my $in, "<", $source or die;
		while (<$in>) {
			next unless m{^/\* way ([\w ]+): (\w+) (\w+) \*/};
			push @ways, [$1, $2] unless $kinds{$2};
			push @{$kinds{$2}}, $3;
		}
		for (@ways) {
			my ($row, $name) = @$_;
			my @wrong;

			push @rows, $row unless $rows{$row};
			for my $kind (@{$kinds{$name}}) {
				my $got = $result{"${name}_$kind"} // "not recorded";
				my $right = $got eq ($kind eq "shut" ? "missed" : "found");

				push @wrong, $kind eq "shut" && $got eq "found" ? "a false finding" : "$kind is $got" unless $right;
				$rows{$row}[0] += $right, $rows{$row}[1]++ if $kind ne "shut";
			}
			my $todo = $missed{$place}{$name} && !grep { !/ is missed$/ } @wrong;
			print @wrong ? ($todo ? "todo" : "not ok") . " $row: $name: " . join(", ", @wrong) . "\n"
				     : "ok $row: $name\n";
		}
		print @odd ? "not ok nothing else: " . join("; ", @odd) . "\n" : "ok nothing else\n";
		for (@rows) {
			$followed += $rows{$_}[0], $all += $rows{$_}[1];
		}
		print "# $place: followed $followed of $all (", join(", ", map { "$_ $rows{$_}[0]/$rows{$_}[1]" } @rows), ")\n";
		if ($table) {
			open my $out, ">>", $table or die;
			print $out "$place\t$_\t$rows{$_}[0]\t$rows{$_}[1]\n" for @rows;
		}' "$tmp/$1.$2" "$1 $3" "$ways/missed" "${WAYS_TABLE:-}"
}

# try_ways LANGUAGE SUFFIX LEVEL [COUNT]: so many at a time
try_ways()
{
	program=$tmp/$1$3
	run cat "$program.said"
	[ -x "$program" ]
	result $? "$1 $3: norn cc"
	run sh -c '"$1" reversed 2>/dev/null | grep -a "^wrote " | cut -d" " -f2 | sort' sh "$program"
	sed -n 's/^{"\(\w*\)", first.*/\1/p' "$tmp/$1.$2" | grep -v '_shut$' | sort | cmp -s - "$tmp/out"
	result $? "$1 $3: without Norn, exactly what is to be found can happen"

	sed -n 's/^{"\(\w*\)", first.*/\1/p' "$tmp/$1.$2" | split -a 3 -l ${4:-50} - "$program.some."
	jobs=0
	for some in "$program".some.???; do
		try_some "$program" "$some" &
		jobs=$((jobs + 1))
		[ $((jobs % 4)) -ne 0 ] || wait
	done
	wait
	cat "$program".some.*.result | show "$1" "$2" "$3" >"$tmp/judged"
	: >"$tmp/out"
	while read -r line; do
		case $line in
		ok\ *) result 0 "$1 $3: ${line#ok }" ;;
		todo\ *) todo "$1 $3: ${line#todo }" ;;
		\#*) echo "$line" ;;
		*) result 1 "$1 $3: ${line#not ok }" ;;
		esac
	done <"$tmp/judged"
}

"$ways/generate" "$ways/c.ways" >"$tmp/c.c"
"$ways/generate" "$ways/cxx.ways" >"$tmp/cxx.cpp"
"$ways/generate" "$ways/over.ways" >"$tmp/over.c"
for level in $LEVELS; do
	build cxx cpp $level
done &
for level in $LEVELS; do
	build c c $level
	build over c $level
done
wait
for level in $LEVELS; do
	try_ways c c $level
	try_ways cxx cpp $level
	try_ways over c $level 1
done

# What is found is replayed, of some.
run timeout 60 "$NORN" record -o "$tmp/some.norn" "$tmp/c${LEVELS%% *}" 20000 local_volatile_open table_open absolute_value
run timeout 100 "$NORN" predict --bugs race --replay --json "$tmp/some.norn"
json_is 'join " ", map { $_->{replay}{confirmed} ? "confirmed" : "not" } @{$j->{findings}}' \
	'confirmed confirmed confirmed' "replay confirms what is found"
finish
