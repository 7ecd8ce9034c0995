/* SPDX-License-Identifier: MIT */
#include "runtime/libc/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/libc/libc.h"
#include "runtime/sys.h"

static bool has_no_name(int r, const struct sockaddr_storage *name, socklen_t length)
{
	return !r && name->ss_family == AF_UNIX && length <= sizeof name->ss_family;
}

static bool is_pair(int fd)
{
	struct sockaddr_storage name = {0};
	socklen_t length = sizeof name;
	int r = getsockname(fd, (struct sockaddr *)&name, &length);
	if (!has_no_name(r, &name, length))
		return false;
	length = sizeof name;
	r = getpeername(fd, (struct sockaddr *)&name, &length);
	return has_no_name(r, &name, length);
}

bool norn_is_remote(int fd)
{
	struct stat s;
	int error = errno;
	bool remote = fd >= 0 && !fstat(fd, &s) && S_ISSOCK(s.st_mode) && !is_pair(fd);
	errno = error;
	return remote;
}

static bool gives(int fd, enum log_input_function function, struct norn_input *in)
{
	if (!norn_gives_sockets() || !norn_is_remote(fd))
		return false;
	norn_input_await(function, in);
	return true;
}

static void keep(int fd, enum log_input_function function, ssize_t r, const void *bytes,
		 size_t size)
{
	if (norn_keeps_inputs() && norn_is_remote(fd))
		norn_input_keep(function, r, bytes, size);
}

/* Names of sockets, as they are kept: the length that they really have, and what there was room
 * for. */
struct name {
	uint32_t length;
	char bytes[sizeof(struct sockaddr_storage)];
};

static size_t pack_name(struct name *to, const struct sockaddr *name, socklen_t room,
			socklen_t length)
{
	size_t n = norn_least(norn_least(room, length), sizeof to->bytes);
	to->length = length;
	memcpy(to->bytes, name, n);
	return sizeof to->length + n;
}

static void give_name(const struct norn_input *in, struct sockaddr *to, socklen_t *length)
{
	uint32_t real;
	if (!to || !length || in->size < sizeof real)
		return;
	memcpy(&real, in->bytes, sizeof real);
	memcpy(to, (const char *)in->bytes + sizeof real,
	       norn_least(in->size - sizeof real, *length));
	*length = real;
}

static void keep_name(int fd, enum log_input_function function, int r, const struct sockaddr *name,
		      socklen_t room, const socklen_t *length)
{
	struct name packed;
	size_t n = r >= 0 && name && length ? pack_name(&packed, name, room, *length) : 0;
	keep(fd, function, r, &packed, n);
}

/* What the process has at both ends */

enum inside { NOT_INSIDE, BYTES, MESSAGES, COUNTER, ALARM };

static enum inside anonymous_kind(int fd)
{
	char link[32], is[32];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, is, sizeof is - 1);
	is[n < 0 ? 0 : n] = '\0';
	return strstr(is, "eventfd]") ? COUNTER : strstr(is, "timerfd]") ? ALARM : MESSAGES;
}

static enum inside socket_kind(int fd)
{
	int type = 0;
	socklen_t length = sizeof type;
	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length);
	return type == SOCK_STREAM ? BYTES : MESSAGES;
}

/* Of what is no file, and not remote. */
static enum inside inside_kind(int fd)
{
	struct stat s;
	int error = errno;
	enum inside kind = NOT_INSIDE;
	if (fd >= 0 && !fstat(fd, &s))
		switch (s.st_mode & S_IFMT) {
		case S_IFIFO: kind = BYTES; break;
		case S_IFSOCK: kind = socket_kind(fd); break;
		case 0: kind = anonymous_kind(fd); break;
		default: break;
		}
	errno = error;
	return kind;
}

/* Behind the bug a signal that came from outside does not come, and what its handler would do. */
#define INSIDE_MS 2000

void norn_await_inside(int fd, short events)
{
	struct pollfd one = {.fd = fd, .events = events};
	int error = errno, r, wait = INSIDE_MS;
	norn_input_waits();
	while ((r = poll(&one, 1, wait)) <= 0 && (!r || errno == EINTR))
		if (!r && wait > 0) {
			norn_input_lacks();
			wait = -1;
		}
	errno = error;
}

