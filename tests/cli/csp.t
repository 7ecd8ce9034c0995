#!/bin/sh
# SPDX-License-Identifier: MIT
# norn csp: examples of the textbooks with known answers, the models of the thesis, errors with
# their places, limits.
. tests/cli/lib.sh

# In these scripts every assertion holds; what should fail has a `not`.
for script in tests/csp/*.csp; do
	run "$NORN" csp "$script"
	status_is 0 "${script##*/}: all assertions are as they are known to be"
	err_empty "${script##*/}: nothing on standard error"
	[ "$(grep -c ': holds (' "$tmp/out")" -eq "$(grep -c '^assert' "$script")" ]
	result $? "${script##*/}: each has an answer"
done

# thesis SCRIPT STATUS: what 004's appendix tells of each
thesis()
{
	run "$NORN" csp "tests/csp/thesis/$1.csp"
	status_is "$2" "thesis: $1"
}
thesis deadlock 66
out_has 'with what is hidden: <fork.0.1, start.1, lock.0.0, lock.1.1>|<fork.0.1, lock.0.0, start.1, lock.1.1>' \
	"thesis: deadlock: the way to it"
thesis lock_orders 0
thesis semaphore 66
thesis file 66
out_has 'trace: <access.1.0>$' "thesis: file: it is used before it is open"
out_has 'allowed: {open.0.0, open.1.0}' "thesis: file: what the specification allows"
out_has 'specification: FILE\(0\)' "thesis: file: where it stands"
thesis race 66
out_has ':37:1: .*: fails' "thesis: race: on the variable without the lock"
out_has ':39:1: .*: holds' "thesis: race: none on the other"
thesis custom_race 66
out_has ':31:1: .*: fails' "thesis: custom race: on x"
out_has 'x.1.load, x.0.store, error_>$' "thesis: custom race: the two accesses"
out_has ':33:1: .*: holds' "thesis: custom race: none on y"
thesis uplink 66
out_has 'trace: <open.0, cancel.1, update.0>$' "thesis: uplink: an update after cancel"
out_has ':30:1: .*: fails' "thesis: uplink: two updates in a row, as in the figure"
out_has ':32:1: .*: holds' "thesis: uplink: mended, these are right"
thesis sql 66
out_has 'finalize.0.0, step.1.0>$' "thesis: sql: a step after finalize"
thesis atomicity 66
out_has ':29:1: .*: fails' "thesis: atomicity: of x"
out_has ':31:1: .*: holds' "thesis: atomicity: not of y"
thesis resources 66
out_has 'request.0.0.1, request.1.1.1>$' "thesis: resources: both are granted"
out_has 'specification: \(GRANTED\(0, 0\) \|\|\| RES\(1\)\) \[\|...\|\] in CONF\(0, 1\)' \
	"thesis: resources: where the specification stands"

