/* SPDX-License-Identifier: MIT */
/*
 * Streams that read from outside (terminals, /dev/urandom). libc asks the kernel inside, where
 * nobody sees it; so the buffer is filled here before libc can find it empty, and what comes is an
 * input. libc is then never asked for more than is in the buffer, but by scanf.
 */
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/remote.h"

#include <errno.h>

/* glibc's, of _flags */
#define SEEN (_IO_EOF_SEEN | _IO_ERR_SEEN)

#define IN_BACKUP 0x100

/* In libc, not in its headers. */
int __underflow(FILE *);
void _IO_free_backup_area(FILE *);

size_t norn_stream_holds(const FILE *f)
{
	return (size_t)(f->_IO_read_end - f->_IO_read_ptr);
}

bool norn_stream_is_outside(FILE *f)
{
	int error = errno;
	int fd = fileno_unlocked(f);
	errno = error;
	return fd >= 0 && (norn_origin_of(fd) == NORN_OUTSIDE || norn_is_remote(fd));
}

/* Of a socket, what is not there does not come. */
static bool gives(bool remote, struct norn_input *in)
{
	if (!remote)
		return norn_input_given(INPUT_STREAM, in);
	if (norn_gives_sockets())
		norn_input_await(INPUT_RECEIVE, in);
	return norn_gives_sockets();
}

/*
 * What ungetc has put back may be in an area of its own. When that is read, the buffer is what it
 * was before. True if there is something in it.
 */
static bool leave_backup(FILE *f)
{
	if (!(f->_flags & IN_BACKUP))
		return false;
	_IO_free_backup_area(f);
	return norn_stream_holds(f);
}

/* libc reads the bytes where they are. */
static void set_buffer(FILE *f, const struct norn_input *in)
{
	f->_IO_read_base = f->_IO_read_ptr = (char *)in->bytes;
	f->_IO_read_end = f->_IO_read_ptr + in->size;
	f->_flags |= (int)in->result & SEEN;
}

bool norn_stream_fill(FILE *f)
{
	struct norn_input in;
	if (norn_stream_holds(f) || leave_backup(f))
		return true;
	int error = errno;
	bool remote = norn_is_remote(fileno_unlocked(f));
	errno = error;
	if (gives(remote, &in) && !((int)in.result & ~SEEN))
		set_buffer(f, &in);
	else
		__underflow(f);
	norn_input_keep(remote ? INPUT_RECEIVE : INPUT_STREAM, f->_flags & SEEN, f->_IO_read_ptr,
			norn_stream_holds(f));
	return norn_stream_holds(f);
}
