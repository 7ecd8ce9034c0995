/* SPDX-License-Identifier: MIT */
/*
 * What the files of this room share. Each has __norn_NAME for some of NORN_REPLACED (known.h),
 * which the program calls instead of NAME, and which gives the same result and errno. They read and
 * write the program's memory through ranges.h alone. Where libc does the work it gets copies; where
 * that cannot be, comments say what the log then misses.
 */
#ifndef RUNTIME_LIBC_LIBC_H
#define RUNTIME_LIBC_LIBC_H

#include "runtime/log.h"
#include "runtime/libc/ranges.h"

#include <stdio.h>
#include <sys/types.h>

/* For the program, which has called from `pc`: memory.c. */
__attribute__((visibility("hidden"))) void *norn_malloc(size_t size, const void *pc);

/* A set of bytes. */
struct norn_set {
	uint64_t words[4];
};
extern const struct norn_set norn_nul; /* the NUL alone */

static inline bool norn_set_has(const struct norn_set *s, unsigned char c)
{
	return s->words[c / 64] >> c % 64 & 1;
}

static inline void norn_set_add(struct norn_set *s, unsigned char c)
{
	s->words[c / 64] |= 1ull << c % 64;
}

/* The bytes of the string, NUL not among them; the string is read. */
struct norn_set norn_set_of(const void *pc, const char *members);
struct norn_set norn_set_others(struct norn_set s);

/*
 * The next bytes of something that is read from front to back: not beyond the line, not more than
 * max, and not beyond the first byte of `stop`, which still belongs to it.
 */
struct norn_piece {
	unsigned char bytes[LOG_LINE];
	size_t n;
	bool stopped;
};
void norn_piece_read(const void *pc, const void *p, size_t max, const struct norn_set *stop,
		     struct norn_piece *piece);

/* Reads up to the first byte of `stop`, or max bytes; returns how many come before it. */
size_t norn_span(const void *pc, const void *p, size_t max, const struct norn_set *stop);

/* Reads a string with its NUL, which NULL may stand for; returns its length. What is done next
 * depends on it. */
size_t norn_string(const void *pc, const char *s);

/* Bytes from p to the end of its line: 1 to LOG_LINE. */
static inline size_t norn_line_rest(const void *p)
{
	return LOG_LINE - (uintptr_t)p % LOG_LINE;
}

static inline size_t norn_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Memory of our own: small amounts on the stack, more from the kernel. Cancelling leaks it. */
struct norn_scratch {
	char *data;
	size_t size;
	char small[1024];
};
void norn_scratch_init(struct norn_scratch *s);
/* Room for size bytes; keeps what is there. false: no memory. */
bool norn_scratch_grow(struct norn_scratch *s, size_t size);
void norn_scratch_release(struct norn_scratch *s);

/*
 * Reads up to the first byte of `stop` or max bytes, and copies that with a NUL behind. Returns
 * the copy, or `p` itself if there is no memory for one; `n`: bytes, with the stop byte.
 */
const char *norn_copy_of(const void *pc, const void *p, size_t max, const struct norn_set *stop,
			 struct norn_scratch *s, size_t *n);

/* As memset. */
void norn_fill(const void *pc, void *to, int byte, size_t n);

/*
 * Data that goes from thread to thread outside memory (pipe, socket, file; libc/channel.c): what
 * was done before it was written comes before what is done after it was read. Here: who hands on,
 * who looks what was handed on, and who takes it, so that no other gets it.
 */
void norn_comes_before(const void *channel);
void norn_comes_after(const void *channel);
/* As that one, where the thread has waited until just so much was handed on, as it would in every
 * execution: the trace knows all of what it depends on. */
void norn_waited_for(const void *channel);
/* The channel is no more: what is handed on later by its address has nothing to do with it. */
void norn_forget(const void *channel);
void norn_takes(const void *channel);