# value EXPRESSION RESULT: what print says, after declarations in $before
before=
value()
{
	printf '%s\nprint %s\n' "$before" "$1" >"$tmp/value.csp"
	run "$NORN" csp "$tmp/value.csp"
	out_is "$1 is $2" <<END
$2
END
}
value '1 + 2 * 3 - 4' 3
value '7 / 2' 3
value '(-7) / 2' -4
value '(-7) % 3' 2
value '{3, 1, 2, 1}' '{1, 2, 3}'
value '<1, 2>^<3>' '<1, 2, 3>'
value '#<1..10>' 10
value 'head(tail(<1..>))' 2
value '{x * x | x <- {1..4}, x % 2 == 0}' '{4, 16}'
value '<(x, y) | x <- <1, 2>, y <- <x..2>>' '<(1, 1), (1, 2), (2, 2)>'
value 'card(Set({1..5}))' 32
value 'diff(union({1, 2}, {3}), {2})' '{1, 3}'
value 'Union({{1}, {2, 3}})' '{1, 2, 3}'
value 'inter({1..}, {0, 1, 2})' '{1, 2}'
value 'member(3, {1..})' true
value '<x | x <- <1..5>, x > 3>' '<4, 5>'
value '<1> < <1, 2>' true
value '{1} <= {1, 2}' true
value '(\ x, y @ x - y)(5, 3)' 2
before='pair((x.y).z) = (x, y, z)
both(((x.y)@@(a.b.c)).d) = (x, y, a, b, c, d)'
value 'pair(1.2.3.4)' '(1, 2, 3.4)'
value 'both(0.1.2.3)' '(0, 1.2, 0, 1, 2, 3)'
before=
value 'if 1 == 2 then "no" else "yes"' '"yes"'
value "mapLookup(mapUpdate((| 1 => 'a' |), 2, 'b'), 2)" "'b'"
value 'let (a, b) = (1, error("never")) within a' 1
value 'not true or 1 < 2 and 2 != 3' true
value '(|(1, 2)=>3|)' '(| (1, 2) => 3 |)'
value 'mapLookup(mapUpdateMultiple((| 1 => 2 |), <(1, 3), (2, 4)>), 1)' 3
# sequences are known as far as they are asked for
before='take(0, _) = <>
take(n, <x>^s) = <x>^take(n - 1, s)
from(n) = <n>^from(n + 1)
ones = <1>^ones
zip(<a>^s, <b>^t) = <(a, b)>^zip(s, t)
fib = <0, 1>^<a + b | (a, b) <- zip(fib, tail(fib))>
sieve(<p>^s) = <p>^sieve(<x | x <- s, x % p != 0>)'
value 'take(3, ones)' '<1, 1, 1>'
value 'take(3, <x * x | x <- from(1), x % 2 == 1>)' '<1, 9, 25>'
value 'take(4, <1..>^<0>)' '<1, 2, 3, 4>'
value 'take(8, fib)' '<0, 1, 1, 2, 3, 5, 8, 13>'
value 'take(5, sieve(<2..>))' '<2, 3, 5, 7, 11>'
value 'head(<1>^error("never"))' 1
value '#take(20000, from(0))' 20000
before='count :: (Eq a) => (a, <a>) -> Int
count(x, s) = #<y | y <- s, x == y>
map :: ((a) -> b, <a>) -> <b>
map(f, s) = <f(x) | x <- s>
table, other :: (| Int => {Bool} |)
table = (| 1 => {true} |)
other = emptyMap
c :: Int.Bool => Event
channel c : {0}.Bool
P, Q :: Proc
P = c.0?x -> Q
Q = STOP
Leaf :: Int => Tree
datatype Tree = Leaf.{0..3} | Node.Tree.Tree'
value 'map(\ x @ count(x, <1, 2, 1>), <1, 2>)' '<2, 1>'
before='datatype Tree = Leaf.{0..3} | Node.Tree.Tree
sum(Leaf.n) = n
sum(Node.l.r) = sum(l) + sum(r)
curried(x)(y) = x * y
last(<x>) = x
last(<_>^xs) = last(xs)
ends(<a>^_^<b>) = (a, b)
loop = loop
first(x, _) = x
even(0) = true
even(n) = odd(n - 1)
odd(0) = false
odd(n) = even(n - 1)
channel c : {0, 1}.Bool
subtype Small = Leaf.{0, 1}'
value 'sum(Node.(Leaf.1).(Node.(Leaf.2).(Leaf.3)))' 6
value 'curried(6)(7)' 42
value 'last(<1, 2, 3>)' 3
value 'ends(<1, 2, 3>)' '(1, 3)'
value 'first(1, loop)' 1
value 'even(10)' true
value '{|c.1|}' '{c.1.false, c.1.true}'
value 'extensions(c.0)' '{false, true}'
value '{x | c.x.true <- {|c|}}' '{0, 1}'
value 'Small' 'Small'
value 'Small == {Leaf.0, Leaf.1}' true
value 'member(Leaf.3, Small)' false
value 'card(Events)' 4

