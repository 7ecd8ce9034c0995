/* SPDX-License-Identifier: MIT */
/*
 * The raw log of a run: what the runtime writes while the program runs, and what the merge
 * (src/record) reads afterwards. Both include this header, and nothing else of each other.
 *
 * A recording is a directory:
 *
 *	run          struct log_run, mapped by `norn record` and by the program
 *	sites        site tables (sites.h), each behind a struct log_table
 *	modules      text, a line an ELF object: BASE(hex) PATH
 *	image        what their variables hold when they are first seen: struct log_image, and
 *	             the bytes, padded to 8, again and again; if the recording began late
 *	             (LOG_LATE), what all memory held then that can be written, but for pages
 *	             that were never touched
 *	thread.N     the events of thread N: blocks of LOG_BLOCK bytes, one after the other, by
 *	             their numbers; each packed (struct log_packed), or as it is
 *	tail.N       the block that thread N was writing to when the program ended, if it had a
 *	             magic number then; it belongs into thread.N, in place of the block with its
 *	             number, if that is there, or behind the one before
 *	input.N      what thread N was given from outside, if anything: struct log_input, and
 *	             its bytes, again and again; function 0 or the end of the file ends it
 *	names        LOG_NAME bytes for each thread, by their numbers: what the program calls it,
 *	             padded with NULs; all of them, or the end of the file: nothing
 *	stdin        what the program took from its standard input, of LOG_STDIN_SAVED; by norn
 *	             record
 *	facts        what is run, for a merge by somebody else (record/recorded.h); by norn record
 *
 * Tails are mapped shared, so that what was written survives any death of the program. A
 * word that is 0 ends a block; the first word of a record is written last, so that a
 * record is there as a whole or not at all. A record does not cross the end of a block.
 *
 * Order. Memory is cut into lines of 64 bytes, lines are hashed to shards, and each shard has
 * a version: even when free, odd while somebody changes something there. Who writes locks
 * the shard (v, even, becomes v + 1), performs the access, logs it with v, and unlocks (v + 2).
 * Who reads logs a v that was the same, and even, before and after the access. So the events of
 * a shard are ordered: the reads at v, then the write at v, then the reads at v + 2. An access
 * that crosses a line is logged in two parts (LOG_PART). Events on synchronisation objects are
 * writes of the shard of the object's address; allocation and release of memory are writes of a
 * shard of their own, and so are the begin and the end of a thread, since stacks are used again.
 * The release of a block is a write of the shards of all its lines as well, in one step: so it is
 * known of each access to the block whether it came before or after.
 * Together with program order, fork and join that is all the order there is, and it is exact.
 *
 * Marks. Code that has no hooks changes memory without a record. Where a thread goes into such code
 * and where it comes out of it there is a mark, LOG_UNSEEN and LOG_SEEN; all marks of a run are
 * numbered in one row, from 1. LOG_MARKS says how many there were when the thread's next access
 * happened, if that is news in its thread. So it is known of each access behind which marks, and
 * before which, it happened. (Of records that are no accesses: behind which.)
 *
 * A late beginning. A recording may begin while the program runs (late.c): at a moment at which no
 * thread is inside a hook. Versions and marks are 0 then, and the first records of each thread
 * bring about what is the case: it has begun, it holds locks, it waits on a condition. Positions
 * below LOG_LATE_FIRST stand for what was read before that moment.
 *
 * Time. A block says when it was begun, and LOG_TIME stands before every call that may take
 * long and behind a thread's LOG_END. Every event happened after the time before it and before
 * the time behind it in its thread. So the merge knows how far it has to look ahead for reads
 * that belong before a write.
 */
#ifndef RUNTIME_LOG_H
#define RUNTIME_LOG_H

#include <stdint.h>

#define LOG_MAGIC 0x4e524e4cu  /* "LNRN" */
#define LOG_PACKED 0x4e524e50u /* "PNRN" */
#define LOG_VERSION 18

#define LOG_BLOCK (64u << 10)
#define LOG_LINE 64u
#define LOG_NAME 16u
#define LOG_SHARDS 4096u
#define LOG_HEAP \
	LOG_SHARDS /* the shard of LOG_ALLOC, LOG_FREE, LOG_MAP, LOG_UNMAP, LOG_BEGIN, LOG_END */

static inline uint32_t log_shard(uint64_t address)
{
	return (uint32_t)(((address / LOG_LINE) * 0x9e3779b97f4a7c15u) >> 52);
}

