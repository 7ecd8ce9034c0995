/* SPDX-License-Identifier: MIT */
/*
 * The log of a thread. The block that it writes to is mapped, from a file of its own (tail.N), so
 * that nothing of it is lost when the program dies; it is the same memory all the time, since new
 * pages of a file cost more than all the rest of a hook. A full block is written to thread.N and
 * the next one begun; packed, once there is so much that a disk may have to wait for it. Disk space
 * for the tail is reserved before it is mapped: a full disk is an error here and not a SIGBUS in a
 * hook. No descriptor stays open: programs count on the numbers of theirs, or close all they find.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/append.h"
#include "runtime/files.h"
#include "runtime/inputs.h"
#include "runtime/late.h"
#include "runtime/pack.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/sys.h"
#include "runtime/pthread/threads.h"
#include "runtime/unseen.h"

#define BLOCK_WORDS (LOG_BLOCK / sizeof(uint64_t))
/* Distances in a log have 32 bits. */
#define WORDS_MOST 0xffffffffu
/* Blocks that disk space is asked for at a time. */
#define AHEAD 16u
/* Bytes of the run that are written as they are, which takes less time; but half of the limit at
 * most. */
#define PLAIN_MOST (UINT64_C(1) << 30)

/* Where blocks are packed. */
struct norn_packing {
	struct pack pack;
	struct log_packed block;
	uint8_t bytes[LOG_BLOCK + 2 * LOG_PADDING];
};

static bool map_tail(struct norn_self *me)
{
	long fd = norn_file_open("tail.", me->number, O_RDWR | O_CREAT);
	long map = fd < 0 ? fd : norn_file_reserve(fd, 0, LOG_BLOCK);
	if (map >= 0)
		map = NORN_SYS(mmap, 0, LOG_BLOCK, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_POPULATE, fd, 0);
	if (fd >= 0)
		norn_sys_close(fd);
	if (map < 0 && map > -4096) {
		norn_fail("tail.", me->number, map);
		return false;
	}
	me->tail = (uint64_t *)map;
	return true;
}

void norn_blocks_unmap(struct norn_self *me)
{
	if (me->tail)
		NORN_SYS(munmap, me->tail, LOG_BLOCK, 0, 0, 0, 0);
	if (me->packing)
		NORN_SYS(munmap, me->packing, sizeof *me->packing, 0, 0, 0, 0);
	me->tail = NULL;
	me->packing = NULL;
}

static bool map_packing(struct norn_self *me)
{
	long map = me->packing ? (long)me->packing
			       : NORN_SYS(mmap, 0, sizeof *me->packing, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map < 0 && map > -4096)
		return false;
	me->packing = (struct norn_packing *)map;
	return true;
}

/* The last block of a thread is seldom full. */
static bool is_packed(const struct norn_self *me)
{
	const struct log_run *run = norn_run.shared;
	uint64_t most = run->bytes && run->bytes / 2 < PLAIN_MOST ? run->bytes / 2 : PLAIN_MOST;
	return me->at < me->tail + BLOCK_WORDS / 2 ||
	       __atomic_load_n(&run->written, __ATOMIC_RELAXED) > most;
}

/* As it goes to the file; NULL: as it is, or there is no memory for that. */
static const void *pack_block(struct norn_self *me, uint64_t *size)
{
	if (!is_packed(me) || !map_packing(me))
		return NULL;
	struct norn_packing *p = me->packing;
	const struct log_block *head = (const struct log_block *)me->tail;
	const uint64_t *words = (const uint64_t *)(head + 1);
	uint32_t n = (uint32_t)(me->at - words);
	p->block = (struct log_packed){.head = *head, .words = n};
	p->block.head.magic = LOG_PACKED;
	p->block.bytes = pack_words(&p->pack, words, n, p->bytes, sizeof p->bytes);
	if (!p->block.bytes || p->block.bytes >= 8 * n) {
		p->block.bytes = 8 * n;
		memcpy(p->bytes, words, 8 * n);
	}
	*size = log_packed_size(p->block.bytes);
	return &p->block;
}

/* A long log: much at once costs the file system less. */
static void expect(struct norn_self *me, long fd)
{
	if (me->block <= AHEAD || me->stored + LOG_BLOCK <= me->expected)
		return;
	norn_file_expect(fd, me->stored, AHEAD * LOG_BLOCK);
	me->expected = me->stored + AHEAD * LOG_BLOCK;
}

static void count_written(struct norn_self *me, uint64_t size)
{
	struct log_run *run = norn_run.shared;
	uint64_t written = __atomic_add_fetch(&run->written, size, __ATOMIC_RELAXED);
	me->stored += size;
	if (run->bytes && written > run->bytes)
		norn_stop(LOG_SIZE);
}

/* The block that is in the tail, to the end of thread.N. What is behind the records is 0 there. */
static bool write_block(struct norn_self *me)
{
	uint64_t size = LOG_BLOCK;
	const void *block = pack_block(me, &size);
	long fd = norn_file_open("thread.", me->number, O_WRONLY | O_CREAT);
	long error = fd;
	if (fd >= 0) {
		expect(me, fd);
		error = norn_file_write(fd, block ? block : me->tail, size, me->stored);
		norn_sys_close(fd);
	}
	if (error < 0)
		norn_fail("thread.", me->number, error);
	else
		count_written(me, size);
	return error >= 0;
}

