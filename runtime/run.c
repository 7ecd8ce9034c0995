/* SPDX-License-Identifier: MIT */
#include "runtime/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "runtime/crash.h"
#include "runtime/files.h"
#include "runtime/host.h"
#include "runtime/inputs.h"
#include "runtime/late.h"
#include "runtime/modules.h"
#include "runtime/process.h"
#include "runtime/replay/replay.h"
#include "runtime/settings.h"
#include "runtime/shard.h"
#include "runtime/shadow.h"
#include "runtime/sys.h"
#include "runtime/pthread/threads.h"

struct norn_run norn_run;
struct norn_shard norn_shards[LOG_SHARDS + 1];

#define PAUSES_BEFORE_YIELD 64
/* One that must not be kept waiting may keep out the one that it waits for. */
#define YIELDS_BEFORE_SLEEP 1024
#define SLEEP_NS 50000

void norn_wait(uint32_t *spins)
{
	static const struct timespec nap = {0, SLEEP_NS};
	if (++*spins < PAUSES_BEFORE_YIELD)
		__builtin_ia32_pause();
	else if (*spins < YIELDS_BEFORE_SLEEP)
		NORN_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
	else
		NORN_SYS(nanosleep, &nap, 0, 0, 0, 0, 0);
}

void norn_spin_lock(struct norn_spin *spin)
{
	for (uint32_t spins = 0; __atomic_exchange_n(&spin->taken, 1, __ATOMIC_ACQUIRE);)
		norn_wait(&spins);
}

void norn_spin_unlock(struct norn_spin *spin)
{
	__atomic_store_n(&spin->taken, 0, __ATOMIC_RELEASE);
}

uint64_t norn_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static char *append(char *to, const char *text)
{
	size_t n = strlen(text);
	memcpy(to, text, n + 1);
	return to + n;
}

static char *append_number(char *to, unsigned long number)
{
	char digits[24];
	char *p = digits + sizeof digits;
	*--p = 0;
	do
		*--p = (char)('0' + number % 10);
	while (number /= 10);
	return append(to, p);
}

void norn_path(char *path, bool whole, const char *name, long number)
{
	char *end = path;
	if (whole)
		end = append(append(end, norn_run.directory), "/");
	end = append(end, name);
	if (number >= 0)
		append_number(end, (unsigned long)number);
}

