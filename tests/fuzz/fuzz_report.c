/* SPDX-License-Identifier: MIT */
/* A finding out of a report as JSON: what is read has a schedule, or the report is refused. */
#include "report/read.h"
#include "tests/support/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	("{\"format\":\"norn-report\",\"version\":3,\"trace\":\"a.norn\",\"trace_digest\":\"00\","
	 "\"findings\":[{\"bug\":\"race\",\"evidence\":\"b.norn\",\"evidence_digest\":\"11\","
	 "\"witness\":{\"model\":\"values\",\"events\":7,\"bug_events\":[2,8],\"recorded\":2,"
	 "\"run\":[3,[4,6],7],\"rest\":[[9,11]]}}]}"),
	("{\"format\":\"norn-report\",\"version\":3,\"trace\":\"a\",\"findings\":[{\"bug\":"
	 "\"property\","
	 "\"witness\":{\"model\":\"said\",\"script\":\"a.csp\",\"assertion\":2,\"events\":0}}]}"),
	("{\"format\":\"norn-report\",\"version\":3,\"trace\":\"a\",\"findings\":[{\"bug\":"
	 "\"race\","
	 "\"witness\":{\"bug_events\":[1,2],\"run\":[[3]],\"rest\":[[4,5]],\"events\":1}}]}"),
	"{\"format\":\"norn-report\",\"version\":2,\"findings\":[]}",
	"[1,2.5e3,\"\\u00e9\\ud83d\\ude00\",null,true,{\"a\":{}}]",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		fuzz_write_seed("report", (int)i, "",
				(struct bytes){(char *)seeds[i], strlen(seeds[i])});
	exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("report", MFD_CLOEXEC);
	struct reported reported;
	struct err err = {0};
	char path[32];

	ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	report_is_json(path);
	if (reported_read(&reported, path, 1, &err) == 0)
		ASSERT(reported.trace && reported.witness.bug < BUG_COUNT);
	else
		ASSERT(err.code < 0 && *err.message);
	reported_release(&reported);
	close(fd);
	return 0;
}