# wrong TEXT PLACE MESSAGE: exit status 3, and where
wrong()
{
	printf '%b' "$1" >"$tmp/wrong.csp"
	run "$NORN" csp "$tmp/wrong.csp"
	status_is 3 "wrong: $3"
	err_has "wrong.csp:$2: .*$3" "wrong: $3: at $2"
}
wrong 'P = STOP\nassert P [T= Q\n' 2:14 'Q is not known here'
wrong 'channel coin\nP = cion -> STOP\n' 2:5 'is coin meant\?'
wrong 'P = (STOP\n' 2:1 '\) of \( is expected, but the script ends'
wrong 'P = STOP [] \n' 2:1 'an expression is expected'
wrong 'channel c : {0..3}\nP = c!true -> STOP\n' 2:7 'type Int is expected here, and this is of type Bool'
wrong 'channel c : {0..3}\nP = c -> STOP\n' 2:5 '1 field is missing'
wrong 'channel c\nP = c?x -> STOP\n' 2:7 'no field left'
wrong 'P = 1 ; STOP\n' 1:5 'type Proc is expected here, and this is of type Int'
wrong 'f(x) = x + 1\ny = f(1, 2)\n' 2:6 '1 argument is expected here, not 2'
wrong 'x = 1 + <2>\n' 1:9 'Int is expected here, and this is of type <Int>'
wrong 'x = {1, true}\n' 1:9 'type Int'
wrong 'x = 1\nx = 2\n' 2:1 'x is declared twice'
wrong 'f(x, x) = x\n' 1:6 'x stands twice'
wrong 'f(x) = f\n' 1:8 'is of type'
wrong 'P = STOP\nassert P :[free]\n' 2:12 'deadlock free, divergence free'
wrong 'P = STOP\nassert P\n' 3:1 'is expected'
wrong 'x = "abc\n' 1:9 'quote'
wrong '{- x = 1\n' 1:1 'no end'
wrong 'x = 99999999999999999999\n' 1:5 'too large'
wrong 'P = STOP x\n' 1:10 'an operator or a new line'
wrong 'x = `\n' 1:5 'means nothing'
wrong 'let x = 1\n' 2:1 'within of let is expected'
wrong 'x = let channel c within 1\n' 1:9 'cannot stand behind let'
wrong 'include "nothing.csp"\n' 1:1 'nothing.csp'
wrong 'channel c : Bool\nP = ; x : {true, false} @ c.x -> SKIP\n' 2:11 'type <a> is expected here, and this is of type {Bool}'
wrong 'f :: (Int) -> Bool\nf(x) = x\n' 1:1 'f is said to be of type \(Int\) -> Bool, and is of type \(a\) -> a'
wrong 'f :: (a) -> a\nf(x) = x + 1\n' 1:1 'and is of type \(Int\) -> Int'
wrong 'x = let y, z :: <Int>\n        y = <1>\n        z = {1}\n    within y\n' 1:12 'z is said to be of type <Int>, and is of type {Int}'
wrong 'f :: Int\n' 1:1 'f has a type, and no definition'
wrong 'f :: Int\nf :: Int\nf = 1\n' 2:1 'f has a type already'
wrong 'f :: Colour\nf = 1\n' 1:6 'there is no datatype Colour'
wrong 'f :: Same a => (a) -> a\nf(x) = x\n' 1:6 'Same is no class of types'
wrong 'f :: a -> b\nf(x) = x\n' 1:8 'an operator or a new line is expected'
wrong 'f :: <Int\nf = 1\n' 2:1 '> of < is expected'
wrong 'external deter\n' 1:10 'deter is not supported'
wrong 'x = 1 +\ninclude "nothing.csp"\n' 2:1 'include cannot stand in a declaration'
# types
wrong 'x = {STOP} == {STOP}\n' 1:12 'values of type Proc cannot be compared'
wrong 'x = elem(STOP, <>)\n' 1:10 'Proc cannot be compared'
wrong 'x = {\\ y @ y}\n' 1:5 'cannot be in sets'
wrong 'x = (| \\ y @ y => 1 |)\n' 1:5 'cannot be in sets'
wrong 'same(x, y) = x == y\nz = same(STOP, SKIP)\n' 2:10 'Proc cannot be compared'
wrong 'datatype D = A.Proc | B\nx = B == B\n' 2:7 'Proc cannot be compared'
wrong 'channel c : Proc\n' 1:9 'Proc cannot be compared'
wrong 'f :: (a, a) -> Bool\nf(x, y) = x == y\n' 1:1 'values of type a cannot be compared'
wrong 'f :: Eq b => (a) -> a\nf(x) = x\n' 1:9 'b is not in the type'
wrong 'c :: Bool => Event\nchannel c : Int\n' 1:1 'c is said to be of type Bool => Event'
wrong 'f :: (M::T) -> Int\nf(x) = 1\n' 1:7 'T is not known here'
wrong 'x = let f(y) = y within (f(1), f(true))\n' 1:34 'type Int is expected here, and this is of type Bool'
wrong 'channel c : {}\n' 1:9 'nothing tells what type the fields of c are of'
wrong 'c :: Eq a => a => Event\nchannel c : {}\n' 2:9 'nothing tells'
wrong 'datatype D = A.{0}.{1}\nnametype N = {A.0}\n' 2:14 'fields missing'
wrong 'channel a, b\nx = {c.y | c.y <- {| a, b |}}\n' 2:12 'Event'
wrong 'x = {y | y <- {1}, y <- {2}}\n' 1:20 'y stands twice'
wrong 'P(c) = c?x$y -> STOP\n' 1:11 'cannot stand behind'
wrong 'P = 2?x -> STOP\n' 1:7 'a channel is expected in front of this'
# modules
wrong 'module M\nendmodule\n' 2:1 'expected, not endmodule'
wrong 'module M\nexports\n' 3:1 'endmodule of module is expected, but the script ends'
wrong 'module M()\nexports\nendmodule\n' 1:10 'an expression is expected'
wrong 'module M x = 1\nexports\nendmodule\n' 1:10 'a new line is expected'
wrong 'module M\nexports\nendmodule\ninstance N = M()\n' 4:16 'an expression is expected'
wrong 'module M(x)\nexports\nendmodule\ninstance N = M(1, 2)\n' 4:10 'M has 1 parameter, not 2'
wrong 'module M\nexports\nassert STOP [T= STOP\nendmodule\n' 3:1 'assert cannot stand in a module'
wrong 'x = let instance N = M within 1\n' 1:9 'instance cannot stand behind let'
wrong 'instance N = M\nmodule M\nexports\nendmodule\n' 1:14 'there is no module M in front of this'
wrong 'module M(x)\nexports\ninstance N = M(x + 1)\nendmodule\n' 3:14 'an instance of M cannot stand in M itself'
wrong 'module M\nx = 1\nexports\nendmodule\ny = M::x\n' 5:5 'M does not export x'
wrong 'module M\nexports\nendmodule\ny = M::x\n' 4:5 'M does not export x'
wrong 'module M(x)\nexports\ny = x\nendmodule\nz = M::y\n' 5:5 'M has parameters: its names are those of an instance'
wrong 'module M\nexports\nendmodule\nM = 1\n' 4:1 'M is declared twice'
wrong 'module M\nx = 1\nexports\nx = 2\nendmodule\n' 4:1 'x is declared twice'
wrong 'module M\nexports\nendmodule\nx = M\n' 4:5 'M is a module'
wrong 'x = 1\ny = x::z\n' 2:5 'x is no module'
wrong 'module M(x)\nexports\ny = x + true\nendmodule\n' 3:9 'Int is expected here, and this is of type Bool'
wrong 'module M(x)\nexports\ny = x + 1\nendmodule\ninstance N = M(true)\n' 3:5 'type Int is expected here, and this is of type Bool'
wrong 'module M\nexports\ny = N::y\nendmodule\ninstance N = M\n' 5:10 'N is an instance of M, and M uses it'
wrong 'module M(x)\nexports\ny = z\nendmodule\ninstance N = M(1)\nz = N::y\n' 5:10 'N is an instance of M, and M uses it'
wrong 'module M(x)\nexports\ndatatype T = A.x\nendmodule\ninstance N = M({0})\ninstance O = M({0})\nb = (N::A.0) == (O::A.0)\n' 7:18 'type N::T is expected here, and this is of type O::T'
wrong 'module M(x)\nexports\nchannel c : x\nendmodule\ninstance N = M({0})\nassert STOP [T= N::c.1 -> STOP\n' 6:17 'the channel N::c cannot carry 1'
# timed sections
wrong 'Timed {\n}\n' 1:1 'tock is not known here'
wrong 'channel tock : Bool\nTimed {\n}\n' 2:1 '1 field is missing'
wrong 'channel tock\nTimed(\\ _ @ true) {\n}\n' 2:7 'Int is expected here|-> Int is expected'
wrong 'channel tock\nTimed {\nP = STOP\n' 4:1 '} of Timed is expected, but the script ends'
wrong 'channel tock, a, b\nTimed {\nP = STOP [a <-> b] STOP\n}\n' 3:13 'links cannot stand in a timed section'
wrong 'channel tock\nchannel c : Bool\nTimed {\nP = c$x -> STOP\n}\n' 4:6 'cannot stand in a timed section'
wrong 'channel tock\nTimed {\nprint 1\n}\n' 3:1 'print cannot stand in a timed section'
wrong 'P = WAIT(1)\n' 1:5 'WAIT is not known here'
wrong 'channel tock, a\nTimed(\\ _ @ -1) {\nP = a -> STOP\n}\nassert STOP [T= P\n' 2:7 'an event takes a number of tocks, from 0 on, not -1'
wrong 'channel tock\nTimed {\nP = WAIT(0 - 2)\n}\nassert STOP [T= P\n' 3:5 'WAIT takes a number from 0 on, not -2'
# what is read and not decided
wrong 'assert STOP [V= STOP\n' 1:1 'refinement by \[V= is not supported'
wrong 'assert STOP [T= (if STOP == STOP then STOP else SKIP)\n' 1:26 'cannot be compared'
wrong 'channel a : Bool\nchannel b : Int.Bool\nP = STOP [[a <- b]]\n' 3:17 'type Bool => Event is expected'
wrong 'datatype X = A | B.{0}\ndatatype Y = C\nsubtype Z = A | C\n' 3:17 'not of the same datatype'
wrong 'datatype X = A.{0}\nsubtype Y = A.{0}.{1}\n' 2:15 'A has only 1 field'
wrong 'datatype X = A.{0}\nchannel c : {A}\n' 2:13 'fields missing'
# what is right although it looks like one of these
printf '%s\n' 'none :: {Int}' 'none = {}' 'channel c : none' \
	'f(x) = let' '    g :: (a) -> a' '    g(y) = y' '  within (g(x), g(true))' \
	'h :: (Eq a) => (a, a) -> Bool' 'h(x, y) = x == y' 'first(x.y) = x' 'S = {STOP, SKIP}' \
	'print (f(1), h(1, 2), first(1.2), {x.. | x <- {2, 1}} == {1..})' >"$tmp/right.csp"
