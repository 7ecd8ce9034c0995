#!/bin/sh
# SPDX-License-Identifier: MIT
# norn cc and norn c++ take clang's command line: what comes out is named as clang names it, has
# hooks and runs; build systems and ccache work with them.
. tests/cli/lib.sh
bin=$(dirname "$NORN")
cc=$bin/norn-cc
cxx=$bin/norn-c++
project=$PWD/tests/project
unset NORN_CLANG MAKEFLAGS MFLAGS MAKELEVEL CCACHE_DISABLE
export TMPDIR="$tmp/temporary files"
mkdir "$TMPDIR" "$tmp/built"
cd "$tmp/built" || exit 1

has_hooks()
{
	nm "$1" 2>/dev/null | grep -q __norn_register
	result $? "$2"
}

# no_files NAME: nothing temporary is left.
no_files()
{
	[ -z "$(ls -A "$TMPDIR")" ]
	result $? "$1"
}

# files_are NAME FILE…: exactly these are here.
files_are()
{
	name=$1
	shift
	printf '%s\n' "$@" | LC_ALL=C sort >"$tmp/want"
	LC_ALL=C ls -A >"$tmp/got"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff"
	result $? "$name"
	sed 's/^/# /' "$tmp/diff"
}

# Starts again in an empty directory with the sources.
afresh()
{
	rm -rf "$tmp/built"
	mkdir "$tmp/built"
	cd "$tmp/built" || exit 1
	cat >one.c <<'END'
#include <stdio.h>
#include "two.h"
int shared_count = 1;
int main(int argc, char **argv)
{
	shared_count += argc;
	printf("one %d %d\n", shared_count, two(argv[0]));
	return 0;
}
END
	echo 'int two(const char *);' >two.h
	printf '#include "two.h"\nint two(const char *p) { return *p != 0; }\n' >two.c
}

# Objects.
afresh
run "$cc" -c one.c
status_is 0 "-c"
err_empty "-c: silent"
has_hooks one.o "-c: hooks"
files_are "-c: one.o and nothing else" one.c one.o two.c two.h
run "$cc" -c one.c two.c
status_is 0 "-c with two sources"
files_are "-c with two sources: two objects" one.c one.o two.c two.h two.o
has_hooks two.o "-c with two sources: hooks in the second"
run "$cc" -c one.c two.c -o both.o
status_is 1 "-o for two objects is refused"
err_has 'cannot specify -o' "by clang, in its words"
run "$NORN" cc -O2 -c one.c -o "with space.o"
has_hooks "with space.o" "a space in the object's name"
cp one.c "a source.c"
run "$cc" "a source.c" two.c -o "a program"
status_is 0 "a space in the source's name"
run "./a program"
out_is "and it runs" <<'END'
one 2 1
END
mkdir sub
cp two.c sub/three.c
run "$cc" -I. -c sub/three.c
[ -f three.o ]
result $? "the object of sub/three.c is three.o, here"
run "$cc" -c one.c -o /dev/null
status_is 0 "-o /dev/null"
[ -c /dev/null ]
result $? "/dev/null is still what it was"
run sh -c 'echo "int x; void f(void) { x++; }" | "$0" -x c -c - -o stdin.o' "$cc"
has_hooks stdin.o "standard input"
cp two.c odd.txt
run "$cc" -xc -c odd.txt
has_hooks odd.o "-xc: a source by any name"
run "$cc" -x c -c odd.txt -x none two.c
has_hooks two.o "-x none"
for option in -O0 -O1 -O2 -O3 -Os "-g3" "-fPIC" "-ffunction-sections" "-std=c99" "-pipe" \
	"-march=native" "-fsanitize=address" "-include two.h" "-g0"; do
	rm -f one.o
	# shellcheck disable=SC2086 # words
	run "$cc" $option -Wall -Werror -c one.c
	has_hooks one.o "$option"
	err_empty "$option: silent"
done
run "$cc" -O1 -c one.c
run readelf -S one.o
out_has debug_info "debug information without -g"
run "$cc" -g0 -O1 -c one.c
run sh -c 'readelf -S one.o | grep debug_info'
out_empty "none with -g0"
cat >loops.c <<'END'
void add(int *a, const int *b, int n)
{
	for (int i = 0; i < n; i++)
		a[i] += b[i];
}
void pair(long *restrict a, const long *b)
{
	a[0] += b[0];
	a[1] += b[1];
}
END
while read -r options; do
	# shellcheck disable=SC2086 # words
	run "$cc" $options -save-temps -c loops.c
	run sh -c 'clang -S -emit-llvm -o - loops.bc | grep "load <"'
	case $options in
	*-fvectorize*) out_has 'load <4 x i32>' "$options: loops are vectorised" ;;
	*-fslp*) out_has 'load <2 x i64>' "$options: straight code is" ;;
	*) out_empty "$options: nothing is vectorised" ;;
	esac