/* As many as there were then, in however many pieces they come. */
static ssize_t read_bytes(int fd, char *to, size_t n)
{
	size_t done = 0;
	ssize_t r = 1;
	while (done < n && (r > 0 || (r < 0 && (errno == EINTR || errno == EAGAIN)))) {
		norn_await_inside(fd, POLLIN);
		r = read(fd, to + done, n - done);
		done += r > 0 ? (size_t)r : 0;
	}
	return done || !r ? (ssize_t)done : -1;
}

/* What has been added beyond that goes back. */
static void read_counter(int fd, uint64_t wanted)
{
	uint64_t all = 0, more;
	while (all < wanted) {
		norn_await_inside(fd, POLLIN);
		if (read(fd, &more, sizeof more) == sizeof more)
			all += more;
	}
	more = all - wanted;
	if (more && write(fd, &more, sizeof more) < 0)
		return;
}

static ssize_t read_again(int fd, enum inside kind, const struct norn_input *in, void *to, size_t n)
{
	bool number = in->size == sizeof(uint64_t) && n >= in->size;
	uint64_t value = 0;
	if (in->result <= 0)
		return (ssize_t)in->result;
	if (kind == BYTES)
		return read_bytes(fd, to, norn_least((size_t)in->result, n));
	if (kind == COUNTER && number) {
		memcpy(&value, in->bytes, sizeof value);
		read_counter(fd, value);
		memcpy(to, &value, sizeof value);
		return sizeof value;
	}
	norn_await_inside(fd, POLLIN);
	ssize_t r = read(fd, to, n);
	if (kind == ALARM && r == (ssize_t)in->size && number)
		memcpy(to, in->bytes, in->size);
	return r;
}

/* Likewise of what was read already, with `r` as the result. */
static ssize_t keep_inside(enum inside kind, ssize_t r, const void *bytes)
{
	if (kind != NOT_INSIDE && norn_keeps_inputs())
		norn_input_keep(INPUT_INSIDE, r, bytes,
				(kind == COUNTER || kind == ALARM) && r > 0 ? (size_t)r : 0);
	return r;
}

static ssize_t read_inside(int fd, void *to, size_t n)
{
	struct norn_input in;
	enum inside kind = inside_kind(fd);
	ssize_t r;
	if (norn_gives_sockets() && kind != NOT_INSIDE && norn_input_given(INPUT_INSIDE, &in))
		r = read_again(fd, kind, &in, to, n);
	else
		r = read(fd, to, n);
	return keep_inside(kind, r, to);
}

static ssize_t receive_inside(int fd, void *to, size_t n, int flags, struct sockaddr *from,
			      socklen_t *length)
{
	struct norn_input in;
	enum inside kind = inside_kind(fd);
	ssize_t r;
	if (norn_gives_sockets() && kind != NOT_INSIDE && norn_input_given(INPUT_INSIDE, &in) &&
	    (in.result <= 0 || (kind == BYTES && !from && !(flags & (MSG_PEEK | MSG_TRUNC)))))
		r = read_again(fd, kind, &in, to, n);
	else
		r = recvfrom(fd, to, n, flags, from, length);
	return keep_inside(kind, r, to);
}

/* Input */

static ssize_t given_bytes(const struct norn_input *in, void *to, size_t n, struct sockaddr *from,
			   socklen_t *length)
{
	struct norn_input name = {.bytes = in->bytes,
				  .size = norn_least(in->size, sizeof(struct name))};
	const char *data = (const char *)in->bytes + sizeof(struct name);
	if (in->result < 0 || in->size < sizeof(struct name))
		return (ssize_t)in->result;
	memcpy(to, data, norn_least(in->size - sizeof(struct name), n));
	if (from && length)
		give_name(&name, from, length);
	return (ssize_t)in->result;
}

