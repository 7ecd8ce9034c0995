/* SPDX-License-Identifier: MIT */
/*
 * The binary format. In this build checksums are not looked at, so that mutations get behind
 * them.
 */
#include "tests/support/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (fuzz_seeds_wanted()) {
		fuzz_write_traces("binary");
		exit(0);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_trace(data, size, "binary");
	return 0;
}