done <<'END'
-O2
-O3
-fno-vectorize -O3
-fvectorize -O2
-O2 -fslp-vectorize
END
run "$cc" -gsplit-dwarf -c one.c
[ -f one.dwo ]
result $? "-gsplit-dwarf"
mkdir out
run "$cc" --coverage -c one.c -o out/one.o
[ -f out/one.gcno ]
result $? "--coverage: its notes are beside the object"
"$cc" --coverage -c two.c -o out/two.o
"$cc" --coverage out/one.o out/two.o -o covered
(cd / && "$tmp/built/covered" >/dev/null)
[ -f out/one.gcda ]
result $? "--coverage: so are its figures"
no_files "nothing temporary is left"

# Dependency files, as clang writes them.
while read -r options; do
	for compiler in clang "$cc"; do
		afresh
		# shellcheck disable=SC2086 # words
		$compiler $options >"$tmp/out" 2>"$tmp/err"
		status=$?
		ls | grep -v '\.[cho]$' >"$tmp/${compiler##*/}.deps"
		# norn.h is not included, so the lists are the same
		cat ./*.d odd 2>/dev/null >>"$tmp/${compiler##*/}.deps"
	done
	command_run="$cc $options"
	same_files "$tmp/clang.deps" "$tmp/norn-cc.deps" "dependencies: $options"
done <<'END'
-MMD -c one.c
-MD -c one.c
-MMD -c one.c -o other.o
-MMD -c one.c -o other
-MMD -MP -c one.c -o other.o
-MMD -MF odd -c one.c -o other.o
-MMD -MFodd -c one.c -o other.o
-MMD -MT target -c one.c
-MMD -MT target -MQ $other -MF odd -c one.c -o x.o
-Wp,-MD,odd -c one.c -o x.o
-Wp,-MMD,odd -c one.c
-MMD -c one.c two.c
-MMD one.c two.c
-MMD one.c two.c -o program.x
END

# Programs.
afresh
run "$cc" one.c two.c
status_is 0 "compile and link"
run ./a.out
out_is "a.out runs" <<'END'
one 2 1
END
files_are "no objects stay" a.out one.c two.c two.h
"$cc" -c one.c two.c
ar rcs libtwo.a two.o
rm two.o
run "$cc" -o linked one.o -L. -ltwo
status_is 0 "objects and a library"
run ./linked
status_is 0 "and it runs"
printf '.globl two\ntwo: mov $7, %%eax\nret\n.section .note.GNU-stack\n' >asm.s
printf '#ifdef __NORN__\n#include "asm.s"\n#endif\n' >asm2.S
for source in asm.s asm2.S; do
	run "$cc" one.c $source -o linked
	status_is 0 "with $source"
	run ./linked
	out_has '^one 2 7$' "and it runs"
	err_empty "with $source: silent"
	run "$cc" -c $source -o asm.o
	err_empty "-c $source: silent"
