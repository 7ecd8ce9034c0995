/* SPDX-License-Identifier: MIT */
/* Clocks, calendars, and sleeping. */
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/replay/schedule.h"

#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>

/* Hands a result over, if the call was successful and the program wants it. What a clock shows no
 * read of the program decides. */
static void give(const void *pc, bool success, void *to, const void *ours, size_t n)
{
	if (success && to)
		norn_lay(pc, to, ours, n);
}

/*
 * What a clock shows, in ns: as it was recorded, or as it goes on from there (inputs.h). `real` is
 * what libc says now.
 */
#define NS 1000000000

static int64_t shown(enum log_input_function function, clockid_t clock, int64_t real)
{
	struct norn_input in;
	int64_t now;
	if (norn_input_given(function, &in)) {
		now = in.result;
		norn_clock_given(clock, now);
	} else {
		now = norn_clock_shows(clock, real);
	}
	norn_input_keep(function, now, NULL, 0);
	return now;
}

/* Libraries go by clocks as the program does: an event loop has its timers. They are given the
 * recorded ones where it is given what its sockets gave. */
int64_t norn_library_clock(clockid_t clock, int64_t real)
{
	if (norn_gives_sockets())
		return shown(INPUT_LIBRARY_CLOCK, clock, real);
	norn_input_keep(INPUT_LIBRARY_CLOCK, real, NULL, 0);
	return real;
}

/* Whole units of time, as functions with a coarse result have them. */
static int64_t shown_in(int64_t unit, enum log_input_function function, clockid_t clock,
			int64_t real)
{
	return shown(function, clock, real * unit) / unit;
}

time_t __norn_time(time_t *to)
{
	time_t now = shown_in(NS, INPUT_TIME, CLOCK_REALTIME, time(NULL));
	give(NORN_CALLER, true, to, &now, sizeof now);
	return now;
}

int __norn_gettimeofday(struct timeval *to, void *zone)
{
	struct timeval now;
	int r = gettimeofday(&now, zone);
	if (!r) {
		int64_t ns = shown_in(1000, INPUT_GETTIMEOFDAY, CLOCK_REALTIME,
				      now.tv_sec * 1000000 + now.tv_usec);
		now = (struct timeval){ns / 1000000, ns % 1000000};
	}
	give(NORN_CALLER, !r, to, &now, sizeof now);
	return r;
}

static struct timespec shown_exactly(enum log_input_function function, clockid_t clock,
				     const struct timespec *real)
{
	int64_t ns = shown(function, clock, real->tv_sec * NS + real->tv_nsec);
	return (struct timespec){ns / NS, ns % NS};
}

int __norn_clock_gettime(clockid_t clock, struct timespec *to)
{
	struct timespec now;
	int r = clock_gettime(clock, &now);
	if (!r)
		now = shown_exactly(INPUT_CLOCK_GETTIME, clock, &now);
	give(NORN_CALLER, !r, to, &now, sizeof now);
	return r;
}

clock_t __norn_clock(void)
{
	clock_t now = clock();
	return now < 0 ? now : shown_in(1000, INPUT_CLOCK, CLOCK_PROCESS_CPUTIME_ID, now);
}

/* Of C++: in libstdc++, where these calls would not be seen. Both return one number, in ns. */
static int64_t now_in_cxx(enum log_input_function function, clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return shown(function, clock, now.tv_sec * NS + now.tv_nsec);
}

int64_t __norn__ZNSt6chrono3_V212system_clock3nowEv(void)
{
	return now_in_cxx(INPUT_SYSTEM_CLOCK, CLOCK_REALTIME);
}

int64_t __norn__ZNSt6chrono3_V212steady_clock3nowEv(void)
{
	return now_in_cxx(INPUT_STEADY_CLOCK, CLOCK_MONOTONIC);
}

int __norn_clock_getres(clockid_t clock, struct timespec *to)
{
	struct timespec step;
	int r = clock_getres(clock, &step);
	give(NORN_CALLER, !r, to, &step, sizeof step);
	return r;
}

int __norn_timespec_get(struct timespec *to, int base)
{
	struct timespec now;
	int r = timespec_get(&now, base);
	if (r == TIME_UTC)
		now = shown_exactly(INPUT_TIMESPEC_GET, CLOCK_REALTIME, &now);
	give(NORN_CALLER, r, to, &now, sizeof now);
	return r;
}

clock_t __norn_times(struct tms *to)
{
	struct tms now;
	clock_t r = times(&now);
	if (r != (clock_t)-1)
		r = norn_input_bytes(INPUT_TIMES, r, &now, sizeof now);
	give(NORN_CALLER, r != (clock_t)-1, to, &now, sizeof now);
	return r;
}

static bool sleeps_in_turn(const struct timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 &&
	       norn_turn_sleeps((uint64_t)time->tv_sec * NS + (uint64_t)time->tv_nsec);
}

int __norn_nanosleep(const struct timespec *time, struct timespec *left)
{
	struct timespec want, rest;
	if (!norn_fetch(NORN_CALLER, &want, time, sizeof want))
		return nanosleep(time, left);
	norn_long_call();
	if (sleeps_in_turn(&want))
		return 0;
	int r = nanosleep(&want, &rest);
	give(NORN_CALLER, r && errno == EINTR, left, &rest, sizeof rest);
	return r;
}

