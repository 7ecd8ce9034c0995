/* SPDX-License-Identifier: MIT */
/*
 * Order through the kernel: a thread that reads from a pipe knows what another did before it
 * wrote there. Channels are counters that only the log has; who hands something on counts one up,
 * who takes it depends on all of them. Each thread counts for itself, so that those who only write
 * learn nothing of each other (threads whose numbers are far apart share a counter, and do).
 *
 * All sockets are one channel, since nobody tells which two are connected, and so are all
 * descriptors without a file of their own (eventfds, timers, epoll); pipes and files are told
 * apart, by device and inode. The names of all files are one channel, of each signal there is one,
 * and one for all file locks and message queues. What is written to a terminal comes out at the
 * other side, if anywhere: printing orders nothing.
 *
 * Another process may hand on what it gets: what goes to it by one pipe comes back by another, by a
 * signal or by its end. So all that may reach other processes counts in one more channel, OUTSIDE,
 * and all that may come from them depends on it: sockets, pipes that the program was started with
 * or that have names; and everything once it has forked. Who forks comes behind all that was
 * counted before, since the child gets what is still in a pipe.
 *
 * As long as there is one thread, nothing is counted: all that it does comes before the others.
 *
 * What goes through a pipe is there or not, and who waits for it comes after it. A file can be
 * looked at at any time: so who changes one counts before and behind the change, and who looks does
 * that before and behind, too. Then no other order can have another answer.
 */
#include "runtime/hooks.h"
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/maps.h"
#include "runtime/pthread/locks.h"
#include "runtime/unseen.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

enum {
	SOCKETS,
	ANONYMOUS,
	NAMES,
	QUEUES,
	OUTSIDE,
	TO_MASTER,
	TO_SLAVE,
	FIRST_INODE,
	CHANNELS = 512
};
static struct norn_channel norn_channel[CHANNELS];

/* Whether some descriptor tells of what happens to others, by epoll or inotify; and of signals. */
static bool watches, watches_signals;

void norn_watches(void)
{
	watches = true;
}

/* A library watches these: only of what it watches it can be told. */
static bool watched[CHANNELS];

void norn_watches_signals(void)
{
	watches_signals = true;
}

/* Files that are memory of the program, too: by their channels. */
static bool mapped[CHANNELS];

/* What is handed on may go anywhere: there are other processes that this one has made, or it has
 * made a call of which nobody says how it orders threads. Pipes that others may have, by their
 * channels. */
static bool forked;
/* Only the latter: then what is kept for the process counts outside, too. */
static bool unknown_calls;
static bool foreign[CHANNELS];
static bool used[CHANNELS]; /* that somebody has counted in */

/* A side of a descriptor: what is written there, or what is read. */
struct side {
	struct norn_channel *channel; /* NULL: it orders nothing */
	bool file;		      /* it can be looked at any time */
	bool process;		      /* it tells of this process, whatever it is */
};

static struct norn_channel *inode_channel(const struct stat *s)
{
	return &norn_channel[FIRST_INODE + (s->st_dev * 31 + s->st_ino) % (CHANNELS - FIRST_INODE)];
}

/* Numbers of the kernel's: 5:2 makes pairs, whose other sides are 136 … 143; 5:0 is one's own. */
static struct norn_channel *terminal_channel(dev_t device, bool writes)
{
	bool master = major(device) == 5 && minor(device) == 2;
	bool slave = (major(device) >= 136 && major(device) <= 143) ||
		     (major(device) == 5 && minor(device) == 0);
	if (!master && !slave)
		return NULL;
	return &norn_channel[master == writes ? TO_SLAVE : TO_MASTER];
}

static struct side side_of(const struct stat *s, bool writes)
{
	switch (s->st_mode & S_IFMT) {
	case S_IFSOCK: return (struct side){.channel = &norn_channel[SOCKETS]};
	case S_IFIFO: return (struct side){.channel = inode_channel(s)};
	case 0: return (struct side){.channel = &norn_channel[ANONYMOUS]};
	case S_IFREG: return (struct side){.channel = inode_channel(s), .file = true};
	case S_IFDIR: return (struct side){.channel = &norn_channel[NAMES], .file = true};
	case S_IFCHR: return (struct side){.channel = terminal_channel(s->st_rdev, writes)};
	default: return (struct side){.channel = NULL};
	}
}

