/* SPDX-License-Identifier: MIT */
#include "runtime/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/run.h"
#include "runtime/sys.h"

/* Which memory it is, and at which addresses. Segments and what has no file have numbers. */
struct mapping {
	uintptr_t from, to;
	uint64_t device, inode;
	uint64_t offset; /* of `from` in the file */
	bool writes;	 /* it can be written there, and is not a private copy */
};

#define NO_FILE UINT64_MAX
#define SEGMENTS (UINT64_MAX - 1)
#define ROOM_FIRST 64

static struct {
	struct norn_spin lock;
	struct mapping *at;
	size_t n, room;
	uint64_t nameless; /* so many mappings without a file */
} maps;

static void note_twofold(void)
{
	struct log_run *run = norn_run.shared;
	if (run)
		__atomic_store_n(&run->twofold, 1, __ATOMIC_RELAXED);
}

/* The lock is held by a thread that is busy: no handler of a signal comes here meanwhile. */
static bool lock_maps(struct norn_self *me)
{
	if (!norn_enter(me))
		return false;
	norn_spin_lock(&maps.lock);
	return true;
}

static void unlock_maps(struct norn_self *me)
{
	norn_spin_unlock(&maps.lock);
	norn_leave(me);
}

static bool make_room(void)
{
	if (maps.n < maps.room)
		return true;
	size_t room = maps.room ? 2 * maps.room : ROOM_FIRST;
	long map = NORN_SYS(mmap, 0, room * sizeof *maps.at, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map < 0 && map > -4096)
		return false;
	if (maps.room) {
		memcpy((void *)map, maps.at, maps.n * sizeof *maps.at);
		NORN_SYS(munmap, maps.at, maps.room * sizeof *maps.at, 0, 0, 0, 0);
	}
	maps.at = (struct mapping *)map;
	maps.room = room;
	return true;
}

static bool is_same_memory(const struct mapping *a, const struct mapping *b)
{
	return a->device == b->device && a->inode == b->inode && (a->writes || b->writes) &&
	       a->offset < b->offset + (b->to - b->from) &&
	       b->offset < a->offset + (a->to - a->from);
}

/* What there is no room for may be anything. */
static void add(const struct mapping *m)
{
	for (size_t i = 0; i < maps.n; i++)
		if (is_same_memory(&maps.at[i], m))
			note_twofold();
	if (make_room())
		maps.at[maps.n++] = *m;
	else
		note_twofold();
}

static struct mapping part(const struct mapping *m, uintptr_t from, uintptr_t to)
{
	struct mapping p = *m;
	p.from = from;
	p.to = to;
	p.offset += from - m->from;
	return p;
}

/* What is left of it stays: before these addresses, and behind. */
static void cut(uintptr_t from, uintptr_t to)
{
	for (size_t i = 0; i < maps.n;) {
		struct mapping m = maps.at[i];
		if (m.to <= from || m.from >= to) {
			i++;
			continue;
		}
		if (m.from < from)
			maps.at[i++] = part(&m, m.from, from);
		else if (m.to > to)
			maps.at[i++] = part(&m, to, m.to);
		else
			maps.at[i] = maps.at[--maps.n];
		if (m.from < from && m.to > to) {
			if (make_room())
				maps.at[maps.n++] = part(&m, to, m.to);
			else
				note_twofold();
		}
	}
}

void norn_maps_add(const void *p, size_t size, int flags, int fd, off_t offset)
{
	struct norn_self *me = &norn_self;
	struct mapping m = {.from = (uintptr_t)p,
			    .to = (uintptr_t)p + size,
			    .device = NO_FILE,
			    .offset = (uint64_t)offset};
	struct stat s;
	bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
	bool file = fd >= 0 && NORN_SYS(fstat, fd, &s, 0, 0, 0, 0) == 0 && S_ISREG(s.st_mode);
	if (file) {
		m.device = s.st_dev;
		m.inode = s.st_ino;
		m.writes =
			shared && (NORN_SYS(fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_ACCMODE) == O_RDWR;
	}
	if ((!file && !shared) || !lock_maps(me))
		return;
	if (!file)
		m.inode = ++maps.nameless;
	add(&m);
	unlock_maps(me);
}

void norn_maps_add_segment(const void *p, size_t size, int segment)
{
	struct norn_self *me = &norn_self;
	if (!lock_maps(me))
		return;
	add(&(struct mapping){.from = (uintptr_t)p,
			      .to = (uintptr_t)p + size,
			      .device = SEGMENTS,
			      .inode = (uint64_t)segment,
			      .writes = true});
	unlock_maps(me);
}

void norn_maps_remove(const void *p, size_t size)
{
	struct norn_self *me = &norn_self;
	if (!maps.n || !lock_maps(me))
		return;
	cut((uintptr_t)p, (uintptr_t)p + size);
	unlock_maps(me);
}

static const struct mapping *mapping_of(uintptr_t from, uintptr_t to)
{
	for (size_t i = 0; i < maps.n; i++)
		if (maps.at[i].from < to && maps.at[i].to > from)
			return &maps.at[i];
	return NULL;
}

size_t norn_maps_size(const void *p)
{
	struct norn_self *me = &norn_self;
	if (!maps.n || !lock_maps(me))
		return 0;
	const struct mapping *m = mapping_of((uintptr_t)p, (uintptr_t)p + 1);
	size_t size = m && m->from == (uintptr_t)p ? m->to - m->from : 0;
	unlock_maps(me);
	return size;
}

void norn_maps_move(const void *from, size_t old, const void *to, size_t size)
{
	struct norn_self *me = &norn_self;
	if (!lock_maps(me))
		return;
	uintptr_t at = (uintptr_t)from;
	const struct mapping *known = mapping_of(at, at + (old ? old : 1));
	struct mapping moved = known ? *known : (struct mapping){0};
	if (!old)
		note_twofold();
	else
		cut(at, at + old);
	cut((uintptr_t)to, (uintptr_t)to + size);
	if (known) {
		moved.offset += at > moved.from ? at - moved.from : 0;
		moved.from = (uintptr_t)to;
		moved.to = (uintptr_t)to + size;
		add(&moved);
	}
	unlock_maps(me);
}

bool norn_maps_has(const void *p, size_t size)
{
	struct norn_self *me = &norn_self;
	if (!maps.n || !lock_maps(me))
		return false;
	bool has = mapping_of((uintptr_t)p, (uintptr_t)p + size) != NULL;
	unlock_maps(me);
	return has;
}

void norn_maps_note_access(int fd, bool writes)
{
	struct norn_self *me = &norn_self;
	struct stat s;
	if (!maps.n || NORN_SYS(fstat, fd, &s, 0, 0, 0, 0) != 0 || !lock_maps(me))
		return;
	for (size_t i = 0; i < maps.n; i++)
		if (maps.at[i].device == s.st_dev && maps.at[i].inode == s.st_ino &&
		    (writes || maps.at[i].writes))
			note_twofold();
	unlock_maps(me);
}

void norn_maps_in_child(void)
{
	maps.lock.taken = 0;
}
