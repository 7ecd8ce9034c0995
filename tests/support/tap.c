/* SPDX-License-Identifier: MIT */
#define TAP_WITHOUT_MAIN
#include "tests/support/tap.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASE_SECONDS 600 /* a case that hangs has failed */
#define AT_SIZE 4096

static struct tap_case *first_case;
static struct tap_case **last_link = &first_case;
static char *at_text; /* shared with the case's process, so that it survives a crash */

void tap_register(struct tap_case *c)
{
	*last_link = c;
	last_link = &c->next;
}

void tap_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void tap_at(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(at_text, AT_SIZE, format, args);
	va_end(args);
}

void tap_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	fflush(NULL);
	_exit(1); /* not exit: what the case leaves unfreed here is no leak */
}

void tap_eq(const char *file, int line, const char *text, intmax_t got, intmax_t want)
{
	if (got != want)
		tap_fail(file, line, "%s is %jd, want %jd", text, got, want);
}

static const char *or_null(const char *s)
{
	return s ? s : "(NULL)";
}

void tap_str_eq(const char *file, int line, const char *text, const char *got, const char *want)
{
	if (!got || !want ? got != want : strcmp(got, want) != 0)
		tap_fail(file, line, "%s is\n%s\nwant\n%s", text, or_null(got), or_null(want));
}

void tap_prefix(const char *file, int line, const char *text, const char *got, const char *want)
{
	if (!got || strncmp(got, want, strlen(want)) != 0)
		tap_fail(file, line, "%s is\n%s\nwant at its start\n%s", text, or_null(got), want);
}

void tap_contains(const char *file, int line, const char *text, const char *got, const char *want)
{
	if (!got || !strstr(got, want))
		tap_fail(file, line, "%s is\n%s\nwant in it\n%s", text, or_null(got), want);
}

/* Copies what the case prints, each line behind a `#`. */
static void show_output(int fd)
{
	FILE *from = fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;

	while (from && getline(&line, &size, from) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		printf("# %s\n", line);
		fflush(stdout);
	}
	free(line);
	if (from)
		fclose(from);
}

static bool run_case(const struct tap_case *c)
{
	int fds[2], status;
	pid_t pid;

	at_text[0] = '\0';
	fflush(NULL);
	if (pipe(fds) < 0 || (pid = fork()) < 0) {
		printf("Bail out! no process for %s\n", c->name);
		exit(1);
	}
	if (pid == 0) {
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		alarm(getenv("SOAK") ? 0 : CASE_SECONDS);
		c->run();
		exit(0); /* runs the leak checker, if there is one */
	}
	close(fds[1]);
	show_output(fds[0]);
	waitpid(pid, &status, 0);
	if (status == 0)
		return true;
	for (char *line = strtok(at_text, "\n"); line; line = strtok(NULL, "\n"))
		printf("# at %s\n", line);
	if (WIFSIGNALED(status))
		printf("# ended by signal %d, %s\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		printf("# exit status %d\n", WEXITSTATUS(status));
	return false;
}

static bool is_wanted(const struct tap_case *c, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], c->name) == 0)
			return true;
	return false;
}

int tap_main(int argc, char **argv)
{
	int number = 0, failed = 0;

	/* cases open readers by the thousand: do not map their buffers anew each time */
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 128 << 20);
	at_text = mmap(NULL, AT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at_text == MAP_FAILED) {
		puts("Bail out! no memory");
		return 1;
	}
	for (const struct tap_case *c = first_case; c; c = c->next) {
		if (!is_wanted(c, argc, argv))
			continue;
		bool ok = run_case(c);

		printf("%sok %d - %s\n", ok ? "" : "not ", ++number, c->name);
		failed += !ok;
	}
	printf("1..%d\n", number);
	return failed || !number;
}