run "$NORN" csp "$tmp/right.csp"
status_is 0 "types that are right"
out_is "types that are right: the values" <<'END'
((1, true), false, 1, true)
END

# what only a run finds
wrong 'external prioritisepo\nchannel a, b\nassert STOP [T= prioritisepo(STOP, {a, b}, {(a, b), (b, a)}, {})\n' 3:17 'a is above itself|b is above itself'
wrong 'external prioritisepo\nchannel a, b\nassert STOP [T= prioritisepo(STOP, {a, b}, {(a, b)}, {b})\n' 3:17 'b is maximal, and a is above it'
wrong 'channel c, d\nassert STOP [T= BUFFER(0, {(c, d)})\n' 2:17 'a buffer holds one event at least'
wrong 'channel c, d\nassert STOP [T= BUFFER(1, {(c, c)})\n' 2:17 'stands in two pairs'
wrong 'channel c, d : Bool\nassert STOP [T= STOP [c.true <-> d.true, c.true <-> d.false] STOP\n' 2:22 'stands in two of these links'
wrong 'datatype D = X.{0, 1}\nprint (X.2) == (X.2)\n' 2:8 'the constructor X cannot carry 2'
wrong 'channel c : {0..1}\nassert STOP [T= c$x:{} -> STOP\n' 2:17 'nothing to choose from'
wrong 'channel c : {0..1}\nprint {|c.2|}\n' 2:9 'cannot carry 2 as its field 1'
wrong 'channel c : {0..3}\nP(n) = c!n -> P(n + 1)\nassert STOP [T= P(0) \\ {|c|}\n' 2:8 'cannot carry 4 as its field 1'
wrong 'f(0) = STOP\nassert STOP [T= f(1)\n' 2:17 'no equation of f fits its argument 1'
wrong 'P = P [] STOP\nassert STOP [T= P\n' 1:7 'depends on itself'
wrong 'print 1 / 0\n' 1:9 'division by zero'
wrong 'f(x) = f(x + 1) + 1\nprint f(0)\n' '1:[0-9]*' 'too deeply'
wrong 'print head(<>)\n' 1:7 'empty sequence'
wrong 'print card({1..})\n' 1:7 'cannot be listed'
wrong 'print error("so it is")\n' 1:7 'so it is'
for start in 'x = (' 'x :: (' 'x :: (|' 'x :: a => '; do
	printf '%s\n' "$start" | awk '{ printf "%s", $0; sub(/^x [=:]* /, "")
		for (i = 0; i < 300000; i++) printf "%s", $0; print "" }' >"$tmp/deep.csp"
	run "$NORN" csp "$tmp/deep.csp"
	status_is 3 "$start, and so on: exit 3"
	err_has 'deep.csp:1:[0-9]*: this is nested' "$start, and so on: with a place"