static struct side side_there(int fd, bool writes)
{
	struct stat s;
	int error = errno;
	int r = fd < 0 ? -1 : fstat(fd, &s);
	struct side side = r ? (struct side){.channel = NULL} : side_of(&s, writes);
	side.process = !r && norn_tells_of_a_process(fd, &s);
	errno = error;
	return side;
}

static struct side side_of_fd(int fd, bool writes)
{
	return side_there(norn_alone() ? -1 : fd, writes);
}

bool norn_is_of_process(int fd)
{
	return side_of_fd(fd, true).process;
}

void norn_watches_descriptor(int fd)
{
	struct side side = side_there(fd, false);
	if (side.channel)
		watched[side.channel - norn_channel] = true;
}

static bool goes_outside(const struct norn_channel *channel)
{
	return __atomic_load_n(&forked, __ATOMIC_SEQ_CST) || channel == &norn_channel[SOCKETS] ||
	       foreign[channel - norn_channel];
}

/* What else is told of whatever is written: signals, by number; threads of libc's; its queues. */
#define SIGNALS 65
static bool notifies, notifies_by_thread, notifies_by[SIGNALS];
static struct norn_channel norn_signal_channel[SIGNALS];

static void notify(const struct norn_channel *channel)
{
	if (channel != &norn_channel[QUEUES])
		norn_channel_count(&norn_channel[QUEUES]);
	if (notifies_by_thread)
		norn_announce_notification();
	for (int i = 1; i < SIGNALS; i++)
		if (notifies_by[i])
			norn_channel_count(&norn_signal_channel[i]);
}

static void count(struct norn_channel *channel)
{
	if (!channel)
		return;
	used[channel - norn_channel] = true;
	norn_prints();
	norn_channel_count(channel);
	if (notifies)
		notify(channel);
	if ((watches || watched[channel - norn_channel]) && channel != &norn_channel[ANONYMOUS])
		norn_channel_count(&norn_channel[ANONYMOUS]);
	if (goes_outside(channel))
		norn_channel_count(&norn_channel[OUTSIDE]);
}

static void look(struct norn_channel *channel)
{
	norn_channel_look(channel);
	if (goes_outside(channel))
		norn_channel_look(&norn_channel[OUTSIDE]);
}

static void take(struct norn_channel *channel)
{
	norn_channel_take(channel);
	if (goes_outside(channel))
		norn_channel_look(&norn_channel[OUTSIDE]);
}

bool norn_has_children(void)
{
	return __atomic_load_n(&forked, __ATOMIC_SEQ_CST);
}

void norn_children_look(void)
{
	norn_channel_look(&norn_channel[OUTSIDE]);
}

/* Which children there are, and which of them are over, depends on who made and who awaited them.
 */
void norn_children_change(void)
{
	/* who counts looks at it behind that: either sees the other */
	if (!__atomic_exchange_n(&forked, true, __ATOMIC_SEQ_CST))
		for (uint32_t i = 0; i < CHANNELS; i++)
			if (used[i])
				norn_channel_look(&norn_channel[i]);
	norn_channel_count(&norn_channel[OUTSIDE]);
	norn_channel_look(&norn_channel[OUTSIDE]);
}

#define INHERITED 64

void norn_channels_begin(void)
{
	struct stat s;
	int error = errno;
	for (int fd = 0; fd < INHERITED; fd++)
		if (!fstat(fd, &s) && S_ISFIFO(s.st_mode))
			foreign[inode_channel(&s) - norn_channel] = true;
	errno = error;
}

void norn_maps_file(int fd)
{
	struct stat s;
	int error = errno;
	if (fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode))
		mapped[inode_channel(&s) - norn_channel] = true;
	errno = error;
}

/* What a file holds is memory as well, and the log does not know that. */
static void note_mapped(const struct norn_channel *channel, int fd, bool writes)
{
	if (channel && mapped[channel - norn_channel])
		norn_maps_note_access(fd, writes);
}