#define LOG_FAILED_TEXT 160
#define LOG_CHILDREN 16
/* The shards that have lines of these bytes, ascending, each once; how many there are. */
#define LOG_FEW_LINES 16

static inline uint32_t log_few_lines(uint64_t line, uint64_t lines, uint16_t *shards)
{
	uint32_t n = 0, at;

	for (; lines; line++, lines--) {
		uint16_t shard = (uint16_t)log_shard(line * LOG_LINE);

		for (at = n; at && shards[at - 1] > shard; at--)
			;
		if (at && shards[at - 1] == shard)
			continue;
		for (uint32_t i = n++; i > at; i--)
			shards[i] = shards[i - 1];
		shards[at] = shard;
	}
	return n;
}

static inline uint32_t log_lines(uint64_t address, uint64_t size, uint16_t shards[LOG_SHARDS])
{
	uint64_t line = address / LOG_LINE;
	uint64_t lines = size ? (address + size - 1) / LOG_LINE - line + 1 : 0;
	uint8_t has[LOG_SHARDS];
	uint32_t n = 0;

	if (lines <= LOG_FEW_LINES)
		return log_few_lines(line, lines, shards);
	for (uint32_t i = 0; i < LOG_SHARDS; i++)
		has[i] = lines > LOG_SHARDS;
	for (; lines && lines <= LOG_SHARDS; line++, lines--)
		has[log_shard(line * LOG_LINE)] = 1;
	for (uint32_t i = 0; i < LOG_SHARDS; i++)
		if (has[i])
			shards[n++] = (uint16_t)i;
	return n;
}

struct log_run {
	uint32_t magic, version;
	uint32_t pid;		 /* of the recorded process, once it runs; 0 before */
	uint32_t threads;	 /* numbers given away: thread 0 is the one that runs main */
	uint32_t stop;		 /* set by either side: nothing more is logged from here on */
	uint32_t why;		 /* enum log_stop */
	uint64_t limit;		 /* records; 0: none */
	uint64_t bytes;		 /* limit on `written`; 0: none */
	uint64_t records;	 /* so far, counted block by block */
	uint64_t blocks;	 /* likewise */
	uint64_t written;	 /* bytes of blocks, as they are in the files */
	uint32_t mode;		 /* enum log_mode */
	uint32_t signal;	 /* that the runtime saw end the program: told, or not its own */
	uint64_t input_limit;	 /* bytes of all input.N; 0: nothing is kept */
	uint64_t input_bytes;	 /* so far; beyond the limit: some thread keeps no more */
	uint32_t standard_input; /* enum log_stdin */
	/* Of a replay, while it followed its plan: inputs that were given back, and calls that had
	 * to be made although they ask the outside, since no input was left for them. */
	uint32_t given, asked;
	uint32_t marks;	    /* not 0: there are some */
	uint64_t exit_wait; /* ns that threads have at most when the program exits */

	/* What was lost, beside `why`. */
	uint32_t error;		      /* LOG_FAILED: errno, 0: it says nothing more */
	char failed[LOG_FAILED_TEXT]; /* LOG_FAILED: at what */
	uint32_t exec;		      /* the program has become another one */
	uint32_t running;	      /* by norn record: it had not ended when the log was read */
	uint32_t others; /* programs that would have recorded, but this one was first */
	uint32_t tasks;	 /* not 0: some of OpenMP were too many to be threads of their own */
	/* Children by fork that are not recorded: how many were to be made, and came to run; those
	 * that are neither over nor another program, as far as they have said so; one that made
	 * threads, and one that could not be recorded although it should. Process numbers, or 0. */
	uint32_t forks, born;
	uint32_t children[LOG_CHILDREN];
	uint32_t child_threads, child_failed;
	uint32_t child_away; /* by norn record: one that went on when the program was over */

	/* Threads that have begun and not ended; of these, those that wait for another one of them,
	 * for as long as it takes; of these, those that spin, and those that wait for what another
	 * process may share. Above 32 bits, `blocked` counts how often any of this has changed. */
	uint32_t alive, spinning, sharing;
	uint64_t blocked;
	/* LOG_HANG: SIGABRT from outside asks a thread for its frames, if that is so; so many have
	 * told them. */
	uint32_t can_tell, told;
	uint32_t unlogged; /* not 0: a thread that is not recorded had memory allocated */
	uint32_t ended_by; /* by norn record: the signal, 0: none */
	uint32_t exited;   /* number + 1 of the thread that ended the program; 0: none has */
	uint32_t twofold;  /* not 0: memory that the log has under two names (maps.h) */
	uint32_t begin;	   /* enum log_begin */
	uint32_t wanted;   /* LOG_WAITS: not 0, by either side: it should begin */
	uint64_t skip;	   /* likewise: so many hooks, and it is wanted; 0: that does not count */
	uint32_t host;	   /* enum log_host */
	uint32_t listed;   /* of a host: not 0, `modules` has all that were loaded */
};