/* The name with all the room that it may need, and then the data. */
static void keep_bytes(int fd, ssize_t r, const void *data, size_t n, const struct sockaddr *from,
		       socklen_t room, const socklen_t *length)
{
	struct norn_scratch all;
	struct name name = {0};
	n = r > 0 ? norn_least((size_t)r, n) : 0;
	norn_scratch_init(&all);
	if (from && length && r >= 0)
		pack_name(&name, from, room, *length);
	if (r >= 0 && norn_scratch_grow(&all, sizeof name + n)) {
		memcpy(all.data, &name, sizeof name);
		memcpy(all.data + sizeof name, data, n);
		keep(fd, INPUT_RECEIVE, r, all.data, sizeof name + n);
	} else {
		keep(fd, INPUT_RECEIVE, r, NULL, 0);
	}
	norn_scratch_release(&all);
}

ssize_t norn_remote_receive(int fd, void *to, size_t n, int flags, struct sockaddr *from,
			    socklen_t *length)
{
	struct norn_input in;
	socklen_t room = length ? *length : 0;
	if (!norn_is_remote(fd))
		return receive_inside(fd, to, n, flags, from, length);
	ssize_t r = gives(fd, INPUT_RECEIVE, &in) ? given_bytes(&in, to, n, from, length)
						  : recvfrom(fd, to, n, flags, from, length);
	int error = errno;
	keep_bytes(fd, r, to, n, from, room, length);
	errno = error;
	return r;
}

ssize_t norn_remote_read(int fd, void *to, size_t n)
{
	return norn_is_remote(fd) ? norn_remote_receive(fd, to, n, 0, NULL, NULL)
				  : read_inside(fd, to, n);
}

static size_t room_of(const struct iovec *v, size_t n)
{
	size_t all = 0;
	for (size_t i = 0; i < n; i++)
		all += v[i].iov_len;
	return all;
}

static void scatter(const struct iovec *v, size_t count, const char *from, size_t n)
{
	for (size_t i = 0; i < count && n; i++) {
		size_t part = norn_least(v[i].iov_len, n);
		memcpy(v[i].iov_base, from, part);
		from += part;
		n -= part;
	}
}

static void gather(const struct iovec *v, size_t count, char *to, size_t n)
{
	for (size_t i = 0; i < count && n; i++) {
		size_t part = norn_least(v[i].iov_len, n);
		memcpy(to, v[i].iov_base, part);
		to += part;
		n -= part;
	}
}

ssize_t norn_remote_readv(int fd, const struct iovec *v, int n)
{
	struct norn_scratch all;
	size_t count = n < 0 ? 0 : (size_t)n, room = room_of(v, count);
	norn_scratch_init(&all);
	if (!norn_is_remote(fd) || !norn_scratch_grow(&all, room))
		return readv(fd, v, n);
	ssize_t r = norn_remote_receive(fd, all.data, room, 0, NULL, NULL);
	int error = errno;
	scatter(v, count, all.data, r > 0 ? (size_t)r : 0);
	norn_scratch_release(&all);
	errno = error;
	return r;
}

/* A message, as it is kept: this, its name, what comes with it, its bytes. */
struct message {
	uint32_t name, control;
	int32_t flags;
	uint32_t bytes;
};

static ssize_t given_message(const struct norn_input *in, struct msghdr *m)
{
	struct message head;
	const char *at = (const char *)in->bytes + sizeof head;
	if (in->result < 0 || in->size < sizeof head)
		return (ssize_t)in->result;
	memcpy(&head, in->bytes, sizeof head);
	if (m->msg_name)
		memcpy(m->msg_name, at, norn_least(head.name, m->msg_namelen));
	at += head.name;
	if (m->msg_control)
		memcpy(m->msg_control, at, norn_least(head.control, m->msg_controllen));
	scatter(m->msg_iov, m->msg_iovlen, at + head.control, head.bytes);
	m->msg_namelen = head.name;
	m->msg_controllen = head.control;
	m->msg_flags = head.flags;
	return (ssize_t)in->result;
}

