/* SPDX-License-Identifier: MIT */
/* Sockets. */
#include "runtime/libc/libc.h"
#include "runtime/libc/remote.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* An address that the kernel fills, and its length, which goes in and out. */
struct address {
	struct sockaddr_storage ours;
	socklen_t room, length;
	bool direct; /* what the program gives cannot be written */
};

static struct sockaddr *address_begin(const void *pc, struct address *a, void *to,
				      socklen_t *length)
{
	a->direct = false;
	a->room = a->length = 0;
	if (!to || !length)
		return NULL;
	a->direct = !norn_can_write(length, sizeof *length) ||
		    !norn_can_write(to, norn_least(*length, sizeof a->ours));
	if (a->direct)
		return to;
	norn_get(pc, &a->length, length, sizeof a->length);
	norn_decided(pc);
	if (a->length > sizeof a->ours && a->length <= INT_MAX)
		a->length = sizeof a->ours;
	a->room = a->length;
	return (struct sockaddr *)&a->ours;
}

static void address_end(const void *pc, const struct address *a, void *to, socklen_t *length)
{
	int error = errno;
	if (to && length && !a->direct) {
		norn_put(pc, to, &a->ours, norn_least(a->room, a->length));
		norn_put(pc, length, &a->length, sizeof a->length);
	}
	errno = error;
}

static ssize_t receive(const void *pc, int fd, void *to, size_t n, int flags, void *from,
		       socklen_t *length)
{
	struct norn_inlet in;
	struct address a;
	void *buffer = norn_inlet_begin(&in, to, n);
	struct sockaddr *address = address_begin(pc, &a, from, length);
	norn_long_call();
	ssize_t r = a.direct ? recvfrom(fd, buffer, n, flags, from, length)
			     : norn_remote_receive(fd, buffer, n, flags, address,
						   address ? &a.length : NULL);
	norn_noticed(fd);
	/* With MSG_TRUNC r is the length of the message, however much of it was taken. */
	norn_inlet_arrived(pc, &in, r > 0 ? norn_least((size_t)r, n) : 0);
	if (r >= 0)
		address_end(pc, &a, from, length);
	return r;
}

ssize_t __norn_recv(int fd, void *to, size_t n, int flags)
{
	return receive(NORN_CALLER, fd, to, n, flags, NULL, NULL);
}

ssize_t __norn_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from,
			socklen_t *length)
{
	return receive(NORN_CALLER, fd, to, n, flags, from, length);
}

ssize_t __norn___recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	if (n > room)
		__chk_fail();
	return receive(NORN_CALLER, fd, to, n, flags, NULL, NULL);
}

ssize_t __norn___recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
			      struct sockaddr *from, socklen_t *length)
{
	if (n > room)
		__chk_fail();
	return receive(NORN_CALLER, fd, to, n, flags, from, length);
}

static ssize_t sent(int fd, ssize_t r)
{
	norn_wrote(fd, r >= 0);
	return r;
}

ssize_t __norn_send(int fd, const void *from, size_t n, int flags)
{
	norn_see(NORN_CALLER, from, n);
	norn_announce(fd);
	norn_writes(fd, n);
	norn_long_call();
	return sent(fd, norn_remote_send(fd, from, n, flags, NULL, 0));
}

ssize_t __norn_sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *to,
		      socklen_t length)
{
	norn_see(NORN_CALLER, from, n);
	norn_see(NORN_CALLER, to, to ? length : 0);
	norn_announce(fd);
	norn_writes(fd, n);
	norn_long_call();
	return sent(fd, norn_remote_send(fd, from, n, flags, to, length));
}

typedef void each_part(const void *pc, const struct iovec *part, size_t n);

/* Does something for the first n bytes of a message, part by part. */
static void walk(const void *pc, const struct msghdr *m, size_t n, each_part *what)
{
	for (size_t i = 0; i < m->msg_iovlen && n; i++) {
		struct iovec part;
		if (!norn_can_read(m->msg_iov + i, sizeof part))
			return;
		norn_decided_by(pc, norn_get_position(pc, &part, m->msg_iov + i, sizeof part));
		what(pc, &part, norn_least(part.iov_len, n));
		n -= norn_least(part.iov_len, n);
	}
}

static void see_part(const void *pc, const struct iovec *part, size_t n)
{
	norn_see(pc, part->iov_base, n);
}

static void fill_part(const void *pc, const struct iovec *part, size_t n)
{
	norn_filled(pc, part->iov_base, n);
}

ssize_t __norn_sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct msghdr m;
	if (!norn_can_read(message, sizeof m))
		return sendmsg(fd, message, flags);
	norn_decided_by(NORN_CALLER, norn_get_position(NORN_CALLER, &m, message, sizeof m));
	norn_see(NORN_CALLER, m.msg_name, m.msg_name ? m.msg_namelen : 0);
	norn_see(NORN_CALLER, m.msg_control, m.msg_control ? m.msg_controllen : 0);
	if (m.msg_name || m.msg_control)
		norn_decided(NORN_CALLER);
	walk(NORN_CALLER, &m, SIZE_MAX, see_part);
	norn_announce(fd);
	norn_writes(fd, SIZE_MAX);
	norn_long_call();
	return sent(fd, norn_remote_sendmsg(fd, &m, flags));
}

