/* SPDX-License-Identifier: MIT */
#include "runtime/registered.h"

#include <stddef.h>
#include <sys/mman.h>

#include "runtime/run.h"
#include "runtime/self.h"
#include "runtime/sys.h"

#define BUCKETS 4096
#define CHUNK ((size_t)64 << 10)

struct registration {
	struct registration *older_of_thread, *older_of_word;
	struct norn_registered is;
	int epoll;
};

static struct {
	struct norn_spin lock;
	struct registration *of_thread[BUCKETS], *of_word[BUCKETS]; /* the latest first */
	struct registration *room;
	size_t left; /* of room */
} all;
static __thread uint32_t numbers; /* of this thread's */

static struct registration **bucket(struct registration *of[BUCKETS], uint64_t a, uint64_t b)
{
	return &of[(a * 0x10001 + b) * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static struct registration *new_one(void)
{
	if (!all.left) {
		long map = NORN_SYS(mmap, 0, CHUNK, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map < 0 && map > -4096)
			return NULL;
		all.room = (struct registration *)map;
		all.left = CHUNK / sizeof *all.room;
	}
	all.left--;
	return all.room++;
}

static void add(int epoll, const struct norn_registered *is)
{
	struct registration *r = new_one();
	if (!r)
		return;
	struct registration **by_thread = bucket(all.of_thread, is->thread, is->number);
	struct registration **by_word = bucket(all.of_word, (uint64_t)epoll, is->word);
	*r = (struct registration){.older_of_thread = *by_thread,
				   .older_of_word = *by_word,
				   .is = *is,
				   .epoll = epoll};
	*by_thread = r;
	*by_word = r;
}

/* Handlers of signals may ask, too: they have to wait. */
static bool enter(struct norn_self *me)
{
	if (!norn_enter(me))
		return false;
	norn_spin_lock(&all.lock);
	return true;
}

static void leave(struct norn_self *me)
{
	norn_spin_unlock(&all.lock);
	norn_leave(me);
}

void norn_epoll_register(int epoll, int fd, uint64_t word)
{
	struct norn_self *me = &norn_self;
	if (!enter(me))
		return;
	if (me->mode == NORN_LOGS)
		add(epoll, &(struct norn_registered){word, fd, me->number, ++numbers});
	leave(me);
}

bool norn_registered_by_word(int epoll, uint64_t word, struct norn_registered *is)
{
	struct norn_self *me = &norn_self;
	if (!enter(me))
		return false;
	const struct registration *r = *bucket(all.of_word, (uint64_t)epoll, word);
	while (r && (r->epoll != epoll || r->is.word != word))
		r = r->older_of_word;
	if (r)
		*is = r->is;
	leave(me);
	return r;
}

bool norn_registered_by_thread(uint32_t thread, uint32_t number, struct norn_registered *is)
{
	struct norn_self *me = &norn_self;
	if (!enter(me))
		return false;
	const struct registration *r = *bucket(all.of_thread, thread, number);
	while (r && (r->is.thread != thread || r->is.number != number))
		r = r->older_of_thread;
	if (r)
		*is = r->is;
	leave(me);
	return r;
}
