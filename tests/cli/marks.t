#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of the user's own, marks: every sort of place, field and condition, with and without
# optimisation, in C and C++, in several modules; what they depend on; what is wrong in a line; replay
# up to one.
. tests/cli/lib.sh
programs=$PWD/tests/programs/marks
examples=$PWD/examples/properties scripts=$PWD/properties
cd "$tmp" || exit 1

# marks TRACE: a line a mark, "THREAD NAME FIELD… LINE"; addresses are A.
marks()
{
	"$NORN" show "$1" | sed -n 's/^ *[0-9]*  *\([^ ]*\) mark/\1/p' |
		sed -E 's/ skip=[^ ]*//; s/ @[^:]*:([0-9]+).*/ :\1/; s/ [0-9]{9,}/ A/g'
}

# built NAME OPTION…: compiles and records a program with $tmp/x.events.
built()
{
	name=$1
	shift
	run "$NORN" cc --events x.events "$@" -o x
	[ $status -eq 0 ] && [ ! -s err ]
	result $? "$name: builds"
	run "$NORN" record -o x.norn ./x
	status_is 0 "$name: runs"
	run "$NORN" check x.norn
	status_is 0 "$name: the trace is good"
	marks x.norn >out
}

# line NAME: of all.c, of a function or a label
line()
{
	grep -n "$1" "$programs/all.c" | head -1 | cut -d: -f1
}