/* The kernel fills the program's memory here; what it has filled is logged afterwards. */
ssize_t __norn_recvmsg(int fd, struct msghdr *message, int flags)
{
	struct msghdr m;
	if (!norn_can_write(message, sizeof m))
		return recvmsg(fd, message, flags);
	norn_get(NORN_CALLER, &m, message, sizeof m);
	norn_decided(NORN_CALLER);
	socklen_t name_room = m.msg_namelen;
	norn_long_call();
	ssize_t r = norn_remote_recvmsg(fd, &m, flags);
	int error = errno;
	norn_noticed(fd);
	if (r >= 0) {
		walk(NORN_CALLER, &m, (size_t)r, fill_part);
		norn_filled(NORN_CALLER, m.msg_name,
			    m.msg_name ? norn_least(name_room, m.msg_namelen) : 0);
		norn_filled(NORN_CALLER, m.msg_control, m.msg_control ? m.msg_controllen : 0);
		norn_put(NORN_CALLER, &message->msg_namelen, &m.msg_namelen, sizeof m.msg_namelen);
		norn_put(NORN_CALLER, &message->msg_controllen, &m.msg_controllen,
			 sizeof m.msg_controllen);
		norn_put(NORN_CALLER, &message->msg_flags, &m.msg_flags, sizeof m.msg_flags);
	}
	errno = error;
	return r;
}

int __norn_accept(int fd, struct sockaddr *to, socklen_t *length)
{
	struct address a;
	struct sockaddr *address = address_begin(NORN_CALLER, &a, to, length);
	norn_long_call();
	int r = a.direct ? accept(fd, to, length)
			 : norn_remote_accept(fd, address, address ? &a.length : NULL, 0);
	norn_noticed(fd);
	if (r >= 0)
		address_end(NORN_CALLER, &a, to, length);
	return r;
}

int __norn_accept4(int fd, struct sockaddr *to, socklen_t *length, int flags)
{
	struct address a;
	struct sockaddr *address = address_begin(NORN_CALLER, &a, to, length);
	norn_long_call();
	int r = a.direct ? accept4(fd, to, length, flags)
			 : norn_remote_accept(fd, address, address ? &a.length : NULL, flags);
	norn_noticed(fd);
	if (r >= 0)
		address_end(NORN_CALLER, &a, to, length);
	return r;
}

int __norn_getsockname(int fd, struct sockaddr *to, socklen_t *length)
{
	struct address a;
	struct sockaddr *address = address_begin(NORN_CALLER, &a, to, length);
	int r = a.direct ? getsockname(fd, to, length)
			 : norn_remote_getsockname(fd, address, address ? &a.length : NULL);
	if (!r)
		address_end(NORN_CALLER, &a, to, length);
	return r;
}

int __norn_getpeername(int fd, struct sockaddr *to, socklen_t *length)
{
	struct address a;
	struct sockaddr *address = address_begin(NORN_CALLER, &a, to, length);
	int r = a.direct ? getpeername(fd, to, length)
			 : norn_remote_getpeername(fd, address, address ? &a.length : NULL);
	if (!r)
		address_end(NORN_CALLER, &a, to, length);
	return r;
}

int __norn_connect(int fd, const struct sockaddr *to, socklen_t length)
{
	norn_see(NORN_CALLER, to, length);
	norn_announce(fd);
	norn_names_look();
	norn_long_call();
	int r = norn_remote_connect(fd, to, length);
	norn_noticed(fd); /* whether somebody listens there */
	norn_names_look();
	return r;
}

int __norn_listen(int fd, int most)
{
	norn_announce(fd);
	int r = norn_remote_listen(fd, most);
	norn_announce(fd);
	return r;
}

int __norn_bind(int fd, const struct sockaddr *to, socklen_t length)
{
	norn_see(NORN_CALLER, to, length);
	norn_names_change();
	norn_announce(fd);
	int r = norn_remote_bind(fd, to, length);
	norn_names_change();
	return r;
}

int __norn_setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	norn_see(NORN_CALLER, value, value ? length : 0);
	return norn_remote_setsockopt(fd, level, name, value, length);
}

int __norn_getsockopt(int fd, int level, int name, void *to, socklen_t *length)
{
	struct norn_inlet in;
	socklen_t n;
	if (!norn_can_write(length, sizeof n))
		return getsockopt(fd, level, name, to, length);
	norn_get(NORN_CALLER, &n, length, sizeof n);
	norn_decided(NORN_CALLER);
	void *buffer = norn_inlet_begin(&in, to, n);
	int r = norn_remote_getsockopt(fd, level, name, buffer, &n);
	norn_inlet_end(NORN_CALLER, &in, r ? 0 : n);
	if (!r)
		norn_put(NORN_CALLER, length, &n, sizeof n);
	return r;
}
