/* SPDX-License-Identifier: MIT */
/* Packets, and what they declare. The numbers of fields are those of Perfetto's schema. */
#include "report/perfetto.h"

#include <stdio.h>
#include <string.h>

#define TICK 1000 /* ns that an event takes */

enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5 };
enum { TRACK_ORDERING = 11, TRACK_RANK = 12, ORDERING_EXPLICIT = 3 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum {
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_PLACE = 34,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_PLACE = 4 };
enum { ENTRY_NUMBER = 1, ENTRY_TEXT = 2 };
enum { PLACE_FUNCTION = 3, PLACE_LINE = 4 };
enum { ANNOTATION_INT = 4, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };

static const char *const categories[] = {
#define CATEGORY_ROW(name, text) [name] = text,
	PERFETTO_CATEGORIES(CATEGORY_ROW)
#undef CATEGORY_ROW
};

static void open_packet(struct perfetto *x)
{
	protobuf_open(&x->packet, TRACE_PACKET);
	protobuf_number(&x->packet, PACKET_SEQUENCE, x->process);
	protobuf_number(&x->packet, PACKET_FLAGS, x->begun ? FLAG_NEEDED : FLAG_CLEARED);
	x->begun = true;
}

static void close_packet(struct perfetto *x)
{
	protobuf_close(&x->packet);
	protobuf_flush(&x->packet, x->out);
}

/* Tracks */

/* The lane's number in the process; new: it was not there before. */
static uint64_t number_lane(struct perfetto *x, struct perfetto_lane lane, bool *new)
{
	uint32_t key[] = {lane.kind, lane.object, lane.thread};
	size_t known = x->lanes.strings.n;
	uint32_t number = intern_add(&x->lanes, (const char *)key, sizeof(key));

	*new = x->lanes.strings.n > known;
	return 1 + number;
}

static uint64_t uuid_of(const struct perfetto *x, uint64_t lane)
{
	return (uint64_t)x->process << 32 | lane;
}

static const char *name_lane(struct perfetto *x, struct perfetto_lane lane)
{
	struct story *s = &x->story;

	if (lane.kind == TRACK_THREAD)
		return story_who(s, lane.object);
	const char *lock = symbols_name(s->symbols, CLASS_LOCK, lane.object);
	const char *who = lane.kind == TRACK_SHARED ? story_who(s, lane.thread) : "";
	size_t size = strlen(lock) + strlen(who) + 40;
	char *name = arena_alloc(&s->text, size);

	snprintf(name, size, "lock %s%s%s", lock, *who ? ", shared by " : "", who);
	return name;
}

static uint64_t declare_lane(struct perfetto *x, struct perfetto_lane lane)
{
	bool new;
	uint64_t number = number_lane(x, lane, &new), uuid = uuid_of(x, number);

	if (!new)
		return uuid;
	open_packet(x);
	protobuf_open(&x->packet, PACKET_TRACK);
	protobuf_number(&x->packet, TRACK_UUID, uuid);
	protobuf_number(&x->packet, TRACK_PARENT, uuid_of(x, 0));
	protobuf_text(&x->packet, TRACK_NAME, name_lane(x, lane));
	/* threads by their numbers, and locks behind them */
	protobuf_number(&x->packet, TRACK_RANK,
			lane.object +
				(lane.kind == TRACK_THREAD ? 0 : x->story.index->thread_count));
	protobuf_close(&x->packet);
	close_packet(x);
	return uuid;
}

void perfetto_open_process(struct perfetto *x, const char *name)
{
	intern_release(&x->names);
	intern_release(&x->places);
	intern_release(&x->lanes);
	x->process++;
	x->begun = false;
	open_packet(x);
	protobuf_open(&x->packet, PACKET_TRACK);
	protobuf_number(&x->packet, TRACK_UUID, uuid_of(x, 0));
	protobuf_open(&x->packet, TRACK_PROCESS);
	protobuf_number(&x->packet, PROCESS_PID, x->process);
	protobuf_text(&x->packet, PROCESS_NAME, name);
	protobuf_close(&x->packet);
	protobuf_number(&x->packet, TRACK_ORDERING, ORDERING_EXPLICIT);
	protobuf_close(&x->packet);
	protobuf_open(&x->packet, PACKET_INTERNED);
	for (uint32_t i = 0; i < PERFETTO_CATEGORY_COUNT; i++) {
		protobuf_open(&x->packet, INTERNED_CATEGORY);
		protobuf_number(&x->packet, ENTRY_NUMBER, i + 1);
		protobuf_text(&x->packet, ENTRY_TEXT, categories[i]);
		protobuf_close(&x->packet);
	}
	protobuf_close(&x->packet);
	close_packet(x);
}

void perfetto_release(struct perfetto *x)
{
	intern_release(&x->names);
	intern_release(&x->places);
	intern_release(&x->lanes);
	protobuf_release(&x->packet);
}

/* Names and places, each declared in the packet that is the first to use it */

static uint64_t intern(struct intern *table, const char *text, bool *new)
{
	size_t known = table->strings.n;
	uint32_t number = intern_add(table, text, strlen(text));

	*new = table->strings.n > known;
	return 1 + number;
}

static void declare_name(struct perfetto *x, uint64_t number, const char *name)
{
	protobuf_open(&x->packet, INTERNED_NAME);
	protobuf_number(&x->packet, ENTRY_NUMBER, number);
	protobuf_text(&x->packet, ENTRY_TEXT, name);
	protobuf_close(&x->packet);
}

static void declare_place(struct perfetto *x, uint64_t number, const char *location)
{
	struct place place = story_place_of(&x->story, location);

	protobuf_open(&x->packet, INTERNED_PLACE);
	protobuf_number(&x->packet, ENTRY_NUMBER, number);
	protobuf_text(&x->packet, ENTRY_TEXT, place.file);
	if (place.function)
		protobuf_text(&x->packet, PLACE_FUNCTION, place.function);
	if (place.line)
		protobuf_number(&x->packet, PLACE_LINE, place.line);
	protobuf_close(&x->packet);
}

void perfetto_begin_slice(struct perfetto *x, struct perfetto_lane lane, uint64_t time,
			  enum perfetto_category category, const char *name, uint32_t location)
{
	uint64_t track = declare_lane(x, lane), place = 0;
	bool new_name, new_place = false;
	const char *at = location ? intern_text(&x->story.symbols->locations, location) : NULL;
	uint64_t name_number = intern(&x->names, name, &new_name);

