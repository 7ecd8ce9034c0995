/* SPDX-License-Identifier: MIT */
/* Lists of what gets no hooks: each line that is read has a pattern, or the list is refused with a
 * place. */
#include "events/ignore.h"
#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	"# a comment\nfun:plain\nsrc:*/deep/other.c\n",
	"[address|thread]\nfun:inner::*\n[*]\nglobal:x\nfun:f=init\n",
	"\n  fun:a*b*  \nmainfile:x.c\ntype:T\n[norn]\nsrc:y\n",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		fuzz_write_seed("lists", (int)i, "",
				(struct bytes){(char *)seeds[i], strlen(seeds[i])});
	exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_open_memory(data, size, "file");
	struct ignore ignore = {0};
	struct err err = {0};
	int code = ignore_read(&ignore, in, &err);

	ASSERT(!code || err.message[0]);
	ASSERT(code != ERR_INPUT || strstr(err.message, "file:") == err.message);
	for (size_t i = 0; i < ignore.lines.n; i++)
		ASSERT(ignore.lines.at[i].pattern[0]);
	ignore_has(&ignore, "_ZN1a1bEv", "a::b(void (*)(int)) const", "/dir/file.c");
	input_close(in);
	ignore_release(&ignore);
	return 0;
}