/* The same for what many use: each thread has a counter in it. */
struct norn_channel {
	uint64_t counters[LOG_LINE / 8];
} __attribute__((aligned(LOG_LINE)));
void norn_channel_count(struct norn_channel *channel);
void norn_channel_look(const struct norn_channel *channel);
/* The thread changes something that is no memory and that later results depend on. */
void norn_changes_state(void);
/* A word of the runtime's own, which tells threads something: a value that depends on nothing. What
 * was there before decides how the thread goes on, if it `looks`. */
void norn_tell_word(uint64_t *word, uint64_t value, bool looks);
uint64_t norn_add_to_word(uint64_t *word, uint64_t n); /* and looks: what was there before */
uint64_t norn_look_at_word(uint64_t *word);
/* Whether a word that changes is to be told: from when there are other threads on, for good. */
bool norn_tells_words(void);
/* Something leaves the program, or may; the program ends. */
void norn_prints(void);
void norn_prints_end(void);
/* Before a number is drawn, or a seed is set: what stands for all that was drawn so far (told.c);
 * 0: the run has no schedule. */
enum norn_generator { NORN_RANDOM, NORN_RAND48, NORN_GENERATORS };
uint64_t norn_draws(enum norn_generator generator);
void norn_seeds(enum norn_generator generator, uint64_t seed);
void norn_channel_take(struct norn_channel *channel);
bool norn_channel_is_used(const struct norn_channel *channel); /* somebody has counted in it */

/*
 * Does `act`, as one step that comes behind all earlier ones on that object and before all later
 * ones, unless neither changes anything. It must not wait, and not log.
 */
void norn_in_order(const void *object, bool changes, void (*act)(void *), void *context);
/*
 * Before something is written to a descriptor, and behind that, with what the former returned.
 * Before something is read, and behind that, but before the program's memory is changed. Behind a
 * read, libc's streams are known to have taken something for this thread alone.
 */
struct norn_channel *norn_announce(int fd);
void norn_announced(struct norn_channel *channel);
/* Likewise, when a descriptor is closed: locks of its file are given back. */
bool norn_closes(int fd);
bool norn_closes_file(FILE *f, int *fd);
void norn_closed(int fd, bool file);
/* Of what the kernel keeps for a descriptor (libc/state.c): its number is free from here on, and
 * was; `to` is another number for the same. */
void norn_descriptor_closes(int fd);
void norn_descriptor_closed(int fd);
void norn_descriptor_doubled(int fd, int to);
void norn_looks(int fd);
/* Bytes that are written there are stored or sent, and nobody looks at what they are. */
bool norn_only_stores(int fd);
void norn_noticed(int fd);
void norn_polled(int fd);    /* nothing is taken */
void norn_maps_file(int fd); /* it is memory from here on */
struct norn_channel *norn_announce_file(FILE *f);
struct norn_channel *norn_writes_stream(FILE *f, size_t n); /* perhaps they stay in it */
void norn_announce_buffered(FILE *f);			    /* it stays in the stream, for now */
void norn_descriptors_change(void); /* a number may be another file from here on */
void norn_looks_file(FILE *f);
void norn_noticed_file(FILE *f);
void norn_took_buffered(FILE *f); /* without a read */
/* The offset of a descriptor is moved; and the result depends on where it was. */
void norn_offset_moves(int fd);
void norn_offset_noticed(int fd);
/* Before and behind what makes or removes names, or looks whether there are such; and of the file
 * that has this one: its contents change, or are looked at. */
void norn_names_change(void);
void norn_names_look(void);
struct norn_channel *norn_announce_path(int at, const char *path);
void norn_looks_path(int at, const char *path, int flags);
/* Before and behind a file is opened; the flags of open. */
struct norn_channel *norn_open_begins(int at, const char *path, int flags);
void norn_open_ends(struct norn_channel *channel, int flags);
/* Whether there is no other thread yet, and none can come but by a fork. */
bool norn_alone(void);
void norn_is_not_alone(void);
/* From here on there are descriptors that tell of others, or of signals. */
void norn_watches(void);
void norn_watches_descriptor(int fd); /* of that alone */
void norn_watches_signals(void);
/*
 * From here on, whatever is written anywhere may also be told by this signal (0: by a thread that
 * libc starts), or lets a call of libc's queues end: input that is asked for and comes later.
 */