#define LOG_MOVE (UINT64_C(1) << 32)

#define LOG_EXIT_WAIT UINT64_C(1000000000) /* by default */

/* clang-format off */
/* Why a log is not complete, as the trace says it (stopped-by). The first that stops the recording
 * is log_run.why; from LOG_EXEC on, other members of log_run tell. Of LOG_HANG nothing is lost. */
/* clang-format off */
#define LOG_STOPS(row) \
	row(LOG_GOES_ON, "") \
	row(LOG_LIMIT, "--max-events") \
	row(LOG_SIZE, "--max-size") \
	row(LOG_TIMEOUT, "--timeout") \
	row(LOG_LONG, "length: a thread has logged as much as can be") \
	row(LOG_FAILED, "failure") \
	row(LOG_ASKED, "NORN_STOP or --control: the recording was stopped while the program ran") \
	row(LOG_HANG, "--hang") \
	row(LOG_EXEC, "exec: another program took its place, and was not recorded") \
	row(LOG_RUNNING, "running: the process had not ended when its trace was written") \
	row(LOG_CHILD_AWAY, "child: the program went on in a process that was not recorded") \
	row(LOG_CHILD_THREADS, "child: a process that was not recorded made threads") \
	row(LOG_CHILD_FAILED, "child: a process could not be recorded") \
	row(LOG_OTHERS, "others: more programs with Norn in them ran, and were not recorded") \
	row(LOG_TASKS, "tasks: beyond the first 4096, OpenMP tasks are part of what made them") \
	row(LOG_UNTOLD, "signal: the program crashed where nothing could be recorded any more") \
	row(LOG_DAMAGED, "damage: what threads logged ends early or does not fit together") \
	row(LOG_RECORDER, "recorder: norn record was killed, and the program with it") \
	row(LOG_NOT_BEGUN, "start: the recording was not started") \
	row(LOG_BEGUN_LATE, "start: the recording was started while the program ran") \
	row(LOG_TWOFOLD, "memory: some was mapped twice, or was the contents of a file that was read or written too") \
	row(LOG_HOST_RAN, "host: it had threads already when it loaded the first library with hooks")
/* clang-format on */
/* clang-format on */

enum log_stop {
#define LOG_ROW(name, text) name,
	LOG_STOPS(LOG_ROW)
#undef LOG_ROW
		LOG_STOP_COUNT
};

enum log_mode { LOG_RECORD, LOG_REPLAY };

/* When it begins: with the program; when somebody wants it, and that is not so yet; it has begun
 * then. */
enum log_begin { LOG_AT_ONCE, LOG_WAITS, LOG_LATE };
#define LOG_LATE_FIRST 132u /* words: the head of a block, and as much as is read in one hook */

/* What is recorded: a program with the runtime in it; one without, from where it loaded a library
 * with hooks on; likewise, and it had several threads then. */
enum log_host { LOG_PROGRAM, LOG_HOST, LOG_HOST_THREADS };

/* What is done about standard input, the same in a replay as it was when it was recorded. */
enum log_stdin {
	LOG_STDIN_FILE,	   /* read again: a regular file, or a device without a memory */
	LOG_STDIN_SAVED,   /* a pipe, whose bytes come again through a pipe */
	LOG_STDIN_OUTSIDE, /* another thing: what is read from it is an input */
};

/*
 * An input: what a call returned that asks the outside. Numbers of functions are kept in traces:
 * new ones go at the end. Bytes follow, padded to 8. Of a read from standard input that is saved,
 * the result alone is kept.
 */
struct log_input {
	uint8_t function; /* enum log_input_function; written last, with what is before `result` */
	uint8_t reserved;
	uint16_t error; /* errno */
	uint32_t size;	/* of the bytes */
	int64_t result;
};

