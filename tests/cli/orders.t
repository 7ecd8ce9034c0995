#!/bin/sh
# SPDX-License-Identifier: MIT
# The orders against tests/conformance/expected.tsv: norn pairs has exactly these pairs,
# and norn orders exactly their signatures. orders-verb.t has the rest of norn orders.
. tests/cli/lib.sh
tab=$(printf '\t')
orders=$(echo $("$NORN" help orders | sed -n 's/^        \([a-z0-9]*\)  .*/\1/p'))
count=$(echo "$orders" | wc -w)
export orders
[ "$count" -ge 7 ]
result $? "norn help lists the orders"
rows=0
while IFS=$tab read -r case analysis pairs; do
	case " $orders " in
	*" $analysis "*) ;;
	*) continue ;;
	esac
	rows=$((rows + 1))
	want=66
	[ "$pairs" = - ] && want=0 pairs=
	run "$NORN" pairs --by "$analysis" "$conformance/$case.trace"
	[ "$status" -eq $want ] && [ "$(echo $(cat "$tmp/out"))" = "$pairs" ]
	result $? "$case by $analysis: ${pairs:-none}"
done <$conformance/expected.tsv
[ $rows -eq $((157 * count)) ]
result $? "there were 157 traces by $count orders"

# signatures TRACE CASE: what norn orders --json says and what it should, as lines of
# "order: a | b, c | d"; these traces have no locations.
cat >"$tmp/signatures.pl" <<'END'
use JSON::PP;
my ($trace, $case) = @ARGV;
my (@site, %want, %got, @orders);
@orders = split / /, $ENV{orders};
sub signatures { join ", ", sort map { join " | ", sort @$_ } @_ }
open my $in, "<", $trace or die;
while (<$in>) {
	s/#.*//;
	my @word = split;
	next if !@word || $word[0] =~ /^(init|volatile|sem|barrier|memory|meta)$/;
	push @site, "@word[0, 1]" . (@word > 2 ? " $word[2]" : "");
}
open my $table, "<", "tests/conformance/expected.tsv" or die;
while (<$table>) {
	chomp;
	my ($name, $order, $pairs) = split /\t/;
	next if $name ne $case || !grep { $_ eq $order } @orders;
	my %found;
	for ($pairs eq "-" ? () : split / /, $pairs) {
		my @pair = map { $site[$_ - 1] } split /-/;
		$found{join " | ", sort @pair} = \@pair;
	}
	$want{$order} = signatures(values %found);
}
local $/;
for (@{decode_json(<STDIN>)->{orders}}) {
	$got{$_->{order}} = signatures(map { $_->{sites} } @{$_->{signatures}});
}
my $bad = keys %want != @orders || keys %got != @orders;
for (sort keys %want) {
	next if $want{$_} eq $got{$_};
	print "$_: $got{$_}\nnot $want{$_}\n";
	$bad = 1;
}
exit $bad;
END
traces=0
for trace in $conformance/*.trace; do
	traces=$((traces + 1))
	case=${trace##*/}
	run "$NORN" orders --json "$trace"
	perl "$tmp/signatures.pl" "$trace" "${case%.trace}" <"$tmp/out" >"$tmp/diff" 2>&1
	result $? "$case: the signatures of all orders"
	sed 's/^/# /' "$tmp/diff"
done
[ $traces -eq 157 ]
result $? "there were 157 traces"
finish
