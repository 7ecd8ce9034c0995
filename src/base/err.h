/* SPDX-License-Identifier: MIT */
/*
 * Errors. Library functions return 0 (or a positive result) on success and one
 * of these negative codes on failure, with a message for the user in `struct
 * err`: what is wrong, where in the input, and if it helps what to do. Only the
 * commands print it and exit.
 *
 * BUG and ASSERT stay on in every build: a wrong answer is worse than a stop.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* clang-format off */
#define ERR_CODES(row) \
	row(ERR_INPUT, -1, 3)   /* the input is not what it should be */ \
	row(ERR_SYSTEM, -2, 3)  /* a file cannot be opened, read or written */ \
	row(ERR_LIMIT, -3, 4)   /* a budget of states, memory or time is used up */ \
	row(ERR_USAGE, -4, 2)   /* the caller asked for what does not exist */ \
	row(ERR_INTERNAL, -5, 70) /* Norn disagrees with itself */
/* clang-format on */

enum err_code {
	ERR_OK = 0,
#define ERR_ROW(name, number, exit_code) name = number,
	ERR_CODES(ERR_ROW)
#undef ERR_ROW
};

struct err {
	int code;
	char message[600];
};

/* Fills err and returns code, so that a caller can write `return err_set(…)`. */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The exit status of a command that ends with this code. */
int err_exit_status(int code);

#define EXIT_INTERNAL 70

void bug_stop(const char *file, int line, const char *what) __attribute__((noreturn));
#define BUG(what) bug_stop(__FILE__, __LINE__, what)
#define ASSERT(condition) ((condition) ? (void)0 : bug_stop(__FILE__, __LINE__, #condition))

#endif