static void keep_message(int fd, ssize_t r, const struct msghdr *m, size_t name_room)
{
	struct norn_scratch all;
	struct message head = {0};
	norn_scratch_init(&all);
	if (r >= 0)
		head = (struct message){
			.name = m->msg_name ? (uint32_t)norn_least(m->msg_namelen, name_room) : 0,
			.control = m->msg_control ? (uint32_t)m->msg_controllen : 0,
			.flags = m->msg_flags,
			.bytes = (uint32_t)norn_least((size_t)r,
						      room_of(m->msg_iov, m->msg_iovlen))};
	size_t size = sizeof head + head.name + head.control + head.bytes;
	if (r < 0 || !norn_scratch_grow(&all, size)) {
		keep(fd, INPUT_RECEIVE, r, NULL, 0);
	} else {
		char *at = all.data + sizeof head;
		memcpy(all.data, &head, sizeof head);
		if (head.name)
			memcpy(at, m->msg_name, head.name);
		at += head.name;
		if (head.control)
			memcpy(at, m->msg_control, head.control);
		gather(m->msg_iov, m->msg_iovlen, at + head.control, head.bytes);
		keep(fd, INPUT_RECEIVE, r, all.data, size);
	}
	norn_scratch_release(&all);
}

static void note_itself(void)
{
	int error = errno;
	norn_input_keep(INPUT_ITSELF, 0, NULL, 0);
	errno = error;
}

static bool brings_descriptors(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			return true;
	return false;
}

ssize_t norn_remote_recvmsg(int fd, struct msghdr *m, int flags)
{
	struct norn_input in;
	size_t name_room = m->msg_namelen;
	ssize_t r = gives(fd, INPUT_RECEIVE, &in) ? given_message(&in, m) : recvmsg(fd, m, flags);
	int error = errno;
	if (r >= 0 && norn_is_remote(fd) && m->msg_control && brings_descriptors(m))
		note_itself();
	keep_message(fd, r, m, name_room);
	errno = error;
	return r;
}

/* Output */

static ssize_t taken(const struct norn_input *in, int flags)
{
	if (in->result < 0 && errno == EPIPE && !(flags & MSG_NOSIGNAL)) {
		NORN_SYS(tgkill, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0),
			 NORN_SYS(gettid, 0, 0, 0, 0, 0, 0), SIGPIPE, 0, 0, 0);
		errno = EPIPE;
	}
	return (ssize_t)in->result;
}

static ssize_t sent(int fd, ssize_t r)
{
	keep(fd, INPUT_SEND, r, NULL, 0);
	return r;
}

/* Ports that the program has, in the order of the network. */
static uint64_t own_ports[1 << 10];

static bool port_of(const struct sockaddr_storage *name, uint16_t *port)
{
	if (name->ss_family == AF_INET)
		*port = ((const struct sockaddr_in *)name)->sin_port;
	else if (name->ss_family == AF_INET6)
		*port = ((const struct sockaddr_in6 *)name)->sin6_port;
	else
		return false;
	return *port != 0;
}

static void copy_name(struct sockaddr_storage *to, const struct sockaddr *name, socklen_t length)
{
	*to = (struct sockaddr_storage){.ss_family = AF_UNSPEC};
	if (name)
		memcpy(to, name, norn_least(length, sizeof *to));
}

static bool is_own_port(const struct sockaddr *name, socklen_t length)
{
	struct sockaddr_storage to;
	uint16_t port;
	copy_name(&to, name, length);
	return port_of(&to, &port) &&
	       __atomic_load_n(&own_ports[port / 64], __ATOMIC_RELAXED) >> port % 64 & 1;
}

static void note_port(int fd)
{
	struct sockaddr_storage name = {0};
	socklen_t length = sizeof name;
	uint16_t port;
	int error = errno;
	if (!getsockname(fd, (struct sockaddr *)&name, &length) && port_of(&name, &port))
		__atomic_or_fetch(&own_ports[port / 64], UINT64_C(1) << port % 64,
				  __ATOMIC_RELAXED);
	errno = error;
}

/* A connection to a port of the program's own, on the same machine: both its ends have one address.
 * Of a socket in the file system the kernel says whose it is. */
static bool is_connected_to_itself(int fd, const struct sockaddr *to, socklen_t length)
{
	struct ucred peer = {0};
	struct sockaddr_storage here = {0}, there;
	socklen_t size = sizeof peer;
	copy_name(&there, to, length);
	if (there.ss_family == AF_UNIX)
		return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
		       peer.pid == getpid();
	size = sizeof here;
	if (!is_own_port(to, length) || getsockname(fd, (struct sockaddr *)&here, &size))
		return false;
	const struct sockaddr_in *a = (const void *)&here, *b = (const void *)&there;
	const struct sockaddr_in6 *c = (const void *)&here, *d = (const void *)&there;
	if (here.ss_family == AF_INET && there.ss_family == AF_INET)
		return a->sin_addr.s_addr == b->sin_addr.s_addr || b->sin_addr.s_addr == INADDR_ANY;
	return !memcmp(&c->sin6_addr, &d->sin6_addr, sizeof c->sin6_addr) ||
	       IN6_IS_ADDR_UNSPECIFIED(&d->sin6_addr);
}

