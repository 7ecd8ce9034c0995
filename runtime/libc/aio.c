/* SPDX-License-Identifier: MIT */
/*
 * What libc does in threads of its own: input and output, and names of hosts. What was done before
 * it was asked for comes before what is done by who learns that it is over, or is notified.
 *
 * When libc's thread writes to the program's memory is not known: what it read from a file shows as
 * changes from outside (doc/recording.md).
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <aio.h>

/* The end of it is told, perhaps, and not only to who asks. */
static void will_tell(const struct sigevent *how)
{
	if (how && how->sigev_notify != SIGEV_NONE)
		norn_notifies_by(how->sigev_notify == SIGEV_SIGNAL ? how->sigev_signo : 0);
}

static void submit(const void *pc, const struct aiocb *block)
{
	norn_see(pc, block, offsetof(struct aiocb, __next_prio));
	will_tell(&block->aio_sigevent);
	norn_announce_queue();
	norn_announce_notification();
	if (block->aio_sigevent.sigev_notify == SIGEV_SIGNAL)
		norn_announce_signal(block->aio_sigevent.sigev_signo);
}

static void write_later(const void *pc, const struct aiocb *block)
{
	norn_see(pc, (const void *)block->aio_buf, block->aio_nbytes);
	norn_announce(block->aio_fildes);
}

int __norn_aio_read(struct aiocb *block)
{
	norn_reads_later(block->aio_fildes);
	submit(NORN_CALLER, block);
	return aio_read(block);
}

int __norn_aio_write(struct aiocb *block)
{
	submit(NORN_CALLER, block);
	write_later(NORN_CALLER, block);
	return aio_write(block);
}

int __norn_aio_fsync(int how, struct aiocb *block)
{
	submit(NORN_CALLER, block);
	return aio_fsync(how, block);
}

int __norn_lio_listio(int mode, struct aiocb *const *blocks, int n, struct sigevent *how)
{
	norn_see(NORN_CALLER, blocks, n > 0 ? (size_t)n * sizeof *blocks : 0);
	norn_see(NORN_CALLER, how, how ? sizeof *how : 0);
	norn_decided(NORN_CALLER);
	will_tell(how);
	for (int i = 0; i < n; i++) {
		if (!blocks[i])
			continue;
		if (blocks[i]->aio_lio_opcode == LIO_READ)
			norn_reads_later(blocks[i]->aio_fildes);
		submit(NORN_CALLER, blocks[i]);
		if (blocks[i]->aio_lio_opcode == LIO_WRITE)
			write_later(NORN_CALLER, blocks[i]);
	}
	norn_long_call();
	int r = lio_listio(mode, blocks, n, how);
	norn_noticed_queue();
	return r;
}

int __norn_aio_error(const struct aiocb *block)
{
	norn_noticed_queue();
	int r = aio_error(block);
	norn_noticed_queue();
	return r;
}

ssize_t __norn_aio_return(struct aiocb *block)
{
	ssize_t r = aio_return(block);
	norn_noticed_queue();
	return r;
}

int __norn_aio_suspend(const struct aiocb *const *blocks, int n, const struct timespec *limit)
{
	norn_see(NORN_CALLER, blocks, n > 0 ? (size_t)n * sizeof *blocks : 0);
	norn_see(NORN_CALLER, limit, limit ? sizeof *limit : 0);
	norn_long_call();
	int r = aio_suspend(blocks, n, limit);
	norn_noticed_queue();
	return r;
}

int __norn_aio_cancel(int fd, struct aiocb *block)
{
	norn_noticed_queue();
	int r = aio_cancel(fd, block);
	norn_noticed_queue();
	return r;
}

/* With larger offsets, which are the same here. */
#define AS(name, type, parameters, call) \
	type __norn_##name parameters    \
	{                                \
		return call;             \
	}
#define BLOCK(block) ((struct aiocb *)(block))
AS(aio_read64, int, (struct aiocb64 * block), __norn_aio_read(BLOCK(block)))
AS(aio_write64, int, (struct aiocb64 * block), __norn_aio_write(BLOCK(block)))
AS(aio_fsync64, int, (int how, struct aiocb64 *block), __norn_aio_fsync(how, BLOCK(block)))
AS(aio_error64, int, (const struct aiocb64 *block), __norn_aio_error(BLOCK(block)))
AS(aio_return64, ssize_t, (struct aiocb64 * block), __norn_aio_return(BLOCK(block)))
AS(aio_cancel64, int, (int fd, struct aiocb64 *block), __norn_aio_cancel(fd, BLOCK(block)))
AS(aio_suspend64, int, (const struct aiocb64 *const blocks[], int n, const struct timespec *limit),
   __norn_aio_suspend((const struct aiocb *const *)blocks, n, limit))
AS(lio_listio64, int, (int mode, struct aiocb64 *const blocks[], int n, struct sigevent *how),
   __norn_lio_listio(mode, (struct aiocb *const *)blocks, n, how))

int __norn_getaddrinfo_a(int mode, struct gaicb **list, int n, struct sigevent *how)
{
	norn_see(NORN_CALLER, list, n > 0 ? (size_t)n * sizeof *list : 0);
	norn_see(NORN_CALLER, how, how ? sizeof *how : 0);
	norn_announce_queue();
	norn_announce_notification();
	norn_long_call();
	int r = getaddrinfo_a(mode, list, n, how);
	norn_noticed_queue();
	return r;
}

int __norn_gai_suspend(const struct gaicb *const *list, int n, const struct timespec *limit)
{
	norn_see(NORN_CALLER, list, n > 0 ? (size_t)n * sizeof *list : 0);
	norn_see(NORN_CALLER, limit, limit ? sizeof *limit : 0);
	norn_long_call();
	int r = gai_suspend(list, n, limit);
	norn_noticed_queue();
	return r;
}

int __norn_gai_error(struct gaicb *request)
{
	norn_noticed_queue();
	int r = gai_error(request);
	norn_noticed_queue();
	return r;
}
