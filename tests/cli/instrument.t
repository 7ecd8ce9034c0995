#!/bin/sh
# SPDX-License-Identifier: MIT
# norn-instrument: programs do what they did, and hooks say what depends on what. The hooks' side is
# in tests/support/hooks: it checks every expression against the value written, prints what happens,
# and tries what happens if a read returns something else.
. tests/cli/lib.sh
: "${BUILD:=$PWD/build}"
instrument=$BUILD/norn-instrument
clang=clang-14
clangxx=clang++-14

# A timeout for what might hang; the programs end within a second.
limit="timeout 60"

for part in hooks print flip; do
	$clang -O1 -w -I. -c tests/support/hooks/$part.c -o "$tmp/$part.o" || exit 1
done

# build LEVEL SOURCE NAME: $tmp/NAME, with hooks.
build()
{
	case $2 in
	*.cpp) compiler=$clangxx language=-std=c++17 ;;
	*) compiler=$clang language= ;;
	esac
	$compiler $language -w -g "-O$1" -Xclang -disable-O0-optnone -fno-vectorize \
		-fno-slp-vectorize -emit-llvm -c "$2" -o "$tmp/$3.bc" &&
		$instrument "$tmp/$3.bc" -o "$tmp/$3.hooked.bc" &&
		$compiler -w "-O$1" -c "$tmp/$3.hooked.bc" -o "$tmp/$3.o" &&
		$compiler "$tmp/$3.o" "$tmp/hooks.o" "$tmp/print.o" -o "$tmp/$3" -lm
}

compare()
{
	for level in 0 1 2 3; do
		case $1 in
		*.cpp) $clangxx -std=c++17 -w "-O$level" "$1" -o "$tmp/native" ;;
		*) $clang -w "-O$level" "$1" -o "$tmp/native" -lm ;;
		esac
		$limit "$tmp/native" >"$tmp/native.out" 2>&1
		echo "exit $?" >>"$tmp/native.out"
		build $level "$1" hooked 2>"$tmp/err" || { echo "-O$level: it does not build"; return 1; }
		$limit "$tmp/hooked" >"$tmp/hooked.out" 2>&1
		echo "exit $?" >>"$tmp/hooked.out"
		if ! cmp -s "$tmp/native.out" "$tmp/hooked.out"; then
			diff "$tmp/native.out" "$tmp/hooked.out" | head -5
			echo "-O$level: other output"
			return 1
		fi
		if ! try_values "$1"; then
			echo "-O$level: dependences are wrong"
			return 1
		fi
	done
}

# try_values SOURCE: of what was just built, with other values in its reads (flip.c).
try_values()
{
	case $1 in
	*.cpp) $clangxx "$tmp/hooked.o" "$tmp/hooks.o" "$tmp/flip.o" -o "$tmp/flip" ;;
	*) $clang "$tmp/hooked.o" "$tmp/hooks.o" "$tmp/flip.o" -o "$tmp/flip" -lm ;;
	esac
	timeout 120 "$tmp/flip"
}