/*
 * Values leave the program here, and what it does next does not depend on them:
 * instrument/leaving.h. Whoever reads them elsewhere depends on the count. But what comes into
 * memory that way is no write in the log: then they stay what they were.
 */
static void leaves(const struct norn_channel *channel)
{
	if (channel && mapped[channel - norn_channel])
		norn_depend_on_all();
}

struct norn_channel *norn_announce(int fd)
{
	struct side side = side_of_fd(fd, true);
	if (side.process)
		norn_orders_all();
	leaves(side.channel);
	count(side.channel);
	return side.file ? side.channel : NULL;
}

void norn_announced(struct norn_channel *channel)
{
	count(channel);
}

/*
 * Pipes and sockets have only so much room, and then who writes waits until somebody has read, or
 * is told that there is none. So once as much was written as there is room for, or if it was not
 * written, that depends on what was read; and who reads counts before as well, from half of it on.
 * (Others read what goes to a foreign pipe.) All descriptors of a pipe share its room. Of a socket
 * each has its own; what small messages take there is more than their bytes.
 */
#define LEAST_ROOM 4096
#define MESSAGE 1024
static uint64_t written[CHANNELS], sent[CHANNELS];
static bool presses[CHANNELS];

static uint64_t *written_to(int fd, const struct side *side)
{
	return side->channel == &norn_channel[SOCKETS] ? &sent[fd % CHANNELS]
						       : &written[side->channel - norn_channel];
}

static uint64_t room_of(int fd)
{
	int error = errno, room = fcntl(fd, F_GETPIPE_SZ), buffer;
	socklen_t size = sizeof buffer;
	if (room < 0 && !getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, &size))
		room = buffer / 2;
	errno = error;
	return room < LEAST_ROOM ? LEAST_ROOM : (uint64_t)room;
}

/* Also while there is one thread: it may fill what others find full. */
static struct side side_with_room(int fd)
{
	struct side side = side_there(fd, true);
	if (side.channel && (side.file || foreign[side.channel - norn_channel]))
		side.channel = NULL;
	return side;
}

void norn_writes(int fd, size_t n)
{
	struct side side = side_with_room(fd);
	note_mapped(side_of_fd(fd, true).channel, fd, true);
	if (!side.channel)
		return;
	n = n < UINT32_MAX - MESSAGE ? n : UINT32_MAX - MESSAGE;
	n += side.channel == &norn_channel[SOCKETS] ? MESSAGE : 0;
	if (__atomic_add_fetch(written_to(fd, &side), n, __ATOMIC_RELAXED) > room_of(fd) / 4)
		presses[side.channel - norn_channel] = true;
}

void norn_wrote(int fd, bool done)
{
	struct side side = side_with_room(fd);
	if (!side.channel)
		return;
	if (!done)
		norn_writes(fd, SIZE_MAX);
	if (__atomic_load_n(written_to(fd, &side), __ATOMIC_RELAXED) > room_of(fd) / 2)
		look(side.channel);
}

void norn_looks(int fd)
{
	struct side side = side_of_fd(fd, false);
	if (side.process)
		norn_orders_all();
	else if (side.file)
		look(side.channel);
	else if (side.channel && presses[side.channel - norn_channel])
		count(side.channel);
}

/* /proc and the like have files, and store nothing. */
static bool has_blocks(int fd)
{
	struct statfs s;
	return !fstatfs(fd, &s) && s.f_blocks;
}

/* A terminal, /dev/null, /dev/zero, /dev/full. */
static bool takes_anything(dev_t device)
{
	unsigned which = minor(device);
	return terminal_channel(device, true) || major(device) == 4 ||
	       (major(device) == 1 && (which == 3 || which == 5 || which == 7));
}

bool norn_only_stores(int fd)
{
	struct stat s;
	int error = errno;
	bool stores = norn_alone();
	if (!stores && !fstat(fd, &s))
		stores = S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) ||
			 (S_ISCHR(s.st_mode) && takes_anything(s.st_rdev)) ||
			 (S_ISREG(s.st_mode) && (s.st_size || has_blocks(fd)));
	errno = error;
	return stores;
}