int __norn_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *left)
{
	struct timespec want, rest, ours;
	if (!norn_fetch(NORN_CALLER, &want, time, sizeof want))
		return clock_nanosleep(clock, flags, time, left);
	norn_long_call();
	const struct timespec *until =
		flags & TIMER_ABSTIME ? norn_clock_until(clock, &want, &ours) : &want;
	int r = clock_nanosleep(clock, flags, until, &rest);
	give(NORN_CALLER, r == EINTR && !(flags & TIMER_ABSTIME), left, &rest, sizeof rest);
	return r;
}

int __norn_thrd_sleep(const struct timespec *time, struct timespec *left)
{
	struct timespec want, rest;
	norn_get(NORN_CALLER, &want, time, sizeof want);
	norn_long_call();
	if (sleeps_in_turn(&want))
		return 0;
	int r = thrd_sleep(&want, &rest);
	give(NORN_CALLER, r == -1, left, &rest, sizeof rest);
	return r;
}

unsigned __norn_sleep(unsigned seconds)
{
	norn_long_call();
	return norn_turn_sleeps((uint64_t)seconds * NS) ? 0 : sleep(seconds);
}

int __norn_usleep(useconds_t time)
{
	norn_long_call();
	return norn_turn_sleeps(time * UINT64_C(1000)) ? 0 : usleep(time);
}

int __norn_pause(void)
{
	norn_long_call();
	if (!norn_pause_ends(NORN_CALLER))
		return pause();
	errno = EINTR;
	return -1;
}

static time_t take_time(const void *pc, const time_t *time)
{
	time_t t;
	norn_get(pc, &t, time, sizeof t);
	return t;
}

struct tm *__norn_localtime_r(const time_t *time, struct tm *to)
{
	norn_gather();
	time_t t = take_time(NORN_CALLER, time);
	struct tm ours;
	if (!localtime_r(&t, &ours))
		return NULL;
	norn_pass(NORN_CALLER, to, &ours, sizeof ours);
	return to;
}

struct tm *__norn_gmtime_r(const time_t *time, struct tm *to)
{
	norn_gather();
	time_t t = take_time(NORN_CALLER, time);
	struct tm ours;
	if (!gmtime_r(&t, &ours))
		return NULL;
	norn_pass(NORN_CALLER, to, &ours, sizeof ours);
	return to;
}

/* These give memory of libc's, the same to all threads: logged, so that races for it show. */
struct tm *__norn_localtime(const time_t *time)
{
	time_t t = take_time(NORN_CALLER, time);
	struct tm *r = localtime(&t);
	norn_filled(NORN_CALLER, r, r ? sizeof *r : 0);
	return r;
}

struct tm *__norn_gmtime(const time_t *time)
{
	time_t t = take_time(NORN_CALLER, time);
	struct tm *r = gmtime(&t);
	norn_filled(NORN_CALLER, r, r ? sizeof *r : 0);
	return r;
}

char *__norn_ctime(const time_t *time)
{
	time_t t = take_time(NORN_CALLER, time);
	char *r = ctime(&t);
	norn_filled(NORN_CALLER, r, r ? strlen(r) + 1 : 0);
	return r;
}

char *__norn_asctime(const struct tm *time)
{
	struct tm t;
	norn_get(NORN_CALLER, &t, time, sizeof t);
	char *r = asctime(&t);
	norn_filled(NORN_CALLER, r, r ? strlen(r) + 1 : 0);
	return r;
}

static char *give_text(const void *pc, char *to, const char *text)
{
	if (!text)
		return NULL;
	norn_put(pc, to, text, strlen(text) + 1);
	return to;
}

char *__norn_ctime_r(const time_t *time, char *to)
{
	time_t t = take_time(NORN_CALLER, time);
	char text[64];
	return give_text(NORN_CALLER, to, ctime_r(&t, text));
}

char *__norn_asctime_r(const struct tm *time, char *to)
{
	struct tm t;
	char text[128];
	norn_get(NORN_CALLER, &t, time, sizeof t);
	return give_text(NORN_CALLER, to, asctime_r(&t, text));
}

/* It puts the fields in order; all of them may change. */
static time_t normalise(const void *pc, struct tm *time, time_t (*libc)(struct tm *))
{
	struct tm t;
	norn_gather();
	norn_get(pc, &t, time, sizeof t);
	time_t r = libc(&t);
	norn_pass(pc, time, &t, sizeof t);
	return r;
}

time_t __norn_mktime(struct tm *time)
{
	return normalise(NORN_CALLER, time, mktime);
}

time_t __norn_timegm(struct tm *time)
{
	return normalise(NORN_CALLER, time, timegm);
}

size_t __norn_strftime(char *to, size_t max, const char *format, const struct tm *time)
{
	struct norn_inlet in;
	struct norn_scratch ours;
	struct tm t;
	size_t n;
	norn_scratch_init(&ours);
	format = norn_copy_of(NORN_CALLER, format, SIZE_MAX, &norn_nul, &ours, &n);
	norn_get(NORN_CALLER, &t, time, sizeof t);
	char *buffer = norn_inlet_begin(&in, to, max);
	n = strftime(buffer, max, format, &t);
	/* 0: it did not fit, or is empty; then the NUL alone is sure to be there. */
	norn_inlet_end(NORN_CALLER, &in, n || (max && !*buffer) ? n + 1 : 0);
	norn_scratch_release(&ours);
	return n;
}