done
run "$cc" -c one.c asm.s
files_are "-c one.c asm.s" a.out asm.o asm.s asm2.S libtwo.a linked one.c one.o two.c two.h
printf '%s\n' '"one.c" two.c' "-o 'my program'" -Wall >words
run "$cc" @words
status_is 0 "response file"
run "./my program"
status_is 0 "and it runs"
echo @words >more
rm "my program"
run "$cc" @more
[ -x "my program" ]
result $? "response file in a response file"
echo @loop >loop
run "$cc" @loop
status_is 2 "a response file that names itself"
err_has 'names itself' "is an error"
perl -e 'print "-Dlong_", "x" x 100, "$_\n" for 1 .. 2500; print "one.c two.c -o long\n"' >words
run "$cc" @words
status_is 0 "a very long command line"
run ./long
status_is 0 "and it runs"
run "$cc" -fPIC -shared two.c -o libtwo.so -Wl,-z,defs
status_is 0 "a shared library without undefined symbols"
run nm -D libtwo.so
out_has 'U __norn_' "takes the hooks from the program"
rm libtwo.a
run "$cc" one.c -L. -ltwo -Wl,-rpath,. -o linked
run ./linked
out_has '^one 2 1$' "and is found by it"
run nm -D linked
out_has 'T __norn_register' "programs export the hooks"
printf '#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { void *h = dlopen("./libtwo.so", RTLD_NOW);
if (!h) puts(dlerror()); return h ? ((int (*)(const char *))dlsym(h, "two"))("x") : 9; }\n' >load.c
"$cc" load.c -o load
run ./load
status_is 1 "a library that is loaded later finds them too"
run "$cc" -static one.c two.c -o still
status_is 0 "-static"
run ./still
out_has '^one 2 1$' "and it runs"
run "$cc" -r two.c -o part.o
status_is 0 "-r"
run "$cc" -flto -O2 one.c two.c -o linked
status_is 0 "-flto"
err_has '^norn: -flto is ignored' "-flto is ignored, with a message"
run ./linked
status_is 0 "and it runs"
printf '#include <vector>\n#include <cstdio>\nint main() { std::vector<int> v(3); std::printf("%%zu\\n", v.size()); }\n' >list.cpp
run "$cxx" -std=c++17 -O2 list.cpp -o list
status_is 0 "C++"
run ./list
out_is "and it runs" <<'END'
3
END
run "$NORN" c++ -c two.c -o two.o
err_has deprecated "norn c++ takes .c for C++, as clang++ does"
afresh
run "$cc" -save-temps -c one.c
files_are "-save-temps" one.bc one.c one.norn.bc one.o two.c two.h
mkdir out
run "$cc" -save-temps=obj -c two.c -o out/2.o
cd out || exit 1
files_are "-save-temps=obj" 2.bc 2.norn.bc 2.o
cd .. || exit 1
no_files "nothing temporary is left after programs"

# What clang does alone.
afresh
while read -r options; do
	# shellcheck disable=SC2086 # words
	clang $options >"$tmp/want" 2>&1
	expected=$?
	# shellcheck disable=SC2086 # words
	run sh -c '"$@" 2>&1' sh "$cc" $options
	[ $status -eq $expected ]
	result $? "$options: clang's exit status"
	same_files "$tmp/want" "$tmp/out" "$options: what clang prints"
done <<'END'
--version
-dumpmachine
-dumpversion
-print-search-dirs
-print-prog-name=ld
-print-file-name=libc.so
-E two.c
-P -E one.c
-S two.c -o -
-M two.c
-MM one.c
-fsyntax-only one.c
-c two.c -emit-llvm -S -o -
-Wl,--version

-c
nosuch.c
-c nosuch.c
-help
END
run "$cc" -dM -E two.c
out_has '__NORN__ 1' "__NORN__ is defined"
printf '#include <norn.h>\nint x; int main(void) { NORN_BENIGN(&x, 4); return x; }\n' >mark.c
run "$cc" mark.c -o mark
status_is 0 "norn.h is found, and what it declares"
run ./mark
status_is 0 "and it runs"
run clang -I"$bin/include" mark.c -o mark
status_is 0 "norn.h does nothing under another compiler"
run "$cc" -'###' -c one.c
err_has '"-cc1"' "-###"
run "$cc" --help
out_has '^usage: norn cc' "--help is ours"