void norn_noticed(int fd)
{
	struct side side = side_of_fd(fd, false);
	note_mapped(side.channel, fd, false);
	if (side.process)
		norn_orders_all();
	else if (side.file)
		look(side.channel);
	else if (side.channel)
		take(side.channel);
}

/* Whether there is something to be read, or that there is not. */
void norn_polled(int fd)
{
	struct side side = side_of_fd(fd, false);
	if (side.channel && !side.file)
		look(side.channel);
}

/* The peer is told, and who watches the file; what is in a file stays. */
bool norn_closes(int fd)
{
	struct side side = side_of_fd(fd, true);
	if (fd >= 0)
		sent[fd % CHANNELS] = 0;
	norn_descriptor_closes(fd);
	if (!side.file)
		count(side.channel);
	else if (watches)
		count(&norn_channel[ANONYMOUS]);
	if (side.file)
		norn_announce_queue();
	return side.file;
}

void norn_closed(int fd, bool file)
{
	norn_descriptors_change();
	norn_descriptor_closed(fd);
	if (file)
		norn_announce_queue();
}

static int fd_of(FILE *f)
{
	int error = errno;
	int fd = fileno_unlocked(f);
	errno = error;
	return fd;
}

/* What the buffer held goes with it. */
void norn_writes_file(FILE *f, size_t n)
{
	norn_writes(fd_of(f), n < SIZE_MAX - BUFSIZ ? n + BUFSIZ : n);
}

void norn_wrote_file(FILE *f)
{
	norn_wrote(fd_of(f), !ferror_unlocked(f));
}

bool norn_closes_file(FILE *f, int *fd)
{
	*fd = fd_of(f);
	return norn_closes(*fd);
}

/* A stream without a descriptor writes to memory of the program, or calls it back. */
static void writes_to_memory(FILE *f)
{
	norn_depend_on_all();
	norn_took_buffered(f);
}

struct norn_channel *norn_announce_file(FILE *f)
{
	int fd = fd_of(f);
	if (fd < 0)
		writes_to_memory(f);
	return norn_announce(fd);
}

/* What stays in the buffer another thread may write. Asked often, so the last answer is kept for as
 * long as no descriptor has become another one. */
static uint32_t changes;

void norn_descriptors_change(void)
{
	__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
}

void norn_announce_buffered(FILE *f)
{
	static __thread struct {
		const FILE *f;
		uint32_t changes;
		struct norn_channel *channel;
		bool memory;
	} last;
	uint32_t now = __atomic_load_n(&changes, __ATOMIC_RELAXED);
	if (norn_alone())
		return;
	if (last.f != f || last.changes != now) {
		last.f = f;
		last.changes = now;
		last.channel = side_of_fd(fd_of(f), true).channel;
		last.memory = fd_of(f) < 0;
	}
	if (last.memory)
		writes_to_memory(f);
	leaves(last.channel);
	note_mapped(last.channel, fd_of(f), true);
	count(last.channel);
}

void norn_looks_file(FILE *f)
{
	norn_looks(fd_of(f));
}

/* What one thread gets from a stream the others do not. */
void norn_noticed_file(FILE *f)
{
	norn_noticed(fd_of(f));
	norn_took_buffered(f);
}

void norn_took_buffered(FILE *f)
{
	if (!norn_alone())
		norn_takes((char *)f + 1);
}

/* Names. Whether one can be made or removed depends on what others have made, too. */

void norn_names_change(void)
{
	count(&norn_channel[NAMES]);
	norn_names_look();
}

void norn_names_look(void)
{
	look(&norn_channel[NAMES]);
}

static bool find(int at, const char *path, int flags, struct stat *s)
{
	int error = errno;
	int r = path && !norn_alone() ? fstatat(at, path, s, flags) : -1;
	errno = error;
	return r == 0;
}

struct norn_channel *norn_announce_path(int at, const char *path)
{
	struct stat s;
	struct norn_channel *channel = NULL;
	if (find(at, path, 0, &s) && (S_ISREG(s.st_mode) || S_ISFIFO(s.st_mode)))
		channel = inode_channel(&s);
	count(channel);
	return channel;
}