/* clang-format off */
#define LOG_INPUTS(row)                               \
	row(INPUT_NONE, "nothing")                    \
	row(INPUT_TIME, "time")                       \
	row(INPUT_GETTIMEOFDAY, "gettimeofday")       \
	row(INPUT_CLOCK_GETTIME, "clock_gettime")     \
	row(INPUT_TIMESPEC_GET, "timespec_get")       \
	row(INPUT_SYSTEM_CLOCK, "std::chrono::system_clock::now") \
	row(INPUT_STEADY_CLOCK, "std::chrono::steady_clock::now") \
	row(INPUT_CLOCK, "clock")                     \
	row(INPUT_TIMES, "times")                     \
	row(INPUT_GETRUSAGE, "getrusage")             \
	row(INPUT_SCHED_GETCPU, "sched_getcpu")       \
	row(INPUT_RAND, "rand")                       \
	row(INPUT_RANDOM, "random")                   \
	row(INPUT_DRAND48, "drand48")                 \
	row(INPUT_LRAND48, "lrand48")                 \
	row(INPUT_MRAND48, "mrand48")                 \
	row(INPUT_ARC4RANDOM, "arc4random")           \
	row(INPUT_GETRANDOM, "getrandom")             \
	row(INPUT_GETENTROPY, "getentropy")           \
	row(INPUT_RANDOM_DEVICE, "std::random_device") \
	row(INPUT_READ, "read")                       \
	row(INPUT_STREAM, "streams")                  \
	row(INPUT_POLL, "poll")                       \
	row(INPUT_SELECT, "select")                   \
	row(INPUT_FUTEX, "futex")                     \
	/* of sockets that lead out of the process; libc/remote.h */ \
	row(INPUT_RECEIVE, "sockets: receive")        \
	row(INPUT_SEND, "sockets: send")              \
	row(INPUT_ACCEPT, "sockets: accept")          \
	row(INPUT_SETTING, "sockets: names, settings, connections") \
	row(INPUT_READY, "sockets: poll and select")  \
	row(INPUT_EPOLL, "sockets: epoll")            \
	row(INPUT_INSIDE, "pipes and the like: read") \
	row(INPUT_LOOKUP, "getaddrinfo")              \
	row(INPUT_ITSELF, "sockets: the program is connected to itself") \
	row(INPUT_LIBRARY_CLOCK, "clocks that libraries read")
/* clang-format on */

enum log_input_function {
#define LOG_ROW(name, text) name,
	LOG_INPUTS(LOG_ROW)
#undef LOG_ROW
		INPUT_COUNT
};

/* In `sites`: before each table. */
struct log_table {
	uint32_t magic;
	uint32_t base;	 /* number of its first site; site 0 is "unknown" */
	uint64_t length; /* bytes of the table, which follows, padded to 8 */
};

/* In `image`: before each piece of memory. */
struct log_image {
	uint64_t address, size;
};

/* At the start of a block. */
struct log_block {
	uint32_t magic; /* written last */
	uint32_t thread;
	uint64_t number;  /* within the thread, from 0 */
	uint64_t time;	  /* CLOCK_MONOTONIC, ns */
	uint64_t records; /* of the thread, before this block */
};

/*
 * In thread.N, in place of a block: its head, with the magic number LOG_PACKED, and the words that
 * are in use behind that, packed (pack.h). If `bytes` is what that many words have, they are not.
 * Padding follows, LOG_PADDING bytes and up to a multiple of 8.
 */
struct log_packed {
	struct log_block head;
	uint32_t words, bytes;
};

#define LOG_PADDING 32u

static inline uint64_t log_packed_size(uint32_t bytes)
{
	return sizeof(struct log_packed) + ((bytes + LOG_PADDING + 7) & ~UINT64_C(7));
}