for program in tests/instrument/*.c tests/instrument/*.cpp; do
	run compare "$program"
	status_is 0 "$(basename "$program"): the same with hooks, and right dependences, at every level"
done

# hooks LEVEL: the hooks of the program on standard input, in $tmp/out.
hooks()
{
	cat >"$tmp/case.c"
	run build "$1" "$tmp/case.c" case
	[ $status -eq 0 ] || result 1 "it builds"
	NORN_PRINT=$tmp/hooks $limit "$tmp/case" >"$tmp/case.out"
	cp "$tmp/hooks" "$tmp/out"
}

hooks 0 <<'END'
int x = 3, y, z;
int main(void)
{
	y = x;
	z = (x + 1) * y;
	if (z > 5)
		x = 9;
	return 0;
}
END
out_is "in a straight line each value has its reads" <<'END'
1 read x @main:4
write y @main:4 reads=1 = %0
2 read x @main:5
3 read y @main:5
write z @main:5 reads=2,3 = (trunc32 (* (trunc32 (+ %0 1)) %1))
4 read z @main:6
branch @main:6 reads=4 = (> (sext32 %0) 5)
write x @main:7 reads= = 9
END

hooks 0 <<'END'
int c = 1, a = 2, b = 3, out;
int main(void)
{
	for (int i = 0; i < 2; i++) {
		int v;
		if (c)
			v = a;
		else
			v = b + 1;
		out = v;
		c = 0;
	}
	return 0;
}
END
out_is "where ways merge: the read of the way that was taken, or what is computed there" <<'END'
1 read c @main:6
branch @main:6 reads=1 = (!= %0 0)
2 read a @main:7
write out @main:10 reads=2 = %0
write c @main:11 reads= = 0
3 read c @main:6
branch @main:6 reads=3 = (!= %0 0)
4 read b @main:9
5 value @main:9 reads=4 = (trunc32 (+ %0 1))
write out @main:10 reads=5 = %0
write c @main:11 reads= = 0
END

hooks 0 <<'END'
struct node { struct node *next; int v; } c = {0, 3}, b = {&c, 2}, a = {&b, 1}, *head = &a;
int sum, last;
int main(void)
{
	int s = 0;
	for (struct node *n = head; n; n = n->next) {
		s += n->v;
		last = n->v;
	}
	sum = s;
	return 0;
}
END
out_is "round a loop: a pointer keeps its read, a sum is told each time" <<'END'
1 read head @main:6
branch @main:6 reads=1 = (!= %0 0)
2 read n->v @main:7 at=1
3 value @main:7 reads=!0,2 = (trunc32 (+ %0 %1))
4 read n->v @main:8 at=1
write last @main:8 reads=4 = %0
5 read n->next @main:6 at=1
branch @main:6 reads=5 = (!= %0 0)
6 read n->v @main:7 at=5
7 value @main:7 reads=3,6 = (trunc32 (+ %0 %1))
8 read n->v @main:8 at=5
write last @main:8 reads=8 = %0
9 read n->next @main:6 at=5
branch @main:6 reads=9 = (!= %0 0)
10 read n->v @main:7 at=9
11 value @main:7 reads=7,10 = (trunc32 (+ %0 %1))
12 read n->v @main:8 at=9
write last @main:8 reads=12 = %0
13 read n->next @main:6 at=9
branch @main:6 reads=13 = (!= %0 0)
write sum @main:10 reads=11 = %0
END

hooks 0 <<'END'
int g[4] = {3}, out;
void f(int *p, int n)
{
	int v = *p;
	if (v > 1) {
		g[0] = v - 1;
		f(p, 5);
	}
	out = v;
	g[1] = n;
}
int main(void)
{
	f(&g[0], 4);
	return 0;
}
END
out_is "each activation has its own reads; arguments that depend on nothing" <<'END'
1 read *p @f:4
branch @f:5 reads=1 = (> (sext32 %0) 1)
write g[] @f:6 reads=1 = (trunc32 (- %0 1))
2 read *p @f:4
branch @f:5 reads=2 = (> (sext32 %0) 1)
write g[] @f:6 reads=2 = (trunc32 (- %0 1))
3 read *p @f:4
branch @f:5 reads=3 = (> (sext32 %0) 1)
write out @f:9 reads=3 = %0
write g[] @f:10 reads= = %0
write out @f:9 reads=2 = %0
write g[] @f:10 reads= = %0
write out @f:9 reads=1 = %0
write g[] @f:10 reads= = %0
END

hooks 0 <<'END'
int x = 3, y = 4, n = 2, *p = &x, out;
__attribute__((noinline)) static int add(int a, int b) { return a + b; }
__attribute__((noinline)) static void put(int *to, int value) { *to = value; }
__attribute__((disable_sanitizer_instrumentation)) static int call(int (*f)(int, int)) { return f(1, 2); }
static int (*f)(int, int) = add;
int main(void)
{
	if (add(x, 1) > n)
		put(p, add(y, x));
	out = f(x, 2);
	out = call(add);
	return 0;
}
END
out_is "arguments and results have what they come from; not if code without hooks calls" <<'END'
1 read x @main:8
2 value @add:2 reads=1,!1 = (trunc32 (+ %0 %1))
3 read n @main:8
branch @main:8 reads=2,3 = (> (sext32 %0) (sext32 %1))
4 read p @main:9
5 read y @main:9
6 read x @main:9
7 value @add:2 reads=5,6 = (trunc32 (+ %0 %1))
write *to @put:3 reads=7 at=4 = %0
8 read f @main:10
9 read x @main:10
call @main:10 reads=8
10 value @add:2 reads=9,!2 = (trunc32 (+ %0 %1))
write out @main:10 reads=10 = %0
11 value @add:2 any
12 value @add:2 reads=11,11 = (trunc32 (+ %0 %1))
call add @add:2 reads=12
13 value @main:11 any
write out @main:11 reads=13 = %0
END

for level in 1 2; do
	hooks $level <<'END'
int x = 4, limit = 3, out;
int main(void)
{
	int v = x;
	out = v > limit ? limit : v;
	return 0;
}
END
	grep -v '^[0-9]' "$tmp/out" | sed 's/ = .*//' >"$tmp/rest"
	mv "$tmp/rest" "$tmp/out"
	out_is "a select is data flow, at -O$level" <<'END'
write out @main:5 reads=1,2
END
done

