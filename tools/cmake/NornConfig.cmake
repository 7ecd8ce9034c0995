# SPDX-License-Identifier: MIT
# find_package(Norn) gives
#	Norn_EXECUTABLE, Norn_C_COMPILER, Norn_CXX_COMPILER	the commands
#	Norn::Norn	norn.h, for programs that mark what is atomic, or orders that Norn cannot see
#	norn_add_test	as add_test; the test is recorded where the variable NORN_TESTS of the
#			environment of ctest names a directory, and runs as ever where it does not
#	norn_record_tests	the same for every test behind it whose command is a target
# The compiler is chosen as always, before the first configuration: CC=norn-cc CXX=norn-c++ cmake ...
get_filename_component(_norn_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Norn_EXECUTABLE "${_norn_prefix}/bin/norn")
set(Norn_C_COMPILER "${_norn_prefix}/bin/norn-cc")
set(Norn_CXX_COMPILER "${_norn_prefix}/bin/norn-c++")
if(NOT TARGET Norn::Norn)
	add_library(Norn::Norn INTERFACE IMPORTED)
	set_target_properties(Norn::Norn PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_norn_prefix}/include")
endif()
unset(_norn_prefix)

# norn_add_test(NAME <name> COMMAND <program or target> [<argument>...] [what else add_test takes])
function(norn_add_test)
	cmake_parse_arguments(PARSE_ARGV 0 norn "" "NAME" "COMMAND")
	if(NOT norn_NAME OR NOT norn_COMMAND)
		message(FATAL_ERROR "norn_add_test: NAME and COMMAND are needed")
	endif()
	list(GET norn_COMMAND 0 program)
	list(REMOVE_AT norn_COMMAND 0)
	if(TARGET ${program})
		set(program "$<TARGET_FILE:${program}>")
	endif()
	add_test(NAME "${norn_NAME}"
		COMMAND "${Norn_EXECUTABLE}" test --name "${norn_NAME}" -- "${program}" ${norn_COMMAND}
		${norn_UNPARSED_ARGUMENTS})
endfunction()

# A macro: the variable has to be set where the tests are. Before 3.29, CMake starts tests by what is meant for
# another machine's programs; the same variable then starts programs of the build, which are not recorded,
# unless NORN_TESTS is set there, too.
macro(norn_record_tests)
	if(CMAKE_VERSION VERSION_LESS 3.29)
		set(CMAKE_CROSSCOMPILING_EMULATOR "${Norn_EXECUTABLE};test")
	else()
		set(CMAKE_TEST_LAUNCHER "${Norn_EXECUTABLE};test")
	endif()
endmacro()
