/* SPDX-License-Identifier: MIT */
/* Files of events: each line that is read makes sense, or the whole file is refused with a place.
 */
#include "events/events.h"
#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	"# a comment\nacquire(#0) after call lock\nrelease(#0) before call unlock\n",
	"acquire(#0) after call g_mutex_trylock if #return\nquiet call compress\n",
	"wait(#0, #1, unlock, lock) around call QWaitCondition::wait(QMutex*) if !#return\n",
	"happens-before(#1, look) before call push\nhappens-after(#return) after call pop\n",
	"happens-after(#0) before body on_*\nsem-init(#0, #1) after call s if #0 == -3\n",
	"wrapper call tbb::detail::r1::*\nbroadcast(#2) before call f\n",
	"open(#return, *#1, #0->m, w) after call f if #return != 0\nclose before body g\n",
	"x(#address, #size, #value) after read-global y.z if #value >= -7\nx2() around body f\n",
	"a(b, c) before line dir/file.c:120\na(c, b) around write-global *::v\n",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		fuzz_write_seed("lines", (int)i, "",
				(struct bytes){(char *)seeds[i], strlen(seeds[i])});
	exit(0);
}

static void check(const struct events_line *line)
{
	ASSERT(line->effect <= EVENTS_EFFECT_COUNT && line->when <= EVENTS_NOWHERE);
	ASSERT((line->effect == EVENTS_MARK) == (line->mark != NULL) && line->what <= EVENTS_LINE);
	ASSERT(line->effect == EVENTS_MARK || line->what <= EVENTS_BODY);
	ASSERT((line->what == EVENTS_LINE) == (line->source_line != 0));
	ASSERT(line->target && line->fields <= EVENTS_FIELDS && line->line && line->column);
	/* a target without patterns names what is called so */
	ASSERT(events_names(line->target, line->target, NULL));
	events_names(line->target, "_ZN1a1bEv", "a::b(void (*)(int)) const");
	events_names_file(line->target, "/dir/file.c");
	events_mark_key(line);
	for (unsigned i = 0; i < line->fields; i++) {
		ASSERT(line->field[i].argument <= 255 || line->field[i].argument >= EVENTS_WORD);
		ASSERT(line->effect == EVENTS_MARK || line->field[i].argument <= 255 ||
		       line->field[i].argument == EVENTS_RETURN);
		ASSERT((line->field[i].argument == EVENTS_WORD) == (line->field[i].word != NULL));
		ASSERT(line->field[i].stars <= EVENTS_STARS);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_open_memory(data, size, "file");
	struct events events = {0};
	struct err err = {0};
	int code = events_read(&events, in, false, &err);

	ASSERT(!code || err.message[0]);
	ASSERT(code != ERR_INPUT || strstr(err.message, "file:") == err.message);
	for (size_t i = 0; i < events.lines.n; i++)
		check(&events.lines.at[i]);
	input_close(in);
	events_release(&events);
	return 0;
}