/* clang-format off */
/*
 * A record is words of 8 bytes. The first has the kind (8 bits), the site (24 bits; see LOG_LOOSE
 * for records with a pc) and, above, 32 bits that depend on the kind: the version of the shard
 * (`v`), or a distance. A record's position is that of its first word in the file, in words; a
 * distance leads from a record back to an earlier one of the same thread, in words.
 *
 * LOG_KINDS has the kind, its words (0: as the text says), whether it is a write of its shard.
 *
 * LOG_DEPEND   The next record that is none depends on the read, or value, at this distance. The
 *              site field holds which of its site's dependences it is: 0, 1, 2. A record's
 *              dependences are numbered values first, then addresses (sites.h). With LOG_HERE
 *              added to it: on nothing, but what is in place of the distance is its value. An
 *              address that came from reads is said to do so once: behind the first access that
 *              was made by it these are what they were.
 * LOG_DEPENDS  All three, in place of a LOG_DEPEND for each, if none is far away (LOG_NEAR): their
 *              distances from bit 8 on, 18 bits each, 0: no such dependence.
 * LOG_BRANCH   The distance is dependence 0, 0 if it has none. With LOG_PAIR added: dependences 0 and
 *              1, the distances in 15 bits each (LOG_CLOSE), 16 bits apart. With LOG_TRIPLE: all
 *              three, in 10 bits each (LOG_CLOSEST). See log_distances.
 * LOG_VALUE    Likewise: a value that was computed (sites.h: SITE_VALUE). No access and no step, but
 *              later records depend on it as they do on a read, by its position.
 * LOG_FIXED    w1: a value that depends on nothing, zero-extended: likewise, for expressions.
 * LOG_REJOIN   The arm of the branch at this distance is over (sites.h: SITE_ARM). If there is none, or
 *              another one has begun in it and is not over, that one has no end: it was left.
 * LOG_EITHER   The distance likewise, of the branch whose LOG_REJOIN came before: a value that is
 *              dependence 0 behind the arm, and would be dependence 1 without it; if it has no 1, that
 *              is not known, and 0 is what it comes from. Its position is named as a value's is.
 * LOG_READ     w1: address (48 bits), size (8 bits: 1 … 64), flags (8 bits); then the bytes, padded
 * LOG_WRITE    to words. Flag LOG_PART: goes on in the next record of the thread, at the next line.
 * LOG_RMW      w1 likewise, size 1 … 8; old value; new value. A compare-and-swap that failed is a
 *              LOG_READ.
 * LOG_FORK     w1: thread; w2: return address of the call, "pc" in all that follows. In place of the
 *              version: what the thread is in OpenMP (LOG_ROLE), 0: nothing.
 * LOG_JOIN     w1: thread; w2: pc.
 * LOG_BEGIN    w1, w2: lowest address and size of its stack and thread-local memory; w3: where the
 *              program's own thread-local memory ends.
 * LOG_END
 * Locks        w1: object; w2: pc. Every successful lock and unlock, also inner ones of a recursive
 *              mutex. LOG_TRY_FAIL_SHARED: a try-rdlock that failed, since somebody else holds it,
 *              not shared.
 * LOG_WAIT     w1: condition; w2: pc; w3: mutex; w4: version of the mutex's shard (the first word
 *              has the condition's). If both have one shard, w4 is that version, too.
 * LOG_WOKEN    likewise; w5: 0 woken (or spuriously), 1 timed out.
 * LOG_SIGNAL   w1: condition; w2: pc; w3: 1 + the thread that it wakes, LOG_NOBODY: none, 0: not known.
 * Barriers     w1: object; w2: pc; LOG_BARRIER_INIT's w3: parties.
 * Semaphores   w1: object; w2: pc; LOG_SEM_INIT's w3: count.
 * LOG_INIT     A lock, condition or once-control at this address is a new one from here.
 * LOG_ALLOC    w1: address; w2: pc; w3: size, with LOG_ZEROED if all of it is 0. LOG_MAP and
 *              LOG_UNMAP likewise.
 * LOG_FREE     w1: address; w2: pc; w3: size (48 bits), how many shards (16 bits); then the versions
 *              of the shards of its lines, two a word, the lower shard first.
 * LOG_STACK    w1: address; w2: size: an object on the stack that others may see, until its
 *              LOG_STACK_END.
 * LOG_BENIGN   w1: address; w2: size: no race here is worth a report.
 * LOG_MARK     w1: length of the text in bytes; w2: pc; the text, padded: "NAME ARGS…".
 * LOG_TIME     w1: time.
 *
 * Of what the runtime leaves to the reader: a distance counts from the record that it stands in. A
 * copy is a LOG_READ and a LOG_WRITE for each piece, and the write has the read as dependence 0. A
 * LOG_FORK of a thread that has no records: it could not be made, or had no time to begin. A
 * LOG_FREE of an address that is not allocated: it was, for libc's own use; nothing happens. The
 * size of a LOG_ALLOC is what can be used, which may be more than was asked for. A realloc that
 * moves is a LOG_ALLOC, a copy and a LOG_FREE; one that does not is nothing. The thread-local
 * memory of thread 0 is a LOG_MAP with pc 0. A semaphore that others post to as well (another
 * process) gets a LOG_SEM_POST of the thread that waited where the count would be negative. The
 * limits are kept block by block: the log may have more than `limit` records.
 *
 * LOG_MARKS    In place of the version: the number of marks so far.
 * LOG_UNSEEN   w1: pc. A mark, with its number in place of the version: code without hooks runs from
 *              here on, in a call from this place if the site is 1 (then it is a step), or goes on.
 *              LOG_MODEL_RUNS, a flag of the site: a model says what that is. It hands things to
 *              other threads or gets them from others if LOG_MODEL_HANDS, LOG_MODEL_RECEIVES.
 * LOG_SEEN     w1: pc. A mark likewise: no more. Again a step if the site is 1. LOG_RETURNS: no step,
 *              but what the LOG_CALLEE speaks of is over; LOG_MODEL_RETURNS: likewise, of a model.
 * LOG_CALLEE   w1: address of the function that the LOG_UNSEEN behind it calls; the site has
 *              LOG_MODEL_RUNS as that has, or is LOG_INLINE if these are instructions of the
 *              program itself at that address. LOG_GIVEN, behind that: w1: an argument
 *              that may be a pointer.
 * LOG_HANDLER  w1: signal, whose handler begins; no fault of the program itself. With LOG_OUTSIDE: it
 *              came from another process.
 * LOG_STATE    From here on the thread has something that is no memory, and that later results depend
 *              on: a way of rounding, a value for a key. Branches before it govern all that follows.
 * LOG_PC       w1: pc. Accesses of this thread from here on whose site is 0 are made by a library
 *              function, in the call that returns to this address; up to the next LOG_PC.
 * LOG_STEPS    A flag of a LOG_READ, as LOG_PART: the bytes were looked at in ascending order, each
 *              only because of those before it (strlen: none was the NUL). And what the
 *              function does next in this call it does because of all of them.
 * LOG_LOOSE    A flag of accesses, as LOG_PART: the record is no step of its own (doc/replay.md),
 *              but belongs to an earlier one: all of a range but its first piece, the second part
 *              of an access across lines. What has site 0, or one with SITE_LOOSE, is none anyway.
 * LOG_FROM     A flag of a LOG_WRITE of a library function: what it wrote depends on dependence 0 alone.
 * LOG_BLOCKED  w1: object, of LOG_JOIN the thread; w2: pc; w3: the kind of the record that comes when
 *              the call has what it waits for. It does wait, for another thread. 0: no more, and
 *              without that. LOG_BLOCKED: for a futex at that address. Never a step; LOG_TRIES as
 *              below. LOG_WOKEN, and the object is the mutex: it was woken; or, if there is 1 in place of
 *              the version, its time is over.
 * LOG_CRASH    w1: signal, and above 32 bits how many frames; w2: address of a fault, or 0; then the
 *              frames' pcs in instrumented code, the innermost first. The thread's last record:
 *              the signal ends the program. Signal 0: no crash, but where a thread stands that
 *              waits for ever.
 * LOG_SPIN     w1: how often the thread has done again what stands before it, a LOG_READ of an atomic
 *              variable, the branches on it, and calls, without anything else between: the same value, the
 *              same places, but for values of LOG_HERE. In place of the version: the words of that. Behind it (and a LOG_TIME)
 *              comes the last time. Positions of reads in between are those of the last one.
 * LOG_ENTER    From bit 8 on: pc. A function of the program is called, which has hooks. If nothing is
 *              logged before it is left, the record is taken back.
 * LOG_LEAVE    In place of the version: so many of the calls that LOG_ENTER told of are still under way,
 *              if there were more. A call that is left by an exception or a jump ends without.
 *
 * Records with a pc have site 1 if the caller is instrumented code: then they are steps, unless
 * they are LOG_INIT, LOG_MAP or LOG_UNMAP. LOG_TRIES is added to it if the call does not wait for
 * ever (a trylock, a time limit): so nobody is stuck there.
 */
