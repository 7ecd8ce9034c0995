#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/suite.md: every command of the page, on examples/suite with the installed package, and what it prints; and norn test.
. tests/cli/lib.sh
. tests/cli/page.sh

install_norn
# of the make and the test that run this one
unset MAKEFLAGS MFLAGS MAKELEVEL NORN_TESTS
cp -r examples/suite "$tmp/suite"

page_commands doc/suite.md
# the blocks that are no commands of the page come behind a command, too
sed -i '/^find_package/,$d; /^norn:$/,$d; /^name: norn$/,$d' "$tmp"/page/*.want
[ "$(ls "$tmp"/page/*.want | wc -l)" -ge 18 ]
result $? "the page has commands"
cd "$tmp/suite" || exit 1
for command in "$tmp"/page/[0-9][0-9]; do
	case $(cat "$command") in
	'norn report --baseline'*) want=0 ;;
	'norn report'* | 'norn run'*) want=66 ;;
	*) want=0 ;;
	esac
	page_command "$command" $want
done
while read -r directory traces; do
	[ "$(find $directory -name '*.norn' -size +0 | wc -l)" -eq $traces ]
	result $? "$directory: a trace for each test"
done <<'END'
build/norn 100
unchanged/norn 25
mesoned/norn 100
END
[ -s build/norn/bank_5.norn ] && [ -s unchanged/norn/bank_5.norn ] && [ -s mesoned/norn/bank_5.norn ]
result $? "a trace has the name of the test"
[ "$(find made -name '*.norn' | wc -l)" -eq 4 ]
result $? "automake: a trace for each test"
grep -q 'Norn:' build/norn.html
result $? "the page for the browser is there"
run norn report mesoned/norn
out_has '^Norn: 100 reports, 1 finding' "Meson: the race that is left"
run norn report unchanged/norn
out_has '^Norn: 25 reports, 0 findings' "unchanged: the race that was mended"
cd "$OLDPWD" || exit 1

# the package: what it defines; tests that are recorded without a word of the project's own
mkdir "$tmp/other"
cat >"$tmp/other/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.19)
project(other C)
find_package(Norn 0.1 REQUIRED)
find_package(Threads REQUIRED)
enable_testing()
norn_record_tests()
add_executable(program program.c)
target_link_libraries(program Threads::Threads Norn::Norn)
add_test(NAME by-launcher COMMAND program one)
norn_add_test(NAME "a/name of two" COMMAND program "two words" WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
norn_add_test(NAME script COMMAND sh -c "exit 0")
norn_add_test(NAME fails COMMAND program)
set_tests_properties(fails PROPERTIES WILL_FAIL TRUE)
file(WRITE "${CMAKE_BINARY_DIR}/names" "${Norn_EXECUTABLE}\n${Norn_C_COMPILER}\n${Norn_CXX_COMPILER}\n")
END
printf '#include <norn.h>\nint main(int argc, char **argv) { (void)argv; NORN_MARK("here"); return argc == 2 ? 0 : 7; }\n' \
	>"$tmp/other/program.c"
run env CC=norn-cc cmake -S "$tmp/other" -B "$tmp/other/build"
status_is 0 "package: found, by its version"
run cmake --build "$tmp/other/build"
status_is 0 "package: norn.h is found"
while read -r name; do
	[ -x "$name" ] || echo "$name"
done <"$tmp/other/build/names" >"$tmp/out"
out_empty "package: its commands are there"
run env NORN_TESTS="$tmp/traces/new" ctest --test-dir "$tmp/other/build"
status_is 0 "package: the tests pass"
(cd "$tmp/traces/new" && ls) >"$tmp/out"
out_is "package: the traces" <<'END'
a_name_of_two.norn
fails.norn
program_one.norn
END
run ctest --test-dir "$tmp/other/build"
status_is 0 "package: the tests pass without recording"
sed 's/Norn 0.1/Norn 99.0/' "$tmp/other/CMakeLists.txt" >"$tmp/newer"
cp "$tmp/newer" "$tmp/other/CMakeLists.txt"
run env CC=norn-cc cmake -S "$tmp/other" -B "$tmp/other/newer"
[ $status -ne 0 ]
result $? "package: a version that is newer is refused"
run pkg-config --variable=test norn
out_is "pkg-config: what stands before a test" <<END
$tmp/usr/bin/norn test
END

# norn test: its exit status is that of the test, and no test is lost without a word
program=$tmp/other/build/program
run norn test "$program"
status_is 7 "norn test: the status of the test"
run norn test --directory "$tmp/t" "$program" a/b 'c d' e
status_is 7 "norn test: the status of a test that is recorded"
[ -s "$tmp/t/program_a_b_c_d_e.norn" ]
result $? "norn test: the name is the command"
norn test --directory "$tmp/t" "$program" a/b 'c d' e
[ "$(ls "$tmp/t" | wc -l)" -eq 2 ]
result $? "norn test: the same command again is another test"
run norn test --directory "$tmp/t" --name ../x "$program" a
norn test --directory "$tmp/t" --name ../x "$program" a
[ -s "$tmp/t/_._x.norn" ] && [ "$(ls "$tmp/t" | wc -l)" -eq 3 ]
result $? "norn test: a name is one test, and no path"
run env NORN_TESTS=relative norn test "$program" a
status_is 2 "norn test: NORN_TESTS has to be absolute"
err_has 'NORN_TESTS=relative does not start with a /' "norn test: and it says so"
run norn test --directory "$tmp/t" /nowhere/program
status_is 127 "norn test: no such program"
run norn test --directory "$tmp/t/_._x.norn" "$program" a
status_is 3 "norn test: no directory"
printf '#!/bin/sh\nexit 5\n' >"$tmp/script"
printf '#!/bin/sh\n"%s" one\n' "$program" >"$tmp/runs"
chmod 755 "$tmp/script" "$tmp/runs"
run norn test --directory "$tmp/t" "$tmp/script"
status_is 5 "norn test: a script without a program that can be recorded"
err_empty "norn test: nothing is said of it"
[ ! -e "$tmp/t/script.norn" ]
result $? "norn test: and no trace is there"
run norn test --directory "$tmp/t" "$tmp/runs"
[ $status -eq 0 ] && [ -s "$tmp/t/runs.norn" ]
result $? "norn test: a script is recorded with the program that it runs"
# a trace that could not be written is missed
: >"$tmp/t/lost.norn"
run norn report "$tmp/t"
status_is 3 "a test whose trace was lost is no all-clear"
err_has 'lost.norn: the file is empty' "a test whose trace was lost is said"
finish
