/* SPDX-License-Identifier: MIT */
/*
 * Found before the one of libstdc++, for programs with hooks. Up to C++17 that library has the code
 * of std::string, where there are no hooks; with this it is in the program, as it is from C++20 on.
 * (-1 is a value that libstdc++ knows and uses itself, with _GLIBCXX_ASSERTIONS.)
 */
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
