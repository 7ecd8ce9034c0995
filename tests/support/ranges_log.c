/* SPDX-License-Identifier: MIT */
#include "support/ranges_log.h"

#include "base/err.h"
#include "base/mem.h"
#include "runtime/memstream.h"
#include "runtime/blocked.h"
#include "runtime/hooks.h"
#include "runtime/log.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/threads.h"
#include "runtime/inputs.h"
#include "runtime/registered.h"
#include "runtime/pthread/locks.h"
#include "runtime/callback.h"
#include "runtime/libc/ranges.h"
#include "runtime/maps.h"
#include "runtime/pthread/sync.h"
#include "runtime/replay/schedule.h"
#include "runtime/unseen.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ranges_log ranges_log;
static size_t room;
static bool looking;
static const void *look, *look_also; /* where it may */
static size_t look_size;

void ranges_log_clear(void)
{
	ranges_log.n = 0;
	ranges_log.branches = ranges_log.long_calls = ranges_log.before = ranges_log.after = 0;
	ranges_log.gathers = false;
}

static size_t line_rest(const void *p)
{
	return LOG_LINE - (uintptr_t)p % LOG_LINE;
}

static void add(bool writes, bool steps, const void *pc, const void *p, const void *bytes, size_t n)
{
	int error = errno;
	ASSERT(n && n <= line_rest(p) && pc);
	if (ranges_log.n == room) {
		room = room ? 2 * room : 1024;
		ranges_log.accesses =
			realloc(ranges_log.accesses, room * sizeof(*ranges_log.accesses));
		ASSERT(ranges_log.accesses);
	}
	struct ranges_access *a = &ranges_log.accesses[ranges_log.n++];
	*a = (struct ranges_access){.writes = writes, .steps = steps, .p = p, .n = n, .pc = pc};
	memcpy(a->bytes, bytes, n);
	errno = error;
}

void norn_blocks(enum log_kind kind, const void *object, const void *pc, enum norn_how how)
{
	(void)kind, (void)object, (void)pc, (void)how;
}

void norn_runs(bool happened)
{
	(void)happened;
}

bool norn_ranges_on(void)
{
	return true;
}

void norn_get(const void *pc, void *mine, const void *p, size_t n)
{
	ASSERT(!looking);
	for (size_t done = 0, part; done < n; done += part) {
		const char *from = (const char *)p + done;
		part = n - done < line_rest(from) ? n - done : line_rest(from);
		memcpy((char *)mine + done, from, part);
		add(false, false, pc, from, from, part);
	}
}

void norn_put(const void *pc, void *p, const void *mine, size_t n)
{
	ASSERT(!looking);
	for (size_t done = 0, part; done < n; done += part) {
		char *to = (char *)p + done;
		part = n - done < line_rest(to) ? n - done : line_rest(to);
		memcpy(to, (const char *)mine + done, part);
		add(true, false, pc, to, to, part);
	}
}

void norn_decide_by(const void *pc, void *mine, const void *p, size_t n)
{
	size_t before = ranges_log.n;
	norn_get(pc, mine, p, n);
	for (; before < ranges_log.n; before++)
		ranges_log.accesses[before].steps = true;
}

void norn_gather(void)
{
	ranges_log.gathers = true;
	ranges_log.unseen = ranges_log.n;
}

uint64_t __norn_seen(void)
{
	ASSERT(ranges_log.gathers);
	return NORN_ANY_READ;
}

void norn_pass(const void *pc, void *p, const void *mine, size_t n)
{
	ASSERT(ranges_log.gathers);
	norn_put(pc, p, mine, n);
}

uint64_t norn_printed(void)
{
	return 0;
}

void norn_pass_printed(const void *pc, void *p, const void *mine, size_t n, uint64_t printed)
{
	ASSERT(!printed);
	norn_pass(pc, p, mine, n);
}

void norn_pass_on(const void *pc, void *p, const void *mine, size_t n)
{
	ASSERT(ranges_log.gathers && n <= line_rest(p));
	if (!n)
		return;
	const struct ranges_access *last = &ranges_log.accesses[ranges_log.n - 1];
	ASSERT(!last->writes && last->n == n && !memcmp(last->bytes, mine, n));
	norn_put(pc, p, mine, n);
}

void norn_lay(const void *pc, void *p, const void *mine, size_t n)
{
	norn_put(pc, p, mine, n);
}

uint64_t norn_list(void)
{
	return NORN_ANY_READ;
}