done

# Modules and timed sections without end, and modules that double at each step: limits hold.
awk 'BEGIN { for (i = 0; i < 100000; i++) print "module M\nexports" }' >"$tmp/modules.csp"
run "$NORN" csp --max-memory 50M "$tmp/modules.csp"
status_is 4 "modules in modules: exit 4"
awk 'BEGIN { print "channel tock"; for (i = 0; i < 100000; i++) print "Timed {" }' >"$tmp/sections.csp"
run "$NORN" csp "$tmp/sections.csp"
status_is 3 "timed sections in timed sections: exit 3"
err_has 'sections.csp:[0-9]*:1: this is nested' "timed sections in timed sections: with a place"
awk 'BEGIN {
	print "module M0(x)\nexports\ny = x\nendmodule"
	for (i = 1; i < 60; i++)
		printf "module M%d(x)\nexports\ninstance A = M%d(x)\ninstance B = M%d(x)\nendmodule\n", i, i - 1, i - 1
}' >"$tmp/doubling.csp"
run "$NORN" csp --max-memory 50M "$tmp/doubling.csp"
status_is 4 "instances that double: exit 4"
printf '%s\n' 'channel a, tock' 'Timed(\ _ @ 1000000000000000000) {' 'P = a -> P' '}' 'assert P :[deadlock free]' >"$tmp/long.csp"
run "$NORN" csp --max-states 1000 "$tmp/long.csp"
status_is 4 "an event that takes long: exit 4"
echo 'print card(Map({0..40}, {0..9}))' >"$tmp/maps.csp"
run "$NORN" csp --max-memory 50M "$tmp/maps.csp"
status_is 4 "all maps: exit 4"