/* clang-format off */
#define LOG_KINDS(row) \
	row(LOG_NOTHING, 0, 0) \
	row(LOG_DEPEND, 1, 0) \
	row(LOG_BRANCH, 1, 0) \
	row(LOG_READ, 0, 0) \
	row(LOG_WRITE, 0, 1) \
	row(LOG_RMW, 4, 1) \
	row(LOG_FORK, 3, 0) \
	row(LOG_JOIN, 3, 0) \
	row(LOG_BEGIN, 4, 1) \
	row(LOG_END, 1, 1) \
	row(LOG_ACQUIRE, 3, 1) \
	row(LOG_RELEASE, 3, 1) \
	row(LOG_ACQUIRE_SHARED, 3, 1) \
	row(LOG_RELEASE_SHARED, 3, 1) \
	row(LOG_TRY_FAIL, 3, 1) \
	row(LOG_TRY_FAIL_SHARED, 3, 1) \
	row(LOG_WAIT, 5, 1) \
	row(LOG_WOKEN, 6, 1) \
	row(LOG_SIGNAL, 4, 1) \
	row(LOG_BROADCAST, 3, 1) \
	row(LOG_BARRIER_INIT, 4, 1) \
	row(LOG_BARRIER_ENTER, 3, 1) \
	row(LOG_BARRIER_EXIT, 3, 1) \
	row(LOG_SEM_INIT, 4, 1) \
	row(LOG_SEM_POST, 3, 1) \
	row(LOG_SEM_WAIT, 3, 1) \
	row(LOG_SEM_FAIL, 3, 1) \
	row(LOG_ONCE_BEGIN, 3, 1) \
	row(LOG_ONCE_END, 3, 1) \
	row(LOG_ONCE_PASS, 3, 1) \
	row(LOG_INIT, 3, 1) \
	row(LOG_ALLOC, 4, 1) \
	row(LOG_FREE, 0, 1) \
	row(LOG_MAP, 4, 1) \
	row(LOG_UNMAP, 4, 1) \
	row(LOG_STACK, 3, 0) \
	row(LOG_STACK_END, 3, 0) \
	row(LOG_BENIGN, 3, 0) \
	row(LOG_MARK, 0, 0) \
	row(LOG_TIME, 2, 0) \
	row(LOG_PC, 2, 0) \
	row(LOG_HANDLER, 2, 0) \
	row(LOG_STATE, 1, 0) \
	row(LOG_MARKS, 1, 0) \
	row(LOG_UNSEEN, 2, 0) \
	row(LOG_SEEN, 2, 0) \
	row(LOG_CALLEE, 2, 0) \
	row(LOG_GIVEN, 2, 0) \
	row(LOG_BLOCKED, 4, 0) \
	row(LOG_CRASH, 0, 0) \
	row(LOG_VALUE, 1, 0) \
	row(LOG_FIXED, 2, 0) \
	row(LOG_DEPENDS, 1, 0) \
	row(LOG_REJOIN, 1, 0) \
	row(LOG_EITHER, 1, 0) \
	row(LOG_SPIN, 2, 0) \
	row(LOG_ENTER, 1, 0) \
	row(LOG_LEAVE, 1, 0)