# Errors.
run "$cc" -fsanitize=thread one.c two.c
status_is 2 "-fsanitize=thread is refused"
err_has "Norn and ThreadSanitizer cannot be combined" "and said why"
run "$cc" -m32 -c one.c
status_is 2 "-m32 is refused"
err_has 'x86-64' "and said why"
run "$cc" --target=aarch64-linux-gnu -c one.c
status_is 2 "another target is refused"
echo 'int broken(' >broken.c
run "$cc" -c broken.c one.c
status_is 1 "an error of clang"
err_has '^broken.c:1:' "is shown as it is"
[ -f one.o ] && [ ! -e broken.o ]
result $? "the other source is compiled"
rm -f a.out
run "$cc" broken.c one.c
status_is 1 "an error of clang, and nothing is linked"
[ ! -e a.out ]
result $? "no program"
run "$cc" one.c
status_is 1 "an error of the linker"
err_has 'undefined' "is shown"
run env NORN_CLANG=no-such-clang "$cc" -c one.c
status_is 3 "no clang"
err_has 'no-such-clang.*NORN_CLANG' "says what to do"
cat >newer <<'END'
#!/bin/sh
# A clang of the future: what it writes is not for LLVM 14.
while [ $# -gt 0 ]; do
	[ "$1" = -o ] && printf 'BC\300\336 clang version 99.1.0' >"$2"
	shift
done
END
chmod +x newer
run env NORN_CLANG=./newer "$cc" -c one.c
status_is 3 "a clang of another LLVM"
err_has 'LLVM 99.*NORN_CLANG=clang-14' "says what to do"
mkdir alone
cp "$NORN" alone/norn
run alone/norn cc -c one.c
status_is 3 "norn without its parts"
err_has 'make install' "says what to do"
run env TMPDIR=/nonexistent "$cc" -c one.c
status_is 3 "no place for temporary files"
err_has TMPDIR "says what to do"
no_files "nothing temporary is left after errors"
cat >slow <<'END'
#!/bin/sh
echo started >slow.log
sleep 30 &
trap 'kill $!; exit 1' TERM
wait
END
chmod +x slow
NORN_CLANG=./slow "$cc" -c one.c &
compiler=$!
while [ ! -s slow.log ]; do sleep 0.05; done
kill -TERM $compiler
wait $compiler 2>/dev/null
status=$?
command_run="kill norn-cc"
status_is 143 "ended by a signal"
no_files "nothing temporary is left after a signal"

# Build systems.
out_of_project='hello 300 hello again 3'
cp -r "$project" made
run make -j4 -C made CC="$cc" CXX="$cxx"
status_is 0 "make"
run ./made/program
out_has "^$out_of_project\$" "make: the program runs"
has_hooks made/main.o "make: hooks"
run make -C made CC="$cc" CXX="$cxx"
out_has 'up to date' "make: nothing to do the second time"
touch made/counter.h
run make -C made -n CC="$cc" CXX="$cxx"
out_has 'words.cpp' "make: dependencies are followed"
run env CC="$cc" CXX="$cxx" cmake -S "$project" -B cmade
status_is 0 "cmake"
run cmake --build cmade
status_is 0 "cmake --build"
run ./cmade/program
out_has "^$out_of_project\$" "cmake: the program runs"
run env CC="$cc" CXX="$cxx" meson setup mesoned "$project"
status_is 0 "meson setup"
run meson compile -C mesoned
status_is 0 "meson compile"
run ./mesoned/program
out_has "^$out_of_project\$" "meson: the program runs"
has_hooks mesoned/program "meson: hooks"
CC=clang "$project/configure" >"$tmp/want" 2>&1
run sh -c 'CC="$1" "$0/configure" 2>&1' "$project" "$cc"
same_files "$tmp/want" "$tmp/out" "configure finds what it finds with clang"
no_files "nothing temporary is left after builds"

# ccache.
export CCACHE_DIR="$tmp/ccache"
afresh
hits()
{
	ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n }'
}
run ccache "$cc" -O1 -MMD -c one.c -o one.o
status_is 0 "ccache norn-cc"
cp one.o first.o
cp one.d first.d
rm one.o one.d
run ccache "$cc" -O1 -MMD -c one.c -o one.o
[ "$(hits)" -eq 1 ]
result $? "ccache: found again"
same_files first.o one.o "ccache: the object"
same_files first.d one.d "ccache: the dependencies"
has_hooks one.o "ccache: hooks"
echo 'int three(void);' >>two.h
run ccache "$cc" -O1 -MMD -c one.c -o one.o
ccache --print-stats | grep -q '^cache_miss.2$'
result $? "ccache: another header is another object"
run ccache clang -O1 -g -MMD -c one.c -o clang.o
has_hooks one.o "ccache: what clang makes is not taken for ours"
cd "$tmp" || exit 1
# Static programs: the linker turns calls to the runtime's.
cat >static.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *name)
{
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	return strdup(name);
}
int main(void)
{
	pthread_t t;
	void *name;
	pthread_create(&t, NULL, work, "worker");
	pthread_join(t, &name);
	printf("%s %d\n", (char *)name, count);
	free(name);
	return 0;
}
END
run "$cc" -static -pthread static.c -o static
status_is 0 "a static program is linked"
err_empty "without warnings"
run ./static
out_is "and runs" <<END
worker 1
END
nm static | grep -q ' T __wrap_pthread_mutex_lock$'
result $? "with the runtime in it"
cat >static.cpp <<'END'
#include <cstdio>
#include <thread>
struct thing { int v; thing() : v(42) {} };
static int get() { static thing t; return t.v; }
int main()
{
	std::thread t([] { std::printf("%d\n", get()); });
	t.join();
	std::printf("%d\n", get());
}
END
run "$cxx" -static -pthread static.cpp -o static++
status_is 0 "a static program in C++ is linked"
run ./static++
out_is "and runs" <<END
42
42
END

finish