void norn_looks_path(int at, const char *path, int flags)
{
	struct stat s;
	if (path && norn_names_process(path))
		norn_orders_all();
	norn_names_look();
	if (find(at, path, flags, &s) && S_ISREG(s.st_mode))
		look(inode_channel(&s));
}

/* Who opens the one side of it waits for who opens the other. */
static struct norn_channel *announce_fifo(int at, const char *path)
{
	struct stat s;
	bool fifo = find(at, path, 0, &s) && S_ISFIFO(s.st_mode);
	if (fifo)
		foreign[inode_channel(&s) - norn_channel] = true;
	return fifo ? norn_announce_path(at, path) : NULL;
}

struct norn_channel *norn_open_begins(int at, const char *path, int flags)
{
	norn_descriptors_change();
	if (flags & O_CREAT)
		norn_names_change();
	else
		norn_names_look();
	return flags & O_TRUNC ? norn_announce_path(at, path) : announce_fifo(at, path);
}

void norn_open_ends(struct norn_channel *channel, int flags)
{
	norn_descriptors_change();
	norn_announced(channel);
	if (channel)
		look(channel);
	if (flags & O_CREAT)
		norn_names_change();
	else
		norn_names_look();
}

/* Signals */

void norn_announce_signal(int signal)
{
	if (signal <= 0 || signal >= SIGNALS)
		return;
	norn_channel_count(&norn_signal_channel[signal]);
	if (watches_signals)
		norn_channel_count(&norn_channel[ANONYMOUS]);
	if (__atomic_load_n(&forked, __ATOMIC_SEQ_CST))
		norn_channel_count(&norn_channel[OUTSIDE]);
}

void norn_noticed_signal(int signal)
{
	if (signal <= 0 || signal >= SIGNALS)
		return;
	norn_channel_look(&norn_signal_channel[signal]);
	if (__atomic_load_n(&forked, __ATOMIC_SEQ_CST))
		norn_channel_look(&norn_channel[OUTSIDE]);
}

/* Which signals are pending. */
void norn_signals_look(void)
{
	for (int i = 1; i < SIGNALS; i++)
		norn_noticed_signal(i);
}

void norn_announce_queue(void)
{
	count(&norn_channel[QUEUES]);
}

void norn_noticed_queue(void)
{
	take(&norn_channel[QUEUES]);
}

void norn_notifies_by(int signal)
{
	if (signal <= 0 || signal >= SIGNALS)
		notifies_by_thread = true;
	else
		notifies_by[signal] = true;
	notifies = true;
}

void norn_reads_later(int fd)
{
	notifies = true;
	norn_looks(fd);
	norn_polled(fd);
}

void norn_state_counts(void)
{
	if (__atomic_load_n(&unknown_calls, __ATOMIC_SEQ_CST))
		norn_channel_count(&norn_channel[OUTSIDE]);
}

/* Which threads there are: the kernel tells who asks for one by its number, or in /proc. */
static struct norn_channel norn_threads;

void norn_announce_thread_end(void)
{
	norn_channel_count(&norn_threads);
	norn_state_counts();
}

void norn_threads_look(void)
{
	norn_channel_look(&norn_threads);
}

bool norn_names_process(const char *path)
{
	return norn_can_read_string(path) && !strncmp(path, "/proc/", 6) &&
	       (isdigit((unsigned char)path[6]) || !strncmp(path + 6, "self/", 5) ||
		!strncmp(path + 6, "thread-self/", 12));
}

void norn_orders_all(void)
{
	if (norn_alone())
		return;
	if (!__atomic_exchange_n(&unknown_calls, true, __ATOMIC_SEQ_CST)) {
		norn_state_looks();
		norn_threads_look();
	}
	norn_children_change();
	norn_channel_count(&norn_channel[OUTSIDE]);
}

/* Threads that libc starts, for timers and the like, which nobody forks. */
static struct norn_channel norn_notification;

void norn_announce_notification(void)
{
	norn_is_not_alone();
	norn_channel_count(&norn_notification);
}

void norn_noticed_notification(void)
{
	norn_channel_look(&norn_notification);
}
