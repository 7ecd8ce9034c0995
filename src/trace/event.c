#include "trace/event.h"

const char *const event_kind_text[EV_COUNT] = {
#define KIND_ROW(name, text, class, flags) [name] = text,
	EVENT_KINDS(KIND_ROW)
#undef KIND_ROW
};

const uint8_t event_kind_class[EV_COUNT] = {
#define KIND_ROW(name, text, class, flags) [name] = class,
	EVENT_KINDS(KIND_ROW)
#undef KIND_ROW
};

const uint8_t event_kind_flags[EV_COUNT] = {
#define KIND_ROW(name, text, class, flags) [name] = flags,
	EVENT_KINDS(KIND_ROW)
#undef KIND_ROW
};

const char *const object_class_plural[CLASS_COUNT] = {
#define CLASS_ROW(name, plural, singular) [name] = plural,
	OBJECT_CLASSES(CLASS_ROW)
#undef CLASS_ROW
};

const char *const object_class_singular[CLASS_COUNT] = {
#define CLASS_ROW(name, plural, singular) [name] = singular,
	OBJECT_CLASSES(CLASS_ROW)
#undef CLASS_ROW
};

const char *const memory_order_text[ORDER_COUNT] = {
#define ORDER_ROW(name, text) [name] = text,
	MEMORY_ORDERS(ORDER_ROW)
#undef ORDER_ROW
};