	if (at)
		place = intern(&x->places, at, &new_place);
	open_packet(x);
	if (new_name || new_place) {
		protobuf_open(&x->packet, PACKET_INTERNED);
		if (new_name)
			declare_name(x, name_number, name);
		if (new_place)
			declare_place(x, place, at);
		protobuf_close(&x->packet);
	}
	protobuf_number(&x->packet, PACKET_TIMESTAMP, time * TICK);
	protobuf_open(&x->packet, PACKET_TRACK_EVENT);
	protobuf_number(&x->packet, EVENT_TYPE, TYPE_BEGIN);
	protobuf_number(&x->packet, EVENT_TRACK, track);
	protobuf_number(&x->packet, EVENT_CATEGORY, category + 1);
	protobuf_number(&x->packet, EVENT_NAME, name_number);
	if (place)
		protobuf_number(&x->packet, EVENT_PLACE, place);
}

void perfetto_annotate_number(struct perfetto *x, const char *name, int64_t value)
{
	protobuf_open(&x->packet, EVENT_ANNOTATION);
	protobuf_text(&x->packet, ANNOTATION_NAME, name);
	protobuf_number(&x->packet, ANNOTATION_INT, (uint64_t)value);
	protobuf_close(&x->packet);
}

void perfetto_annotate_text(struct perfetto *x, const char *name, const char *value)
{
	protobuf_open(&x->packet, EVENT_ANNOTATION);
	protobuf_text(&x->packet, ANNOTATION_NAME, name);
	protobuf_text(&x->packet, ANNOTATION_STRING, value);
	protobuf_close(&x->packet);
}

void perfetto_flow(struct perfetto *x, uint32_t arrow, bool ends)
{
	protobuf_fixed64(&x->packet, ends ? EVENT_FLOW_END : EVENT_FLOW, uuid_of(x, arrow));
}

void perfetto_end_packet(struct perfetto *x)
{
	protobuf_close(&x->packet);
	close_packet(x);
}

void perfetto_end_slice(struct perfetto *x, struct perfetto_lane lane, uint64_t time)
{
	uint64_t track = declare_lane(x, lane);

	open_packet(x);
	protobuf_number(&x->packet, PACKET_TIMESTAMP, time * TICK);
	protobuf_open(&x->packet, PACKET_TRACK_EVENT);
	protobuf_number(&x->packet, EVENT_TYPE, TYPE_END);
	protobuf_number(&x->packet, EVENT_TRACK, track);
	perfetto_end_packet(x);
}
