/* SPDX-License-Identifier: MIT */
#include "runtime/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/files.h"
#include "runtime/libc/libc.h"
#include "runtime/modules.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/sys.h"

#define WINDOW ((uint64_t)64 << 10)
#define PAGE ((uint64_t)4096)

/* Of this thread. What it keeps goes through a window of its file, so that nothing is lost. */
static __thread struct {
	char *window; /* NULL: none */
	uint64_t size, used;
	uint64_t offset; /* in the file */
	bool full;	 /* nothing more is kept: what comes later would be taken for this */

	const char *given; /* NULL: none */
	uint64_t given_size;
	bool looked;		    /* for the file */
	uint64_t next[INPUT_COUNT]; /* of each function, where to look for its next one */
} inputs;

static uint64_t padded(uint64_t size)
{
	return (size + 7) / 8 * 8;
}

static bool is_error(long result)
{
	return result < 0 && result > -4096;
}

static void close_window(void)
{
	if (inputs.window)
		NORN_SYS(munmap, inputs.window, inputs.size, 0, 0, 0, 0);
	inputs.window = NULL;
}

/* Keeping */

/* A window from where the last one was left, with room for n bytes. */
static bool move_window(uint32_t thread, uint64_t n)
{
	uint64_t at = inputs.offset + inputs.used, offset = at / PAGE * PAGE;
	uint64_t size = (at - offset + n + WINDOW - 1) / WINDOW * WINDOW;
	close_window();
	long fd = norn_file_open("input.", thread, O_RDWR | O_CREAT);
	long map = fd < 0 ? fd : norn_file_reserve(fd, offset, size);
	if (!is_error(map))
		map = NORN_SYS(mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (fd >= 0)
		norn_sys_close(fd);
	if (is_error(map))
		return false;
	inputs.window = (char *)map;
	inputs.size = size;
	inputs.offset = offset;
	inputs.used = at - offset;
	return true;
}

static bool make_room(uint32_t thread, uint64_t n)
{
	struct log_run *run = norn_run.shared;
	if (!run->input_limit || inputs.full)
		return false;
	inputs.full = __atomic_add_fetch(&run->input_bytes, n, __ATOMIC_RELAXED) > run->input_limit;
	if (inputs.full)
		return false;
	if (inputs.window && inputs.used + n <= inputs.size)
		return true;
	inputs.full = !move_window(thread, n);
	/* a full disk counts as a limit that was reached */
	if (inputs.full)
		__atomic_store_n(&run->input_bytes, run->input_limit + 1, __ATOMIC_RELAXED);
	return !inputs.full;
}

static void append(const struct log_input *head, const void *bytes)
{
	char *at = inputs.window + inputs.used;
	uint64_t first;
	memcpy(&first, head, sizeof first);
	if (head->size)
		memcpy(at + sizeof *head, bytes, head->size);
	memcpy(at + sizeof first, &head->result, sizeof head->result);
	NORN_COMPILER_BARRIER();
	*(volatile uint64_t *)at = first;
	inputs.used += sizeof *head + padded(head->size);
}

void norn_input_keep(enum log_input_function function, int64_t result, const void *bytes,
		     size_t size)
{
	struct norn_self *me = &norn_self;
	int error = errno;
	struct log_input head = {.function = (uint8_t)function,
				 .error = (uint16_t)error,
				 .size = (uint32_t)size,
				 .result = result};
	if (!norn_enter(me))
		return;
	if (me->mode == NORN_LOGS && size <= UINT32_MAX &&
	    make_room(me->number, sizeof head + padded(size)))
		append(&head, bytes);
	norn_leave(me);
	errno = error;
}

/* Giving back */

static void map_given(uint32_t thread)
{
	inputs.looked = true;
	long fd = norn_file_open("given.", thread, O_RDONLY);
	if (fd < 0)
		return;
	long end = NORN_SYS(lseek, fd, 0, SEEK_END, 0, 0, 0);
	long map = end <= 0 ? -EINVAL : NORN_SYS(mmap, 0, end, PROT_READ, MAP_PRIVATE, fd, 0);
	norn_sys_close(fd);
	if (is_error(map))
		return;
	inputs.given = (const char *)map;
	inputs.given_size = (uint64_t)end;
}

/* The input at `at`, NULL if there is none: then they are at their end. */
static const struct log_input *input_at(uint64_t at)
{
	const struct log_input *head = (const void *)(inputs.given + at);
	uint64_t rest = inputs.given_size - at;
	if (rest < sizeof *head || !head->function)
		return NULL;
	return padded(head->size) <= rest - sizeof *head ? head : NULL;
}

static const struct log_input *find(uint32_t thread, enum log_input_function function)
{
	const struct log_input *head;
	uint64_t *next = &inputs.next[function];
	if (!inputs.looked)
		map_given(thread);
	if (!inputs.given)
		return NULL;
	while ((head = input_at(*next))) {
		*next += sizeof *head + padded(head->size);
		if (head->function == function)
			return head;
	}
	return NULL;
}

/* Who waits for a futex may wait more often than it did, and nothing is missing. Who waits for a
 * socket may be at the end of what it did: see norn_input_await. */
static void count(enum log_input_function function, bool found)
{
	struct log_run *run = norn_run.shared;
	if (norn_follows() && function != INPUT_FUTEX && (found || function < INPUT_RECEIVE))
		__atomic_add_fetch(found ? &run->given : &run->asked, 1, __ATOMIC_RELAXED);
}

bool norn_input_given(enum log_input_function function, struct norn_input *in)
{
	struct norn_self *me = &norn_self;
	/* who asks first may begin the recording by that */
	if (!norn_enter(me))
		return false;
	const struct log_input *head = NULL;
	int error = errno;
	if (norn_replays()) {
		head = find(me->number, function);
		count(function, head);
	}
	if (head) {
		*in = (struct norn_input){head->result, head + 1, head->size};
		error = head->result < 0 ? head->error : error;
	}
	norn_leave(me);
	errno = error;
	return head;
}

bool norn_keeps_inputs(void)
{
	return norn_self.mode == NORN_LOGS;
}

bool norn_gives_sockets(void)
{
	return norn_replays() && norn_plan->sockets;
}

void norn_input_waits(void)
{
	norn_call_waits();
}

void norn_input_lacks(void)
{
	norn_starve();
}

void norn_input_await(enum log_input_function function, struct norn_input *in)
{
	bool given = norn_input_given(function, in);
	int error = errno;
	/* a handler came before that */
	if (!given || (in->result < 0 && error == EINTR))
		norn_pause_ends(__builtin_return_address(0));
	errno = error;
	if (given)
		return;
	norn_input_waits();
	if (norn_has_more_steps())
		__atomic_add_fetch(&norn_run.shared->asked, 1, __ATOMIC_RELAXED);
	norn_input_lacks();
	for (;;)
		poll(NULL, 0, -1);
}

int64_t norn_input_number(enum log_input_function function, int64_t real)
{
	struct norn_input in;
	if (norn_input_given(function, &in))
		real = in.result;
	norn_input_keep(function, real, NULL, 0);
	return real;
}

int64_t norn_input_bytes(enum log_input_function function, int64_t real, void *ours, size_t n)
{
	struct norn_input in;
	if (norn_input_given(function, &in) && in.size == n) {
		real = in.result;
		memcpy(ours, in.bytes, n);
	}
	norn_input_keep(function, real, ours, n);
	return real;
}

const struct timespec *norn_real_until(clockid_t clock, const struct timespec *until,
				       struct timespec *ours, const void *pc)
{
	const struct timespec *real = norn_clock_until(clock, until, ours);
	bool given = norn_step_site(pc) || norn_gives_sockets();
	return real != until && given ? real : until;
}

/* The ends of threads and processes */

void norn_inputs_end(void)
{
	/* What was given stays: a stream may have bytes of it in its buffer. */
	close_window();
	memset(&inputs, 0, sizeof inputs);
}

void norn_inputs_in_child(void)
{
	norn_inputs_end();
}