void norn_notifies_by(int signal);
void norn_reads_later(int fd);
/* Nobody says how it orders threads: it comes behind all that was handed on, and before all that
 * anybody learns later. */
void norn_orders_all(void);
/* What is kept for the process (libc/state.c): something has changed there; all of it is looked at.
 */
void norn_state_counts(void);
void norn_state_looks(void);
/* Before and behind: there is memory where there was none, or another kind. */
void norn_memory_changes(void);
void norn_memory_hides(void);	/* there may be memory that cannot be read, and is told so */
void norn_memory_is_read(void); /* what is written tells of that */
void norn_memory_noticed(void); /* whether there is some was found out */
/*
 * Whether the kernel can read or write it (libc/there.c); what a call says that is given it may
 * depend on others. If not, libc is called with what the program has given, and says so.
 */
bool norn_can_read(const void *p, size_t n);
bool norn_can_write(void *p, size_t n);
bool norn_can_read_string(const char *s);
/* As norn_string and norn_get, if it can be read. */
bool norn_see_name(const void *pc, const char *path);
bool norn_fetch(const void *pc, void *mine, const void *p, size_t n);
/* A thread is over; which are not. */
void norn_announce_thread_end(void);
void norn_threads_look(void);
/* The descriptor is of such a file; a name in /proc of what is known of a process. */
bool norn_is_of_process(int fd);
/* Around a call that may change any memory. */
uint32_t norn_anything_begins(const void *pc);
void norn_anything_ends(const void *pc, uint32_t call);
bool norn_names_process(const char *path);
/* Around a write of n bytes to what may have no room. */
void norn_writes(int fd, size_t n);
void norn_wrote(int fd, bool done);
void norn_writes_file(FILE *f, size_t n);
void norn_wrote_file(FILE *f);
/* Whether a process is there; which signals are pending. */
void norn_children_look(void);
bool norn_has_children(void);
void norn_signals_look(void);
/* Before libc may start a thread that notifies; when such a thread begins. */
void norn_announce_notification(void);
void norn_noticed_notification(void);
/* Likewise: before a signal is sent, or can come; when a handler starts or a wait for it ends. */
/* The program begins; it makes other processes, or learns that one is over. */
void norn_channels_begin(void);
void norn_children_change(void);
void norn_announce_signal(int signal);
void norn_noticed_signal(int signal);

/*
 * Of a pause, in replay: it is over. Its handler runs now, or did just before, when its place was
 * there and its signal, too. False: it is to be done as always.
 */
bool norn_pause_ends(const void *pc);

void norn_announce_queue(void);
void norn_noticed_queue(void);

/*
 * Streams that read from outside (libc/refill.c), locked by the caller: how much is in the buffer;
 * fills it if it is empty, false: there is no more.
 */
bool norn_stream_is_outside(FILE *f);
size_t norn_stream_holds(const FILE *f);
bool norn_stream_fill(FILE *f);

/* Reads n bytes of which nothing else is wanted. */
void norn_see(const void *pc, const void *p, size_t n);

/*
 * n bytes that libc or the kernel is to fill, for the program's `to`: a buffer of ours or, without
 * memory, that of the program. norn_inlet_end hands over the first n of them.
 */
struct norn_inlet {
	struct norn_scratch ours;
	void *to, *buffer;
};
void *norn_inlet_begin(struct norn_inlet *in, void *to, size_t n);
void norn_inlet_end(const void *pc, struct norn_inlet *in, size_t n);
/* Likewise, of what has come through a channel that was looked at just now: no earlier read of the
 * thread decides what it is, but those that the counts depend on. */
void norn_inlet_arrived(const void *pc, struct norn_inlet *in, size_t n);

#endif
