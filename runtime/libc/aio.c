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

static void submit(const void *pc, const struct aiocb *block)
{
	norn_see(pc, block, offsetof(struct aiocb, __next_prio));
	norn_announce_queue();
	norn_announce_notification();
}

static void write_later(const void *pc, const struct aiocb *block)
{
	norn_see(pc, (const void *)block->aio_buf, block->aio_nbytes);
	norn_announce(block->aio_fildes);
}

int __norn_aio_read(struct aiocb *block)
{
	submit(NORN_CALLER, block);
	norn_looks(block->aio_fildes);
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
	for (int i = 0; i < n; i++) {
		if (!blocks[i])
			continue;
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