/* clang-format on */
/* clang-format on */

enum log_kind {
#define LOG_ROW(name, words, writes) name,
	LOG_KINDS(LOG_ROW)
#undef LOG_ROW
		LOG_KIND_COUNT
};

#define LOG_WORD(kind, site, high) \
	((uint64_t)(kind) | (uint64_t)(site) << 8 | (uint64_t)(uint32_t)(high) << 32)
#define LOG_KIND_OF(w) ((uint8_t)(w))
#define LOG_SITE_OF(w) ((uint32_t)(w) >> 8)
#define LOG_HIGH_OF(w) ((uint32_t)((w) >> 32))

#define LOG_ENTER_WORD(pc) ((uint64_t)LOG_ENTER | (uint64_t)(pc) << 8)
#define LOG_ENTER_OF(w) ((w) >> 8 & ((UINT64_C(1) << LOG_ADDRESS_BITS) - 1))

#define LOG_HERE 8u /* LOG_DEPEND */
#define LOG_NEAR ((UINT64_C(1) << 18) - 1)
#define LOG_NEAR_WORD(a, b, c) \
	((uint64_t)LOG_DEPENDS | (uint64_t)(a) << 8 | (uint64_t)(b) << 26 | (uint64_t)(c) << 44)
#define LOG_PAIR (1u << 31)
#define LOG_CLOSE 0x7fffu
#define LOG_TRIPLE (LOG_PAIR | 1u << 15)
#define LOG_CLOSEST 0x3ffu
#define LOG_TRIPLE_OF(a, b, c)                                                         \
	(LOG_TRIPLE | (uint32_t)(a) | ((uint32_t)(c)&31) << 10 | (uint32_t)(b) << 16 | \
	 (uint32_t)(c) >> 5 << 26)