/* Whether this is the first reason. */
static bool stop(enum log_stop why)
{
	struct log_run *run = norn_run.shared;
	uint32_t going = LOG_GOES_ON;
	bool first = __atomic_compare_exchange_n(&run->why, &going, (uint32_t)why, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_store_n(&run->stop, 1, __ATOMIC_RELEASE);
	return first;
}

void norn_stop(enum log_stop why)
{
	stop(why);
}

void norn_fail(const char *what, long number, long error)
{
	struct log_run *run = norn_run.shared;
	if (strlen(what) + 24 > sizeof run->failed || !stop(LOG_FAILED))
		return;
	norn_path(run->failed, false, what, number);
	run->error = (uint32_t)-error;
}

static bool follows(void)
{
	const char *follow = norn_setting(NORN_FOLLOWS);
	return follow && strcmp(follow, "1") == 0;
}

/* Another program came first, or this process was another one: that is told, unless this one is
 * recorded apart. */
static void note_second(struct log_run *run, bool was_another)
{
	if (was_another)
		__atomic_store_n(&run->exec, !follows(), __ATOMIC_RELAXED);
	else if (!follows())
		__atomic_store_n(&run->others, 1, __ATOMIC_RELAXED);
}

/* Maps DIRECTORY/run and claims it: whoever comes second (after exec, say) is not recorded. */
static struct log_run *claim_run(void)
{
	char path[NORN_PATH_MAX];
	norn_path(path, true, "run", -1);
	long fd = norn_sys_open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	long map = NORN_SYS(mmap, 0, sizeof(struct log_run), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    0);
	norn_sys_close(fd);
	if (map < 0 && map > -4096)
		return NULL;
	struct log_run *run = (struct log_run *)map;
	uint32_t owner = 0, self = (uint32_t)NORN_SYS(getpid, 0, 0, 0, 0, 0, 0);
	bool fits = run->magic == LOG_MAGIC && run->version == LOG_VERSION;
	if (fits && __atomic_compare_exchange_n(&run->pid, &owner, self, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
		return run;
	if (fits)
		note_second(run, owner == self);
	NORN_SYS(munmap, run, sizeof *run, 0, 0, 0, 0);
	return NULL;
}

static bool set_directory(const char *directory)
{
	/* Room for a suffix, .PID.N. */
	if (!directory || !*directory || strlen(directory) >= sizeof norn_run.directory - 64)
		return false;
	append(norn_run.directory, directory);
	return true;
}

/* NORN_FOLLOW: a recording of its own, DIRECTORY.PID, with the limits of the one it comes from. */
static struct log_run *claim_apart(uint32_t pid)
{
	if (!follows() || !set_directory(norn_setting(NORN_DIRECTORY)))
		return NULL;
	char path[NORN_PATH_MAX];
	struct log_run from;
	norn_path(path, true, "run", -1);
	long fd = norn_sys_open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	long got = NORN_SYS(read, fd, &from, sizeof from, 0, 0, 0);
	norn_sys_close(fd);
	if (got != (long)sizeof from)
		return NULL;
	struct log_run fresh = {.magic = LOG_MAGIC,
				.version = LOG_VERSION,
				.limit = from.limit,
				.bytes = from.bytes,
				.input_limit = from.input_limit,
				.standard_input = from.standard_input,
				.exit_wait = from.exit_wait,
				.mode = LOG_RECORD};

	char *end =
		append_number(append(norn_run.directory + strlen(norn_run.directory), "."), pid);
	/* One process may come here again, after exec. */
	for (unsigned long again = 1; again < 1000; again++) {
		long made = NORN_SYS(mkdir, norn_run.directory, 0700, 0, 0, 0, 0);
		if (made == -EEXIST) {
			append_number(append(end, "."), again);
			continue;
		}
		if (made < 0)
			return NULL;
		norn_path(path, true, "run", -1);
		fd = norn_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
		if (fd < 0)
			return NULL;
		long written = norn_file_append(fd, &fresh, sizeof fresh);
		norn_sys_close(fd);
		return written < 0 ? NULL : claim_run();
	}
	return NULL;
}

static bool begin_run(void)
{
	struct log_run *run = NULL;
	norn_settings_take();
	/* A program with more rights than its caller writes no files where the caller says. */
	if (getauxval(AT_SECURE))
		return false;
	if (set_directory(norn_setting(NORN_DIRECTORY))) {
		run = claim_run();
		if (!run)
			run = claim_apart((uint32_t)NORN_SYS(getpid, 0, 0, 0, 0, 0, 0));
	}
	norn_run.shared = run;
	if (!run)
		return false;
	norn_host_begin();
	norn_origin_begin(run->standard_input);
	norn_shadow_begin();
	if (!norn_replay_begin())
		norn_fail("the plan of the replay is missing or damaged", -1, 0);
	norn_threads_begin();
	norn_late_begin(run->begin == LOG_WAITS && run->mode == LOG_RECORD);
	norn_list_modules();
	return true;
}

bool norn_records(void)
{
	uint32_t state = __atomic_load_n(&norn_run.state, __ATOMIC_ACQUIRE);
	if (NORN_LIKELY(state >= NORN_RECORDS))
		return state == NORN_RECORDS;
	if (norn_host_waits())
		return false;
	state = NORN_NOT_BEGUN;
	if (__atomic_compare_exchange_n(&norn_run.state, &state, NORN_BEGINS, false,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		int saved = errno;
		bool records = begin_run();
		errno = saved;
		__atomic_store_n(&norn_run.state, records ? NORN_RECORDS : NORN_IS_OFF,
				 __ATOMIC_RELEASE);
		if (records)
			norn_crash_begin();
	}
	for (uint32_t spins = 0;
	     (state = __atomic_load_n(&norn_run.state, __ATOMIC_ACQUIRE)) < NORN_RECORDS;)
		norn_wait(&spins);
	return state == NORN_RECORDS;
}

void norn_run_in_child(struct norn_self *me)
{
	struct log_run *from = norn_run.shared;
	if (norn_host_waits())
		return;
	if (norn_run.state != NORN_RECORDS) {
		me->mode = NORN_PLAIN;
		norn_note_child(norn_run.from, false);
		return;
	}
	norn_run.shared = claim_apart((uint32_t)NORN_SYS(getpid, 0, 0, 0, 0, 0, 0));
	norn_run.state = norn_run.shared ? NORN_RECORDS : NORN_IS_OFF;
	if (norn_run.shared) {
		__atomic_add_fetch(&from->born, 1, __ATOMIC_SEQ_CST);
		norn_host_begin();
		NORN_SYS(munmap, from, sizeof *from, 0, 0, 0, 0);
		return;
	}
	norn_run.from = from;
	norn_note_child(from, follows());
}
