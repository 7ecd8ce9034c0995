/*
 * The file of a thread: how it grows, and what happens at the end of a block. It is mapped in
 * chunks, small ones at first, since programs may have many threads. Disk space is reserved before
 * it is mapped, so that a full disk is an error here and not a SIGBUS in a hook. No descriptor
 * stays open: programs count on the numbers of theirs, or close all they find.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/append.h"
#include "runtime/run.h"
#include "runtime/sys.h"

#define CHUNK_FIRST LOG_BLOCK
#define CHUNK_MOST (4u << 20)
/* Distances in a log have 32 bits. */
#define WORDS_MOST 0xffffffffu

static long reserve(long fd, uint64_t offset, uint64_t size)
{
	long done;
	do
		done = NORN_SYS(fallocate, fd, 0, offset, size, 0, 0);
	while (done == -EINTR);
	if (done == -EOPNOTSUPP)
		done = NORN_SYS(ftruncate, fd, offset + size, 0, 0, 0, 0);
	return done;
}

static void unmap_chunk(struct norn_self *me)
{
	if (me->chunk)
		NORN_SYS(munmap, me->chunk, me->chunk_size, 0, 0, 0, 0);
	me->chunk = NULL;
}

static bool next_chunk(struct norn_self *me)
{
	char path[NORN_PATH_MAX];
	norn_path(path, "thread.", me->number);
	uint64_t offset = me->chunk_offset + me->chunk_size;
	uint64_t size = me->chunk_size ? me->chunk_size * 4 : CHUNK_FIRST;
	if (size > CHUNK_MOST)
		size = CHUNK_MOST;
	long fd = norn_sys_open(path, O_RDWR | O_CREAT | O_CLOEXEC);
	if (fd < 0) {
		norn_fail(path, fd);
		return false;
	}
	long map = reserve(fd, offset, size);
	if (map >= 0)
		map = NORN_SYS(mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
			       offset);
	norn_sys_close(fd);
	if (map < 0 && map > -4096) {
		norn_fail(path, map);
		return false;
	}
	unmap_chunk(me);
	me->chunk = (uint64_t *)map;
	me->chunk_offset = offset;
	me->chunk_size = size;
	me->origin = me->chunk - offset / sizeof *me->chunk;
	return true;
}

/* Adds what this thread wrote to the sums of the run, and keeps the limits. */
static void count(struct norn_self *me)
{
	struct log_run *run = norn_run.shared;
	uint64_t records =
		__atomic_add_fetch(&run->records, me->records - me->counted, __ATOMIC_RELAXED);
	uint64_t blocks = __atomic_add_fetch(&run->blocks, 1, __ATOMIC_RELAXED);
	me->counted = me->records;
	if (run->limit && records >= run->limit)
		norn_stop(LOG_LIMIT);
	if (run->bytes && blocks * LOG_BLOCK > run->bytes)
		norn_stop(LOG_SIZE);
	if ((me->block + 1) * (LOG_BLOCK / sizeof(uint64_t)) > WORDS_MOST)
		norn_stop(LOG_SIZE);
}

static void stop_here(struct norn_self *me)
{
	me->mode = NORN_STOPPED;
	unmap_chunk(me);
	me->at = me->scratch;
	me->limit = me->scratch;
	me->origin = me->scratch;
}

static void next_block(struct norn_self *me)
{
	count(me);
	uint64_t words = LOG_BLOCK / sizeof(uint64_t);
	if (__atomic_load_n(&norn_run.shared->stop, __ATOMIC_ACQUIRE) ||
	    (me->block * LOG_BLOCK >= me->chunk_offset + me->chunk_size && !next_chunk(me))) {
		stop_here(me);
		return;
	}
	struct log_block *block = (struct log_block *)(me->origin + me->block * words);
	block->thread = me->number;
	block->number = me->block;
	block->time = norn_now();
	block->records = me->records;
	NORN_COMPILER_BARRIER();
	*(volatile uint32_t *)&block->magic = LOG_MAGIC;
	me->at = (uint64_t *)(block + 1);
	me->limit = (uint64_t *)block + words - NORN_ROOM;
	me->block++;
}

void norn_blocks_begin(struct norn_self *me)
{
	me->mode = NORN_LOGS;
	me->at = me->limit = NULL;
	me->chunk = NULL;
	me->chunk_size = me->chunk_offset = 0;
	me->block = me->records = me->counted = 0;
	next_block(me);
}

void norn_blocks_end(struct norn_self *me)
{
	if (me->mode == NORN_LOGS)
		__atomic_add_fetch(&norn_run.shared->records, me->records - me->counted,
				   __ATOMIC_RELAXED);
	unmap_chunk(me);
	me->at = me->limit = NULL;
	me->mode = NORN_PLAIN;
}

bool norn_prepare(struct norn_self *me)
{
	if (me->mode == NORN_UNKNOWN)
		norn_attach(me);
	else if (me->mode == NORN_LOGS && me->at >= me->limit)
		next_block(me);
	if (me->mode == NORN_STOPPED)
		me->at = me->scratch;
	return me->mode != NORN_PLAIN;
}

void norn_log_time(struct norn_self *me)
{
	if (!norn_enter(me))
		return;
	norn_put2(me, LOG_TIME, 0, norn_now());
	norn_leave(me);
}
