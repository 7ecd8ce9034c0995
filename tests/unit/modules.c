/* SPDX-License-Identifier: MIT */
/* Modules that are kept from one recording of a program to the next, as long as its file is the
 * same. */
#include "record/log/modules.h"
#include "tests/support/tap.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int program; /* with data symbols */
int *modules_test_symbol = &program;

static void copy_ourselves(const char *to)
{
	int from = open("/proc/self/exe", O_RDONLY),
	    fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char bytes[65536];
	ssize_t got;

	while ((got = read(from, bytes, sizeof(bytes))) > 0)
		ASSERT_EQ(write(fd, bytes, (size_t)got), got);
	close(from);
	close(fd);
}

TAP_CASE(kept_while_the_file_is_the_same)
{
	char path[] = "/tmp/norn-modules.XXXXXX", text[PATH_MAX], other[PATH_MAX];
	size_t n;

	close(mkstemp(path));
	copy_ourselves(path);
	snprintf(text, sizeof(text), "10000 %s\n", path);
	snprintf(other, sizeof(other), "20000 %s\n", path);
	struct modules *m = modules_new(text);
	const struct data_symbol *first = modules_symbols(m, &n);
	uint64_t address = first[0].address;

	ASSERT_TRUE(n > 0);
	modules_keep(m);
	ASSERT_TRUE(modules_new(text) == m);
	ASSERT_TRUE(modules_symbols(m, &n) == first);

	/* elsewhere in memory */
	modules_keep(m);
	m = modules_new(other);
	first = modules_symbols(m, &n);
	ASSERT_EQ(first[0].address, address + 0x10000);

	/* another file */
	modules_keep(m);
	FILE *file = fopen(path, "w");

	fputs("no program", file);
	fclose(file);
	m = modules_new(other);
	modules_symbols(m, &n);
	ASSERT_EQ(n, 0);
	modules_free(m);
	unlink(path);
}