/* Whoever reads the tail sees a block or none, at any time. */
static void empty_tail(struct norn_self *me)
{
	*(volatile uint32_t *)&((struct log_block *)me->tail)->magic = 0;
	NORN_COMPILER_BARRIER();
	memset(me->tail, 0, (size_t)((char *)me->at - (char *)me->tail));
}

/* Adds what this thread wrote to the sums of the run, and keeps the limits. */
static void count(struct norn_self *me)
{
	struct log_run *run = norn_run.shared;
	uint64_t records =
		__atomic_add_fetch(&run->records, me->records - me->counted, __ATOMIC_RELAXED);
	__atomic_add_fetch(&run->blocks, 1, __ATOMIC_RELAXED);
	me->counted = me->records;
	if (run->limit && records >= run->limit)
		norn_stop(LOG_LIMIT);
	if ((me->block + 1) * BLOCK_WORDS > WORDS_MOST)
		norn_stop(LOG_LONG);
}

static void stop_here(struct norn_self *me)
{
	me->mode = NORN_STOPPED;
	norn_blocks_unmap(me);
	me->at = me->scratch;
	me->room = me->limit = me->scratch;
	me->origin = me->scratch;
}

void norn_set_limit(struct norn_self *me)
{
	__atomic_store_n(&me->limit, norn_replays() ? NULL : me->room, __ATOMIC_SEQ_CST);
	/* Who cancels it sets both, in the other order. */
	if (__atomic_load_n(&me->cancelled, __ATOMIC_SEQ_CST))
		me->limit = NULL;
}

static void begin_block(struct norn_self *me)
{
	struct log_block *block = (struct log_block *)me->tail;
	block->thread = me->number;
	block->number = me->block;
	block->time = norn_now();
	block->records = me->records;
	NORN_COMPILER_BARRIER();
	*(volatile uint32_t *)&block->magic = LOG_MAGIC;
	me->at = (uint64_t *)(block + 1);
	me->room = me->tail + BLOCK_WORDS - NORN_ROOM;
	me->origin = me->tail - me->block * BLOCK_WORDS;
	me->round = 0; /* what is there is gone */
	me->block++;
}

static bool is_stopped(void)
{
	return __atomic_load_n(&norn_run.shared->stop, __ATOMIC_ACQUIRE);
}

static void next_block(struct norn_self *me)
{
	count(me);
	bool written = write_block(me);
	if (written)
		empty_tail(me);
	if (written && !is_stopped()) {
		begin_block(me);
		norn_set_limit(me);
	} else {
		stop_here(me);
	}
}

/* Whether its log has begun. */
static bool start(struct norn_self *me)
{
	me->at = me->limit = me->room = NULL;
	me->tail = NULL;
	me->packing = NULL;
	me->block = me->records = me->counted = 0;
	me->stored = me->expected = 0;
	me->noted = 0;
	memset(me->fixed, 0, sizeof me->fixed);
	me->marks = me->unseen ? NORN_UNSEEN : 0;
	if (is_stopped() || !map_tail(me))
		return false;
	begin_block(me);
	return true;
}

static void log_or_stop(struct norn_self *me, bool logs)
{
	me->mode = NORN_LOGS;
	if (logs)
		norn_set_limit(me);
	else
		stop_here(me);
}

void norn_blocks_begin(struct norn_self *me)
{
	me->calls = 0;
	if (!norn_late_waits(me)) {
		log_or_stop(me, start(me));
		return;
	}
	stop_here(me);
	me->mode = NORN_PAUSED;
	me->limit = NULL;
}

void norn_blocks_start(struct norn_self *me)
{
	me->late.logs = start(me);
}

bool norn_blocks_room(struct norn_self *me)
{
	if (me->late.logs && me->at >= me->room) {
		count(me);
		me->late.logs = write_block(me) && !is_stopped();
		if (me->late.logs) {
			empty_tail(me);
			begin_block(me);
		}
	}
	return me->late.logs;
}

void norn_blocks_go_on(struct norn_self *me)
{
	log_or_stop(me, me->late.logs);
}

void norn_blocks_end(struct norn_self *me)
{
	if (me->mode == NORN_LOGS) {
		count(me);
		if (write_block(me))
			norn_file_remove("tail.", me->number);
	}
	norn_late_forget(me);
	norn_blocks_unmap(me);
	norn_inputs_end();
	me->at = me->limit = me->room = NULL;
	me->mode = NORN_PLAIN;
}

bool norn_prepare(struct norn_self *me)
{
	if (me->mode == NORN_UNKNOWN)
		norn_attach(me);
	else if (me->mode == NORN_PAUSED)
		norn_late_look(me);
	if (me->mode == NORN_LOGS && me->at >= me->room)
		next_block(me);
	if (NORN_UNLIKELY(me->cancelled))
		norn_notice_cancel(me);
	if (me->mode == NORN_STOPPED || me->mode == NORN_PAUSED)
		me->at = me->scratch;
	return me->mode != NORN_PLAIN && me->mode != NORN_UNKNOWN;
}

bool norn_make_room(struct norn_self *me, unsigned words)
{
	if (words + 4 <= NORN_ROOM) /* behind a mark */
		return true;
	if (me->mode == NORN_LOGS && me->at + words > me->tail + BLOCK_WORDS)
		next_block(me);
	return me->mode == NORN_LOGS;
}

void norn_log_time(struct norn_self *me)
{
	if (!norn_enter(me))
		return;
	norn_put2(me, LOG_TIME, 0, norn_now());
	norn_leave(me);
}