void norn_decided_by(const void *pc, uint64_t position)
{
	ASSERT(position);
	norn_decided(pc);
}

uint64_t norn_get_position(const void *pc, void *mine, const void *p, size_t n)
{
	norn_get(pc, mine, p, n);
	return NORN_ANY_READ;
}

void norn_put_from(const void *pc, void *p, const void *mine, size_t n, uint64_t position)
{
	ASSERT(position);
	norn_put(pc, p, mine, n);
}

uint64_t norn_callback(const void *function, const char *types)
{
	ASSERT(function && *types);
	return (uintptr_t)function;
}

uint64_t norn_called_back(uint64_t key)
{
	ASSERT(key);
	return NORN_ANY_READ;
}

void norn_goes_on(void)
{
	ASSERT(!looking);
}

void norn_depend_on_all(void)
{
	ASSERT(!looking);
	ranges_log.branches++;
}

void norn_copied(const void *pc, void *to, const void *from, size_t n)
{
	char *mine = malloc(n + 1);
	ASSERT(mine);
	norn_get(pc, mine, from, n);
	norn_put(pc, to, mine, n);
	free(mine);
}

void norn_name_self(const char *name)
{
	(void)name;
}

void norn_filled(const void *pc, void *p, size_t n)
{
	ASSERT(!looking);
	for (size_t done = 0, part; done < n; done += part) {
		char *to = (char *)p + done;
		part = n - done < line_rest(to) ? n - done : line_rest(to);
		add(true, false, pc, to, to, part);
	}
}

void norn_laid(const void *pc, void *p, size_t n)
{
	norn_filled(pc, p, n);
}

void norn_decided(const void *pc)
{
	ASSERT(pc && !looking);
	ranges_log.branches++;
}

bool norn_pause_ends(const void *pc)
{
	ASSERT(pc);
	return false;
}

void norn_look_begin(const void *pc, const void *p, const void *also, size_t n)
{
	ASSERT(pc && p && !looking);
	looking = true;
	look = p;
	look_also = also;
	look_size = n;
}

void norn_look_end(void)
{
	ASSERT(looking);
	looking = false;
}

/* To the end of the line, which may be beyond that of the object. */
__attribute__((no_sanitize("address"))) static void copy_bytes(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = *(const volatile char *)(from + i);
}

uint32_t norn_glance(void *mine, const void *p, size_t n)
{
	ASSERT(looking && n <= line_rest(p) && n <= look_size && (p == look || p == look_also));
	copy_bytes(mine, p, n);
	return 42;
}

void norn_saw(const void *pc, const void *p, const void *mine, size_t n, uint32_t version,
	      bool steps)
{
	ASSERT(looking && version == 42 && !memcmp(mine, p, n));
	if (n)
		add(false, steps, pc, p, mine, n);
}

void norn_long_call(void)
{
	ranges_log.long_calls++;
}

void *norn_malloc(size_t size, const void *pc)
{
	(void)pc;
	return malloc(size);
}

void norn_comes_before(const void *object)
{
	ASSERT(object);
	ranges_log.before++;
}

void norn_comes_after(const void *object)
{
	ASSERT(object);
	ranges_log.after++;
}

void norn_takes(const void *object)
{
	ASSERT(object);
}

void norn_channel_count(struct norn_channel *channel)
{
	norn_comes_before(channel);
}

void norn_channel_look(const struct norn_channel *channel)
{
	norn_comes_after(channel);
}

bool norn_channel_is_used(const struct norn_channel *channel)
{
	ASSERT(channel);
	return true;
}

int norn_clear(const void *pc, void *p, size_t n, int (*act)(void *, size_t, int), int advice)
{
	int result = act(p, n, advice);

	if (!result)
		norn_filled(pc, p, n);
	return result;
}

bool norn_maps_has(const void *p, size_t size)
{
	return (void)p, (void)size, false;
}

void norn_maps_note_access(int fd, bool writes)
{
	(void)fd, (void)writes;
}

void norn_channel_take(struct norn_channel *channel)
{
	norn_comes_after(channel);
}

bool norn_alone(void)
{
	return false;
}

void norn_is_not_alone(void) {}

void norn_prints(void) {}

uint64_t norn_draws(enum norn_generator generator)
{
	(void)generator;
	return 0;
}

void norn_seeds(enum norn_generator generator, uint64_t seed)
{
	(void)generator;
	(void)seed;
}

