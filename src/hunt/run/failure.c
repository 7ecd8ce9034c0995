/* SPDX-License-Identifier: MIT */
#include "hunt/run/failure.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *const failure_kind_text[FAILURE_KIND_COUNT] = {
#define TEXT_ROW(name, text) [name] = text,
	FAILURE_KINDS(TEXT_ROW)
#undef TEXT_ROW
};

#define MISUSE "norn: misuse: "

/* The line of a text that holds the word; false: none does. */
static bool find_line(const char *text, const char *word, char *line, size_t room)
{
	const char *at = text ? strstr(text, word) : NULL;

	if (!at)
		return false;
	while (at > text && at[-1] != '\n')
		at--;
	snprintf(line, room, "%.*s", (int)strcspn(at, "\n"), at);
	return true;
}

/* Process numbers and addresses are others each time. */
static void strip_numbers(char *line)
{
	char *to = line;

	for (const char *from = line; *from;) {
		if (!strncmp(from, "==", 2)) {
			size_t digits = strspn(from + 2, "0123456789");

			if (digits && !strncmp(from + 2 + digits, "==", 2)) {
				from += digits + 4;
				continue;
			}
		}
		if (!strncmp(from, "0x", 2)) {
			from += 2 + strspn(from + 2, "0123456789abcdefABCDEF");
			*to++ = '?';
			continue;
		}
		*to++ = *from++;
	}
	*to = '\0';
}

static const char *const reports[] = {"ERROR: AddressSanitizer", "WARNING: ThreadSanitizer",
				      "ERROR: LeakSanitizer", "WARNING: MemorySanitizer",
				      "runtime error:"};

static bool is_reported(const char *errors, char *line, size_t room)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++)
		if (find_line(errors, reports[i], line, room)) {
			strip_numbers(line);
			return true;
		}
	return false;
}

static void set(struct failure *f, enum failure_kind kind, const char *text)
{
	f->kind = kind;
	if (text)
		snprintf(f->text, sizeof(f->text), "%s", text);
}

void failure_find(struct failure *f, const struct attempt *a)
{
	char line[500];

	*f = (struct failure){0};
	if (a->end == ATTEMPT_STUCK) {
		set(f, FAILURE_STUCK, "all threads wait for ever");
		return;
	}
	if (a->end != ATTEMPT_ENDED)
		return;
	if (find_line(a->errors, MISUSE, line, sizeof(line))) { /* of the runtime */
		set(f, FAILURE_MISUSE, strstr(line, MISUSE) + strlen(MISUSE));
	} else if (is_reported(a->errors, line, sizeof(line))) {
		set(f, FAILURE_SANITIZER, line);
	} else if (a->signal == SIGABRT &&
		   (find_line(a->errors, "ssertion", line, sizeof(line)) ||
		    find_line(a->errors, "terminate called", line, sizeof(line)))) {
		set(f, FAILURE_ASSERTION, line);
	} else if (a->signal) {
		f->kind = FAILURE_SIGNAL;
		snprintf(f->text, sizeof(f->text), "killed by SIG%s",
			 sigabbrev_np(a->signal) ? sigabbrev_np(a->signal) : "?");
	} else if (a->status) {
		f->kind = FAILURE_STATUS;
		snprintf(f->text, sizeof(f->text), "exit status %d", a->status);
	}
}