ssize_t norn_remote_send(int fd, const void *from, size_t n, int flags, const struct sockaddr *to,
			 socklen_t length)
{
	struct norn_input in;
	if (to && is_own_port(to, length))
		note_itself();
	return sent(fd, gives(fd, INPUT_SEND, &in) ? taken(&in, flags)
			: to			   ? sendto(fd, from, n, flags, to, length)
						   : send(fd, from, n, flags));
}

ssize_t norn_remote_sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct norn_input in;
	if (m->msg_name && is_own_port(m->msg_name, m->msg_namelen))
		note_itself();
	return sent(fd, gives(fd, INPUT_SEND, &in) ? taken(&in, flags) : sendmsg(fd, m, flags));
}

ssize_t norn_remote_write(int fd, const void *from, size_t n)
{
	struct norn_input in;
	return sent(fd, gives(fd, INPUT_SEND, &in) ? taken(&in, 0) : write(fd, from, n));
}

ssize_t norn_remote_writev(int fd, const struct iovec *v, int n)
{
	struct norn_input in;
	return sent(fd, gives(fd, INPUT_SEND, &in) ? taken(&in, 0) : writev(fd, v, n));
}

ssize_t norn_remote_sendfile(int out, int in, off_t *at, size_t n)
{
	struct norn_input given;
	if (!gives(out, INPUT_SEND, &given))
		return sent(out, sendfile(out, in, at, n));
	ssize_t r = taken(&given, 0);
	if (r > 0 && at)
		*at += r;
	else if (r > 0)
		NORN_SYS(lseek, in, r, SEEK_CUR, 0, 0, 0);
	return sent(out, r);
}

/* Connections */

/* A descriptor that takes whatever is written to it: a socket that is connected to itself, for
 * messages; when it is full they are dropped. (libc writes to it where nobody sees it: dprintf.) */
static int new_sink(int flags)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof here;
	int fd = socket(AF_INET, SOCK_DGRAM | flags, 0);
	if (fd >= 0 && !bind(fd, (struct sockaddr *)&here, sizeof here) &&
	    !getsockname(fd, (struct sockaddr *)&here, &length))
		connect(fd, (struct sockaddr *)&here, length);
	return fd;
}

#define PATIENCE 2000 /* times half a millisecond */

/* Programs use the number as an index. It was free then: if another thread has yet to close it, it
 * will do so. */
static int sink_at(int wanted, int flags)
{
	static const struct timespec nap = {.tv_nsec = 500000};
	int fd = new_sink(flags);
	if (fd < 0 || fd == wanted)
		return fd;
	norn_input_waits();
	for (int i = 0; i < PATIENCE && NORN_SYS(fcntl, wanted, F_GETFD, 0, 0, 0, 0) >= 0; i++)
		NORN_SYS(nanosleep, &nap, 0, 0, 0, 0, 0);
	long there = NORN_SYS(fcntl, fd, flags & SOCK_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, wanted,
			      0, 0, 0);
	if (there < 0)
		return fd;
	NORN_SYS(close, fd, 0, 0, 0, 0, 0);
	return (int)there;
}

static int given_connection(const struct norn_input *in, struct sockaddr *to, socklen_t *length,
			    int flags)
{
	if (in->result < 0)
		return (int)in->result;
	give_name(in, to, length);
	return sink_at((int)in->result, flags & (SOCK_NONBLOCK | SOCK_CLOEXEC));
}

int norn_remote_accept(int fd, struct sockaddr *to, socklen_t *length, int flags)
{
	struct norn_input in;
	socklen_t room = length ? *length : 0;
	int r = gives(fd, INPUT_ACCEPT, &in) ? given_connection(&in, to, length, flags)
					     : accept4(fd, to, length, flags);
	keep_name(fd, INPUT_ACCEPT, r, to, room, length);
	return r;
}