hooks 1 <<'END'
int x = 4, out;
int (*f)(int);
__attribute__((noinline)) static int g(int n) { return n + 1; }
__attribute__((noinline)) static int h(int n) { return n + x; }
int main(void)
{
	f = x > 2 ? g : h;
	switch (x) {
	case 1: out = 2; break;
	case 4: out = 7; __asm__ volatile(""); break;
	case 5: out = 9; __asm__ volatile("nop"); break;
	case 8: __asm__ volatile("nop; nop"); break;
	}
	return f(1) - 2;
}
END
out_has '^branch @main:8 reads=[0-9]+ = %0$' "a switch: its value"
out_has '^call @main:14 reads=[0-9]+$' "an indirect call: the pointer"

hooks 0 <<'END'
#include <stdatomic.h>
_Atomic int a = 5;
atomic_long l;
int x = 2, e = 4;
int main(void)
{
	atomic_fetch_add_explicit(&a, x, memory_order_relaxed);
	atomic_store_explicit(&l, 3, memory_order_release);
	int old = e;
	atomic_compare_exchange_strong(&a, &old, 1);
	x = atomic_load_explicit(&a, memory_order_acquire);
	return 0;
}
END
out_has '^2 rmw a @main:7 order=1 reads=1 = \(trunc32 \(\+ %s %0\)\)$' "an rmw: its order, its operand"
out_has '^store l @main:8 order=4 reads= = 3$' "a store with release"
out_has '^[0-9]+ swap a @main:10 order=6 .*ite \(= %s %0\) 1 %s\)$' "a compare and swap"
out_has '^branch a @main:10 reads=[0-9]+,[0-9]+ = \(= %0 %1\)$' "whether it succeeds is a branch"
out_has '^[0-9]+ load a @main:11 order=3$' "a load with acquire"

hooks 0 <<'END'
#include <string.h>
struct s { int a[4]; char c; } one = {{1}}, two;
int n = 3;
void keep(int *p) { *p = 1; }
int main(void)
{
	volatile int inside[3] = {5, 6, 7};
	int within[4] = {0}, outside = inside[1] - 6;
	struct s copy = one;
	two = copy;
	two = one;
	memset(two.a, 0, n);
	for (int i = 0; i < 4; i++)
		within[i] = copy.a[i];
	keep(&outside);
	return within[1] + outside - 1;
}
END
out_is "copies; a local into which nothing is put that was read has no hooks" <<'END'
stack copy @main:7
stack outside @main:7
stack within @main:7
fill within @main:8 reads=
write outside @main:8 reads=
copy-from one @main:9
copy-to copy @main:9 any
copy-from copy @main:10
copy-to two @main:10 any
copy-from one @main:11
copy-to two @main:11 any
1 read n @main:12
call two @main:12 reads=1
fill two @main:12 reads=
2 read copy.a[] @main:14
write within[] @main:14 reads=2 = %0
3 read copy.a[] @main:14
write within[] @main:14 reads=3 = %0
4 read copy.a[] @main:14
write within[] @main:14 reads=4 = %0
5 read copy.a[] @main:14
write within[] @main:14 reads=5 = %0
write *p @keep:4 reads= = 1
6 read within[] @main:16
7 read outside @main:16
8 value @main:16 reads=6,7 = (trunc32 (- (trunc32 (+ %0 %1)) 1))
stack-end within @main:16
stack-end outside @main:16
stack-end copy @main:16
END

hooks 0 <<'END'
#include <stdio.h>
#include <pthread.h>
pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}, *p = &m[1];
int x = 1;
int main(void)
{
	pthread_mutex_lock(p);
	x = 2;
	if (pthread_mutex_unlock(p))
		x = 3;
	printf("%d\n", x + 1);
	return 0;
}
END
out_is "a call of what has no hooks: a branch on what its arguments come from" <<'END'
1 read p @main:7
call pthread_mutex_lock @main:7 reads=1
write x @main:8 reads= = 2
2 read p @main:9
call pthread_mutex_unlock @main:9 reads=2
3 read x @main:11
END

# The table as the merge sees it, and what users see.
run $instrument --help
status_is 0 "--help: exit 0"
out_has '^usage: norn-instrument' "--help: how to call it"
run $instrument --stat "$tmp/case.bc" -o "$tmp/again.bc"
status_is 0 "--stat: exit 0"
err_has '^ +3  reads$' "--stat: what was hooked"
out_empty "--stat: nothing on standard output"
run $instrument "$tmp/case.bc"
status_is 2 "no -o: exit 2"
err_has 'give a module and -o' "no -o: it says so"
run $instrument "$tmp/none.bc" -o "$tmp/out.bc"
status_is 3 "no such file: exit 3"
err_has 'none.bc: No such file' "no such file: its name"
echo hello >"$tmp/bad.bc"
run $instrument "$tmp/bad.bc" -o "$tmp/out.bc"
status_is 3 "no module: exit 3"
err_has 'bad.bc: not a module of LLVM 14' "no module: it says so"
run $instrument "$tmp/case.bc" -o "$tmp/no/such/dir/out.bc"
status_is 3 "nowhere to write: exit 3"
finish