cat >x.events <<'END_EVENTS'
# calls
found(#return) after call find if #return
none() after call find if !#return
look(#0) around call find
id(#0->id, **#1) after call measure
big(#0->size, #return) after call measure if #0->size >= 80
say(text) before call puts
# bodies
step(#0) before body count if #0 == -2
less(#0) after body count if #0 < 0
meas(#return, #0->id) after body measure
go around body run
left after body leave
# variables
w(#value, #size) after write-global counter
r before read-global counter
first(#value) before write-global both.first
second(#address) around write-global both.second
# lines
here before line all.c:LINE
gone(word, more) after line */all.c:LINE
never(#0) before call find if #0 > 100
END_EVENTS
puts=$(line @line)
sed -i "s/LINE/$puts/" x.events
find=$(line 'seven = find')
measure=$(grep -n 'measure(seven' "$programs/all.c" | cut -d: -f1 | tr '\n' ' ')
set -- $measure
first=$1 second=$2
count=$(line '^static void count')
add=$(line 'counter += step')
leave=$(line '^static void leave')
for level in -O0 -O1 -O2; do
	built "all places, $level" $level "$programs/all.c"
	sed -i 's/ :[0-9]*$//' out
	out_is "all places, $level: the events" <<'END_MARKS'
main go begin
main look 7 begin
main found A
main look 7 end
main look 9 begin
main none
main look 9 end
main meas 0 7
main id 7 70
main meas 1 8
main id 8 80
main big 80 1
main step -2
main r
main w -2 4
main less -2
main r
main w 1 4
main r
main first 1
main second A begin
main second A end
main left
main here
main say text
main gone word more
main go end
main r
END_MARKS
	marks x.norn >out
	out_has "^main found A :$find\$" "$level: a call has its line"
	out_has "^main step -2 :$count\$" "$level: the begin of a function has its line"
	out_has "^main w -2 4 :$add\$" "$level: an access has its line"
	out_has "^main left :$((leave + 3))\$" "$level: the end of a function has its line"
	out_has "^main id 7 70 :$first\$" "$level: the place after a call has its line"
	out_has "^main id 8 80 :$second\$" "$level: so has the next"
	out_has "^main here :$puts\$" "$level: a line has its own"
	run "$NORN" convert --to text x.norn x.text
	cp x.text out
	out_has '^meta event found 1$' "$level: the trace names the events"
	out_has '^meta event look 2$' "$level: also of those with two ends"
	out_has '^meta event never 1$' "$level: also of those that did not happen"
	out_has '^meta word gone 2 more$' "$level: and their words"
	out_has '^meta word look 2 begin$' "$level: and which end it is"
done

# C++
cat >x.events <<'END_EVENTS'
get(#1) around call lib::Pool::get(int)
body(#0->id, #1) around body _ZN3lib4Pool3getEi
got(#return) after body lib::Pool::get(int)
out(#1) after body outer*
two(#1, #2) before call lib::Pool::get(int, int)
put(#1) before body *Pool::put
tw(#0) before call lib::twice<int>
total(#value) after write-global lib::Pool::total
throws before call __cxa_throw
main around body main
made(#1) after body lib::Pool::Pool(int)
END_EVENTS
for level in -O0 -O2; do
	run "$NORN" c++ --events x.events $level "$programs/methods.cpp" -o x
	status_is 0 "C++, $level: builds"
	err_empty "C++, $level: all lines name something"
	run "$NORN" record -o x.norn ./x
	out_is "C++, $level: behaves as without" <<'END_OUTPUT'
goes
too many
8
END_OUTPUT
	run "$NORN" check x.norn
	status_is 0 "C++, $level: the trace is good"
	marks x.norn | sed 's/ :[0-9]*$//' >out
	out_is "C++, $level: names, overloads and exceptions" <<'END_MARKS'
main main begin
main made 5
main get 1 begin
main body 5 1 begin
main total 1
main body 5 1 end
main got 2
main get 1 end
main get 7 begin
main body 5 7 begin
main throws
main body 5 7 end
main out 7
main two 2 3
main put 4
main tw 4
main main end
END_MARKS
done

printf 'a before body lib::Pool::gte\nb before body lib::Pool::gett(int)\n' >none.events
run "$NORN" c++ --events none.events "$programs/methods.cpp" -o x
cp err out
out_is "C++: the nearest name, with parameters if the line has them" <<'END_ERRORS'
norn: warning: none.events:1:15: the program has no function with hooks lib::Pool::gte; is it lib::Pool::get?
norn: warning: none.events:2:15: the program has no function with hooks lib::Pool::gett(int); is it lib::Pool::get(int)?
END_ERRORS
printf 'a(#1) before body lib::Pool::get if #1 > 99999999999999999999\n' >none.events
run "$NORN" c++ --events none.events "$programs/methods.cpp" -o x
status_is 3 "a number that is too large: refused"
err_has 'none.events:1:42: expected a number of 64 bits, not "9*"' "a number that is too large: its place"

# What the compiler makes several functions of is one of the source, and called once.
cat >x.events <<'END_EVENTS'
both(#1) before body Both::Both
gone before body Both::~Both
get(#1) around body Both::get
self before body *Both::self
shared after body Shared::Shared(int)
unshared after body Shared::~Shared
makes before call Both::Both
plain(#1) before body Plain::Plain
drop before body Plain::~Plain
drops before call Plain::~Plain
exact before body _ZN4BothD0Ev
END_EVENTS
for level in -O0 -O2; do
	run "$NORN" c++ --events x.events $level "$programs/structors.cpp" -o x
	status_is 0 "structors, $level: builds"
	run "$NORN" record -o x.norn ./x
	status_is 0 "structors, $level: runs"
	marks x.norn | sed 's/ :[0-9]*$//; s/^main //' | paste -sd' ' >out
	out_is "structors, $level: each once" <<'END_MARKS'
makes both 1 shared self get 5 begin get 5 end exact gone unshared makes both 2 shared gone unshared plain 3 drops drop plain 4 drops drop plain 6 drops drop
END_MARKS
done

# Several modules, and a library
cat >one.c <<'END_SOURCE'
int f(int), g(int);
int main(void) { return f(1) + g(2) - 5; }
END_SOURCE
cat >two.c <<'END_SOURCE'
int h(int);
int f(int n) { return h(n) + 1; }
END_SOURCE
cat >three.c <<'END_SOURCE'
int h(int n) { return n; }
int g(int n) { return h(n) + 0; }
END_SOURCE
cat >x.events <<'END_EVENTS'
f(#0) before call f
g(#return) after body g
h(#0) before call h
END_EVENTS
export NORN_EVENTS=$tmp/x.events
run "$NORN" cc -fPIC -shared three.c -o libthree.so
run "$NORN" cc -c -O2 two.c
run "$NORN" cc one.c two.o ./libthree.so -o x
status_is 0 "modules: builds"
run "$NORN" record -o x.norn ./x
marks x.norn >out
unset NORN_EVENTS
out_is "modules: each has its events" <<'END_MARKS'
main f 1 :2
main h 1 :2
main h 2 :2
main g 2 :2
END_MARKS

# Dependences
cat >x.events <<'END_EVENTS'
word(here) before call word
value(#0) before call value
cond(yes) before call condition if #0 > 0
look(*#0) before call look
unknown(#0) before call unknown
END_EVENTS
for level in -O0 -O2; do
	built "dependences, $level" $level "$programs/depend.c" -lpthread
	run "$NORN" show --thread T2 x.norn
	read=$(sed -n 's/^ *\([0-9]*\)  T2 read shared.*/\1/p' out)
	out_has 'T2 mark word here ' "$level: a word is there"
	[ "$(sed -n '/read shared/,/mark word/p' out | grep -c branch)" -eq 0 ]
	result $? "$level: a word depends on nothing"
	[ "$(sed -n '/mark word/,/mark cond/p' out | grep -c "branch if (> .*%$read.* 0) scope=1")" -eq 1 ]
	result $? "$level: a condition governs its mark"
	[ "$(sed -n '/mark cond/,/mark value/p' out | grep -c "branch if (= .*%$read")" -eq 1 ]
	result $? "$level: a field depends on what it was computed from"
	out_has 'T2 read watched [26] order=watch' "$level: what a field points to is watched"
	out_has 'T2 mark look [26] ' "$level: and told"
	[ "$(sed -n '/order=watch/,/mark look [26]/p' out | grep -c 'branch')" -eq 1 ]
	result $? "$level: the field depends on it"
	[ "$(sed -n '/mark look 3/,/mark unknown/p' out | grep -c 'branch')" -ge 1 ]
	result $? "$level: what assembly made depends on all that was read"
	run "$NORN" predict --json x.norn
	json_is 'join ",", map { $_->{variable} } @{$j->{findings}}' shared \
		"$level: a race of the program is found, and a watch is none"
done

# Addresses that are used again
cat >again.c <<'END_SOURCE'
#include <stdlib.h>
struct block { int n; char more[1 << 20]; };
static struct block *make(int n) { struct block *b = malloc(sizeof(*b)); b->n = n; return b; }
static void drop(struct block *b) { free(b); }
int main(void)
{
	for (int i = 0; i < 5; i++) {
		struct block *b = make(i);
		drop(b);
	}
	return 0;
}
END_SOURCE
cat >x.events <<'END_EVENTS'
make(#return) after call make
drop(#0) before call drop
gone(#0) after call drop
END_EVENTS
run "$NORN" cc --events x.events again.c -o x
run "$NORN" record -o x.norn ./x
"$NORN" show x.norn | sed -n 's/^.* mark \([a-z]* [0-9]*\).*/\1/p' >out
[ "$(grep -c make out)" -eq 5 ] && [ "$(grep make out | sort -u | wc -l)" -eq 5 ]
result $? "another object is another number, at the same address, too"
[ "$(sed 's/.* //' out | uniq -c | grep -c '^ *3 ')" -eq 5 ]
result $? "and the same one is the same, also when it is gone"

# A watch is no access of the program: no order, no engine and no witness takes it for one.
cat >watch.text <<'END_TRACE'
init x 0
main fork T1 @a.c:1
main write x 1 @a.c:2
T1 read x 1 order=watch @a.c:3
T1 branch reads=3
T1 mark look 1 @a.c:4
END_TRACE
sed 's/=watch/=relaxed/' watch.text >relaxed.text
printf 'norn-witness 1\nmodel values\nbug race 2 3\nrun 1\nend\n' >race.witness
for order in relaxed watch; do
	[ $order = relaxed ] && want=1 || want=0
	run "$NORN" convert $order.text x.norn
	for trace in $order.text x.norn; do
		run "$NORN" explore $trace
		out_has "^races  *$want\$" "$order: explore, $trace"
		run "$NORN" orders $trace
		[ "$(awk -v n=$want 'NR > 1 && $3 == n' out | wc -l)" -eq "$(($(wc -l <out) - 1))" ]
		result $? "$order: every order, $trace"
		run "$NORN" predict $trace
		out_has "^Norn: $want candidate" "$order: predict, $trace"
		run "$NORN" certify $trace race.witness
		status_is $((3 - 3 * want)) "$order: certify, $trace"
	done
done
sed 's/write x 1/write x 1 order=watch/' watch.text >bad.text
run "$NORN" check bad.text
status_is 3 "a write is no watch"

# What is wrong
cat >bad.c <<'END_SOURCE'
struct s { int n; double d; };
double half(double);
void take(struct s *p, int n);
int x;
struct s global;
int main(void)
{
	take(&global, x);
	global.n = 2;
	return half(1) > 2;
}
END_SOURCE
# refused MESSAGE LINE
refused()
{
	echo "$2" >bad.events
	rm -f bad.o
	run "$NORN" cc -c --events bad.events bad.c
	[ $status -ne 0 ] && [ ! -e bad.o ] && grep -Eq -e "bad\.events:$1" err
	result $? "refused: $2"
}
refused '1:9: this is neither a pointer nor an integer in half' 'e(word, #0) before call half'
refused '1:3: this is neither a pointer nor an integer in half' 'e(#0) before call half'
refused '1:3: this is neither a pointer nor an integer in half' 'e(#return) after call half'
refused '1:3: take has 2 arguments, but no #2' 'e(#2) before call take'
refused '1:3: this is no pointer in take' 'e(*#1) before call take'
refused '1:3: this is neither a pointer nor an integer in take' 'e(*#0) before call take'
refused '1:3: no member none of' 'e(#0->none) before call take'
refused '1:3: this is neither' 'e(#0->d) before call take'
refused '1:23: no member none of global' 'e before write-global global.none'
refused '1:3: #return is not known before the call' 'e(#return) before call take'
cat >bad.events <<'END_EVENTS'
e(#0) before call take
  e after call take
END_EVENTS
run "$NORN" cc -c --events bad.events bad.c
status_is 3 "one event with and without a field: exit status"
err_has 'bad\.events:2:3: e has 0 fields here, but 1 at bad\.events:1' "and what is told"

# Lines that name nothing
cat >none.events <<'END_EVENTS'
a before call tak
b before body no_such_function
c before read-global counte
d before write-global counter2
e before line all.c:3
f before line nowhere.c:3
g before body find
h before body no_such_function
i before call measure*
END_EVENTS
run "$NORN" cc --events none.events "$programs/all.c" -o x
status_is 0 "lines that name nothing: it is built"
cp err out
out_is "lines that name nothing: each is told, once, with the nearest name" <<'END_ERRORS'
norn: warning: none.events:1:15: the program has no call of tak
norn: warning: none.events:2:15: the program has no function with hooks no_such_function
norn: warning: none.events:3:22: the program has no direct read of variable counte; is it counter?
norn: warning: none.events:4:23: the program has no direct write of variable counter2; is it counter?
norn: warning: none.events:5:15: the program has no code of line all.c:3
norn: warning: none.events:6:15: the program has no code of line nowhere.c:3
END_ERRORS

# order THREAD:MARK…: a witness of the trace $1 in which threads go up to these marks, one after the other.
order()
{
	trace=$1
	shift
	"$NORN" show "$trace" | perl -e '
		my (%of, @run, @marks);
		while (<STDIN>) { push @{$of{$2}}, [$1, $3, $4 // ""] if /^ *(\d+)  (\S+) (\S+) ?(\S*)/ }
		for (@ARGV) {
			my ($thread, $mark) = split /:/;
			while (my $e = shift @{$of{$thread}}) {
				push @run, $e->[0];
				push @marks, $e->[0] if $e->[1] eq "mark";
				last if $mark eq ($e->[1] eq "mark" ? $e->[2] : $e->[1]);
			}
		}
		print "norn-witness 1\nmodel values\nbug property @marks\nrun @run\nend\n"' "$@" >x.witness
}

# The examples: the faulty ones can be led to what is wrong, and stand there.
# faulty NAME LINES THREAD:MARK…
faulty()
{
	name=$1 text=$2
	shift 2
	for program in faulty right; do
		[ "$name" = sqlite ] && library=-lsqlite3 || library=
		run "$NORN" cc --events "$scripts/$name.events" \
			"$examples/$name/$program.c" -o x $library
		[ $status -eq 0 ] && [ ! -s err ]
		result $? "$name, $program: builds, and each line names something"
		run "$NORN" record -o x.norn ./x
		status_is 0 "$name, $program: runs"
		order x.norn "$@"
		run "$NORN" certify x.norn x.witness
		[ $program = right ] || status_is 0 "$name, $program: the order is feasible"
		[ $program = faulty ] || status_is 3 "$name, $program: the order is not feasible"
		[ $program = right ] && continue
		run "$NORN" replay --witness x.witness x.norn
		status_is 66 "$name, $program: is replayed"
		at=$(grep -n "$text" "$examples/$name/$program.c" | tail -1 | cut -d: -f1)
		out_has "^replayed: at .*faulty\.c:$at\$" "$name, $program: up to the event"
		out_has 'stands before a mark' "$name, $program: before it"
	done
}
faulty file 'f = open_file' main:fork T1:access main:open
faulty race '	y = 2;' main:access main:access T1:access T1:access
faulty uplink 'header = "p' main:fork T1:cancel T1:release main:update
faulty atomicity 'x = temp' main:fork main:access T1:enter T1:access T1:access T1:exit main:access
faulty resources 'if (request(&camera' main:fork T1:request main:request
if [ -e /usr/include/sqlite3.h ]; then
	faulty sqlite 'if (sqlite3_step' main:prepare main:fork T1:bind main:finalize T1:step
fi
finish