int norn_mutex_lock(pthread_mutex_t *mutex, const void *pc)
{
	(void)pc;
	return pthread_mutex_lock(mutex);
}

int norn_mutex_unlock(pthread_mutex_t *mutex, const void *pc)
{
	(void)pc;
	return pthread_mutex_unlock(mutex);
}

size_t ranges_log_bytes(bool writes, const void *p, size_t n)
{
	char *seen = calloc(n + 1, 1);
	size_t bytes = 0;
	ASSERT(seen);
	for (size_t i = 0; i < ranges_log.n; i++) {
		const struct ranges_access *a = &ranges_log.accesses[i];
		for (size_t k = 0; a->writes == writes && k < a->n; k++) {
			size_t at = (size_t)(a->p + k - (const char *)p);
			if (at < n && !seen[at]++)
				bytes++;
		}
	}
	free(seen);
	return bytes;
}

bool ranges_log_is(bool writes, const void *p, size_t n)
{
	for (size_t i = 0; i < ranges_log.n; i++) {
		const struct ranges_access *a = &ranges_log.accesses[i];
		size_t at = (size_t)(a->p - (const char *)p);
		if (a->writes == writes && (at >= n || a->n > n - at))
			return false;
	}
	return ranges_log_bytes(writes, p, n) == n;
}

void ranges_log_replay(const void *p, char *copy, size_t n)
{
	for (size_t i = 0; i < ranges_log.n; i++) {
		const struct ranges_access *a = &ranges_log.accesses[i];
		size_t at = (size_t)(a->p - (const char *)p);
		if (a->writes && at < n)
			memcpy(copy + at, a->bytes, a->n < n - at ? a->n : n - at);
	}
}

/* Nothing is given back here, and what is kept is not looked at. */

bool norn_input_given(enum log_input_function function, struct norn_input *in)
{
	(void)function, (void)in;
	return false;
}

void norn_input_keep(enum log_input_function function, int64_t result, const void *bytes,
		     size_t size)
{
	(void)function, (void)result, (void)bytes, (void)size;
}

int64_t norn_input_number(enum log_input_function function, int64_t real)
{
	(void)function;
	return real;
}

int64_t norn_input_bytes(enum log_input_function function, int64_t real, void *ours, size_t n)
{
	(void)function, (void)ours, (void)n;
	return real;
}

bool norn_keeps_inputs(void)
{
	return false;
}

bool norn_gives_sockets(void)
{
	return false;
}

void norn_input_await(enum log_input_function function, struct norn_input *in)
{
	(void)function, (void)in;
}

void norn_input_waits(void) {}

void norn_input_lacks(void) {}

void norn_epoll_register(int epoll, int fd, uint64_t word)
{
	(void)epoll, (void)fd, (void)word;
}

bool norn_registered_by_word(int epoll, uint64_t word, struct norn_registered *r)
{
	(void)epoll, (void)word, (void)r;
	return false;
}

bool norn_registered_by_thread(uint32_t thread, uint32_t number, struct norn_registered *r)
{
	(void)thread, (void)number, (void)r;
	return false;
}

/* What is written goes to no memory of the program, and no thread is recorded. */

__thread struct norn_self norn_self;

bool norn_prepare(struct norn_self *me)
{
	(void)me;
	return false;
}

void norn_deliver(struct norn_self *me)
{
	(void)me;
}

uint32_t norn_inline_begin(struct norn_self *me, const void *pc, const uint64_t *given, uint32_t n)
{
	(void)me, (void)pc, (void)given, (void)n;
	return 0;
}

void norn_inline_end(struct norn_self *me, const void *pc, uint32_t call)
{
	(void)me, (void)pc, (void)call;
}

struct memory *norn_memory_of(FILE *f)
{
	(void)f;
	return NULL;
}

struct memory *norn_memory_closes(FILE *f)
{
	(void)f;
	return NULL;
}

void norn_memory_told(const void *pc, struct memory *m)
{
	(void)pc, (void)m;
}

void norn_memory_closed(const void *pc, struct memory *m)
{
	(void)pc, (void)m;
}

bool norn_turn_sleeps(uint64_t ns)
{
	(void)ns;
	return false;
}

uint32_t norn_anything_begins(const void *pc)
{
	(void)pc;
	return 0;
}

void norn_anything_ends(const void *pc, uint32_t call)
{
	(void)pc;
	(void)call;
}
