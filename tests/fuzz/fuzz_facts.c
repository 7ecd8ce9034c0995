/* SPDX-License-Identifier: MIT */
/* Facts of a trace, KEY TEXT a line: what replay would run, and what the recorded run did wrong.
 */
#include "predict/seen.h"
#include "record/recorded.h"
#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	"argument ./a%20b\nargument %00\ndirectory /\ninput /dev/null\nstatus signal 11\n",
	"argument a%4\nargument a%\nenvironment LD_PRELOAD=x\nenvironment PATH=y\nstatus 3\n",
	"argument a\nmodule 0123 /bin/true\nmodule - /x\ninputs stdin 0 KLUv/SAAAQAA\n",
	"seen deadlock ; T1 acquire a @f.c:1 ; T2 acquire b @f.c:2:3:g ; T1 holds b\n",
	"seen use-after-free ; T1 read x ; T2 free x @f.c:9\nseen crash ; main signal 11\n",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		fuzz_write_seed("facts", (int)i, "",
				(struct bytes){(char *)seeds[i], strlen(seeds[i])});
	exit(0);
}

static void add_fact(struct symbols *symbols, const char *line, size_t length)
{
	const char *space = memchr(line, ' ', length);
	size_t key = space ? (size_t)(space - line) : length;

	symbols_add_meta(symbols, line, key, line + key + !!space, length - key - !!space);
}

static void add_facts(struct symbols *symbols, const char *data, size_t size)
{
	while (size) {
		const char *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;

		add_fact(symbols, data, length);
		data += length + !!end;
		size -= length + !!end;
	}
}

static void check_command(const struct symbols *symbols)
{
	struct recorded recorded;
	struct err err;

	if (recorded_read(&recorded, symbols, "trace", &err) == 0) {
		ASSERT(recorded.argv.n >= 2 && !recorded.argv.at[recorded.argv.n - 1]);
		for (size_t i = 0; i + 1 < recorded.argv.n; i++)
			ASSERT(strlen(recorded.argv.at[i]) < SIZE_MAX / 2);
		for (size_t i = 0; i < recorded.environment.n; i++)
			ASSERT(strchr(recorded.environment.at[i], '='));
	}
	recorded_release(&recorded);
}

static void check_seen(const struct symbols *symbols)
{
	struct seen_list list = {0};
	struct err err;

	if (seen_read(&list, symbols, "trace", &err) == 0)
		for (size_t i = 0; i < list.at.n; i++)
			ASSERT(list.at.at[i].kind < SEEN_KIND_COUNT && list.at.at[i].steps.n);
	seen_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbols symbols;

	symbols_init(&symbols);
	add_facts(&symbols, (const char *)data, size);
	check_command(&symbols);
	check_seen(&symbols);
	symbols_release(&symbols);
	return 0;
}