static int settled(int fd, int r)
{
	keep(fd, INPUT_SETTING, r, NULL, 0);
	return r;
}

/* The descriptor takes what is written from here on. */
static void replace_by_sink(int fd)
{
	int error = errno;
	int flags = (int)NORN_SYS(fcntl, fd, F_GETFL, 0, 0, 0, 0);
	long closes = NORN_SYS(fcntl, fd, F_GETFD, 0, 0, 0, 0);
	int sink = new_sink(flags >= 0 && flags & O_NONBLOCK ? SOCK_NONBLOCK : 0);
	if (sink >= 0) {
		NORN_SYS(dup3, sink, fd, closes > 0 ? O_CLOEXEC : 0, 0, 0, 0);
		NORN_SYS(close, sink, 0, 0, 0, 0, 0);
	}
	errno = error;
}

int norn_remote_connect(int fd, const struct sockaddr *to, socklen_t length)
{
	struct norn_input in;
	bool given = gives(fd, INPUT_SETTING, &in);
	int r = given ? (int)in.result : connect(fd, to, length);
	int error = errno;
	if (given && (!r || error == EINPROGRESS))
		replace_by_sink(fd);
	else if ((!r || error == EINPROGRESS) && is_connected_to_itself(fd, to, length))
		note_itself();
	errno = error;
	return settled(fd, r);
}

/* In the file system there are to be the names that there were. */
int norn_remote_bind(int fd, const struct sockaddr *to, socklen_t length)
{
	struct norn_input in;
	struct sockaddr_storage name;
	if (gives(fd, INPUT_SETTING, &in)) {
		int error = errno;
		copy_name(&name, to, length);
		if (name.ss_family == AF_UNIX)
			bind(fd, to, length);
		errno = error;
		return settled(fd, (int)in.result);
	}
	int r = bind(fd, to, length);
	if (!r)
		note_port(fd);
	return settled(fd, r);
}

int norn_remote_listen(int fd, int most)
{
	struct norn_input in;
	if (gives(fd, INPUT_SETTING, &in))
		return settled(fd, (int)in.result);
	int r = listen(fd, most);
	if (!r)
		note_port(fd);
	return settled(fd, r);
}

int norn_remote_shutdown(int fd, int how)
{
	struct norn_input in;
	return settled(fd, gives(fd, INPUT_SETTING, &in) ? (int)in.result : shutdown(fd, how));
}

#define TELLS_NAME(name)                                                       \
	int norn_remote_##name(int fd, struct sockaddr *to, socklen_t *length) \
	{                                                                      \
		struct norn_input in;                                          \
		socklen_t room = length ? *length : 0;                         \
		bool given = gives(fd, INPUT_SETTING, &in);                    \
		int r = given ? (int)in.result : name(fd, to, length);         \
		if (given)                                                     \
			give_name(&in, to, length);                            \
		keep_name(fd, INPUT_SETTING, r, to, room, length);             \
		return r;                                                      \
	}
TELLS_NAME(getsockname)
TELLS_NAME(getpeername)

int norn_remote_getsockopt(int fd, int level, int name, void *to, socklen_t *length)
{
	struct norn_input in;
	int r;
	if (gives(fd, INPUT_SETTING, &in)) {
		r = (int)in.result;
		*length = (socklen_t)norn_least(in.size, *length);
		memcpy(to, in.bytes, *length);
	} else {
		r = getsockopt(fd, level, name, to, length);
	}
	keep(fd, INPUT_SETTING, r, to, r ? 0 : *length);
	return r;
}

int norn_remote_setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	struct norn_input in;
	return settled(fd, gives(fd, INPUT_SETTING, &in)
				   ? (int)in.result
				   : setsockopt(fd, level, name, value, length));
}

/* The descriptor in its place may be told the same. */
int norn_remote_ioctl(int fd, unsigned long request, void *argument, size_t n)
{
	struct norn_input in;
	int r = ioctl(fd, request, argument);
	if (gives(fd, INPUT_SETTING, &in)) {
		r = (int)in.result;
		memcpy(argument, in.bytes, norn_least(in.size, n));
	}
	keep(fd, INPUT_SETTING, r, argument, r < 0 ? 0 : n);
	return r;
}