#define LOG_NEAR_OF(w, which) ((uint32_t)((w) >> (8 + 18 * (which)) & LOG_NEAR))
/* LOG_FORK: a thread of a parallel region, or the first one of a team, and its number; a task. */
enum log_role { LOG_NO_ROLE, LOG_WORKER, LOG_TEAM, LOG_TASK };
#define LOG_ROLE(role, number) ((uint32_t)(role) << 24 | ((uint32_t)(number)&0xffffff))
#define LOG_ROLE_OF(high) ((high) >> 24)
#define LOG_ROLE_NUMBER(high) ((high)&0xffffff)
#define LOG_INLINE 2u
#define LOG_RETURNS 2u
#define LOG_MODEL_RETURNS 4u
#define LOG_MODEL_RUNS 8u
#define LOG_MODEL_HANDS 16u
#define LOG_MODEL_RECEIVES 32u
#define LOG_MODEL_FLAGS (LOG_MODEL_RUNS | LOG_MODEL_HANDS | LOG_MODEL_RECEIVES)
#define LOG_GIVEN_ANY UINT64_MAX /* LOG_GIVEN: it may be any object */
#define LOG_TRIES 2u
#define LOG_NOBODY UINT32_MAX
#define LOG_ADDRESS_BITS 48
#define LOG_ZEROED ((uint64_t)1 << 63)
#define LOG_PART 1u
#define LOG_STEPS 2u
#define LOG_LOOSE 4u
#define LOG_OUTSIDE 0x100u
#define LOG_FROM 8u
#define LOG_ACCESS(address, size, flags) \
	((uint64_t)(address) | (uint64_t)(size) << 48 | (uint64_t)(flags) << 56)

/* LOG_SPIN: the words of one time, how many times, and from the record to the last one. */
#define LOG_ROUND_LEAST 4u
#define LOG_ROUND_MOST 8u
#define LOG_SPINS_MOST (1u << 24)
#define LOG_SPIN_WORDS 4u

/* Of a LOG_BRANCH or LOG_VALUE, by what stands in place of the version; 0: none. */
static inline void log_distances(uint32_t high, uint32_t distances[3])
{
	uint32_t most = (high & LOG_TRIPLE) == LOG_TRIPLE ? LOG_CLOSEST : LOG_CLOSE;

	distances[0] = high & LOG_PAIR ? high & most : high;
	distances[1] = high & LOG_PAIR ? high >> 16 & most : 0;
	distances[2] = most == LOG_CLOSEST ? (high >> 10 & 31) | (high >> 26 & 31) << 5 : 0;
}

/* Whether distances that stand `offset` words behind the read lead to the same record, `shift`
 * words apart; or to the same of their own time. */
static inline int log_same_distance(uint32_t a, uint32_t b, uint32_t offset, uint32_t shift)
{
	return a <= offset ? a == b : b == a + shift;
}

static inline int log_same_branch(uint64_t a, uint64_t b, uint32_t offset, uint32_t shift)
{
	uint32_t x[3], y[3];

	if (LOG_KIND_OF(a) != LOG_BRANCH || (uint32_t)a != (uint32_t)b)
		return 0;
	log_distances(LOG_HIGH_OF(a), x);
	log_distances(LOG_HIGH_OF(b), y);
	return log_same_distance(x[0], y[0], offset, shift) &&
	       log_same_distance(x[1], y[1], offset, shift) &&
	       log_same_distance(x[2], y[2], offset, shift);
}

/* A value that is known only at run time, such as how often it was. */
static inline int log_is_here(uint64_t w)
{
	return LOG_KIND_OF(w) == LOG_DEPEND && LOG_SITE_OF(w) >= LOG_HERE;
}

/* Calls, of the same place, and their ends. */
static inline int log_same_call(uint64_t a, uint64_t b)
{
	return a == b && (LOG_KIND_OF(a) == LOG_ENTER || LOG_KIND_OF(a) == LOG_LEAVE);
}

/* Whether at both places stand a read and what comes behind it, branches and calls, the same but
 * for the version and values of LOG_HERE. */
static inline int log_same_round(const uint64_t *a, const uint64_t *b, uint32_t words,
				 uint32_t shift)
{
	if (LOG_KIND_OF(a[0]) != LOG_READ || (uint32_t)a[0] != (uint32_t)b[0] || a[1] != b[1] ||
	    a[2] != b[2])
		return 0;
	for (uint32_t i = 3; i < words; i++)
		if (!(log_is_here(a[i]) && (uint32_t)a[i] == (uint32_t)b[i]) &&
		    !log_same_branch(a[i], b[i], i, shift) && !log_same_call(a[i], b[i]))
			return 0;
	return 1;
}

#endif