# Long chains are no deep ones.
awk 'BEGIN { print "channel a : {0..1}"; for (i = 0; i < 5000; i++)
	printf "P%d = a.%d -> P%d\n", i, i % 2, (i + 1) % 5000
	print "assert P0 :[deadlock free]" }' >"$tmp/chain.csp"
run "$NORN" csp "$tmp/chain.csp"
status_is 0 "a chain of 5000 definitions"
out_has ': holds \(5000 states\)' "a chain of 5000 definitions: as many states"

# Limits.
cat >"$tmp/counter.csp" <<'END'
channel up, down
COUNT(n) = up -> COUNT(n + 1) [] n > 0 & down -> COUNT(n - 1)
assert COUNT(0) :[deadlock free]
assert COUNT(0) [T= STOP
END
run "$NORN" csp --max-states 1000 "$tmp/counter.csp"
status_is 4 "--max-states: exit 4"
err_has 'counter.csp:3:1: undecided: there are more than 1000 states' "--max-states: says so"
out_has ':4:1: .*: holds' "--max-states: what can be decided is"
run "$NORN" csp --max-memory 8M "$tmp/counter.csp"
status_is 4 "--max-memory: exit 4"
printf 'print card(set(<1..>))\n' >"$tmp/endless.csp"
run "$NORN" csp --max-memory 20M "$tmp/endless.csp"
status_is 4 "an endless sequence: exit 4"
echo 'assert STOP [T= RUN(Events) :[partial order reduce]' >>"$tmp/counter.csp"
run "$NORN" csp --max-states 1000 "$tmp/counter.csp"
status_is 66 "a failure beside an undecided one: exit 66"

# Files that include files, and standard input.
mkdir "$tmp/inner"
echo 'channel a' >"$tmp/inner/one.csp"
printf 'include "one.csp"\nP = a -> P\n' >"$tmp/inner/two.csp"
printf 'include "inner/two.csp"\nassert P :[deadlock free]\n' >"$tmp/outer.csp"
run "$NORN" csp "$tmp/outer.csp"
status_is 0 "include: beside the file that includes"
printf 'include "self.csp"\n' >"$tmp/self.csp"
run "$NORN" csp "$tmp/self.csp"
status_is 3 "include: of itself"
err_has 'self.csp:1:1: files include each other' "include: of itself: says so"
run sh -c '"$1" csp - <"$2"' sh "$NORN" tests/csp/vending.csp
status_is 0 "standard input"

# As an automaton.
run "$NORN" csp --aut 'COUNT(1) [| {up, down} |] (up -> down -> SKIP)' "$tmp/counter.csp"
out_is "--aut" <<'END'
des (0, 3, 4)
(0, "up", 1)
(1, "down", 2)
(2, "tau", 3)
END
run "$NORN" csp --aut 'COUNT(' "$tmp/counter.csp"
status_is 3 "--aut of a wrong expression: exit 3"
err_has 'expression:1:7: ' "--aut of a wrong expression: where"
run "$NORN" csp --max-states 100 --aut 'COUNT(0)' "$tmp/counter.csp"
status_is 4 "--aut of a system without end: exit 4"
out_empty "--aut of a system without end: nothing on standard output"

run "$NORN" csp --json tests/csp/thesis/file.csp
status_is 66 "--json: exit 66"
out_has '"holds": false' "--json: the answer"
out_has '"access.1.0"' "--json: the trace"
finish
