/* SPDX-License-Identifier: MIT */
/*
 * A finding out of a report as JSON: what is read has a schedule, or the report is refused. And
 * reports from strangers, merged, in every format.
 */
#include "report/merged.h"
#include "report/read.h"
#include "report/report.h"
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
	("{\"format\":\"norn-report\",\"version\":3,\"trace\":\"a\",\"complete\":true,"
	 "\"candidates\":{\"held\":1},\"seen\":[{\"kind\":\"crash\",\"title\":\"crash\","
	 "\"fingerprint\":\"0123456789abcdef\",\"steps\":[{\"thread\":\"T1\",\"op\":\"SIGSEGV\","
	 "\"text\":\"</script>\",\"location\":{\"file\":\"a.c\",\"line\":3}}]}],"
	 "\"findings\":[{\"bug\":\"race\",\"title\":\"data race\",\"variable\":\"heap:a.c:1~2+8\","
	 "\"fingerprint\":\"0123456789abcdee\",\"verdict\":\"confirmed\",\"events\":[{\"event\":2,"
	 "\"thread\":\"T1\",\"op\":\"read\",\"variables\":[{\"name\":\"<x>\"}],\"holds\":[]}],"
	 "\"witness\":{\"last\":[{\"event\":1,\"file\":\"a.c\",\"line\":1}]}}]}"),
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

/* As the text of a page may have it: only what we wrote ourselves begins an element. */
static void check_page(const char *page)
{
	const char *data = strstr(page, "id=\"data\">") + strlen("id=\"data\">");
	const char *tag = strchr(data, '<');

	ASSERT(!strncmp(tag, "</script>\n<script>", strlen("</script>\n<script>")));
}

static void merge(const uint8_t *data, size_t size)
{
	static const struct report_options options = {.trace = "t", .version = "0", .root = "/x"};
	char *text = memcpy(mem_alloc(size + 1), data, size);
	struct merged m = {0};
	struct err err = {0};

	text[size] = '\0';
	if (merged_add(&m, "a", text, size, &err) < 0)
		ASSERT(err.code < 0 && *err.message);
	else if (merged_add(&m, NULL, text, size, &err) < 0 ||
		 merged_compare(&m, text, size, &err) < 0)
		ASSERT(!"what was read once is read again");
	merged_end(&m);
	for (size_t i = 0; m.sources.n && i < report_kind_count && report_kinds[i]->render; i++) {
		struct output *out = output_memory();
		size_t length;

		report_kinds[i]->render(&m, &options, out);
		char *got = output_take(out, &length);

		ASSERT(strlen(got) == length);
		if (report_kinds[i] == &report_html)
			check_page(got);
		mem_free(got);
	}
	merged_release(&m);
	mem_free(text);
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
	merge(data, size);
	return 0;
}
