/* Clocks, calendars, and sleeping. */
#include "runtime/libc.h"
#include "runtime/replaced.h"

#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>

/* Hands a result over, if the call was successful and the program wants it. */
static void give(const void *pc, bool success, void *to, const void *ours, size_t n)
{
	if (success && to)
		norn_put(pc, to, ours, n);
}

time_t __norn_time(time_t *to)
{
	time_t now = time(NULL);
	give(NORN_CALLER, true, to, &now, sizeof now);
	return now;
}

int __norn_gettimeofday(struct timeval *to, void *zone)
{
	struct timeval now;
	int r = gettimeofday(&now, zone);
	give(NORN_CALLER, !r, to, &now, sizeof now);
	return r;
}

int __norn_clock_gettime(clockid_t clock, struct timespec *to)
{
	struct timespec now;
	int r = clock_gettime(clock, &now);
	give(NORN_CALLER, !r, to, &now, sizeof now);
	return r;
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
	give(NORN_CALLER, r, to, &now, sizeof now);
	return r;
}

clock_t __norn_times(struct tms *to)
{
	struct tms now;
	clock_t r = times(&now);
	give(NORN_CALLER, r != (clock_t)-1, to, &now, sizeof now);
	return r;
}

int __norn_nanosleep(const struct timespec *time, struct timespec *left)
{
	struct timespec want, rest;
	norn_get(NORN_CALLER, &want, time, sizeof want);
	norn_long_call();
	int r = nanosleep(&want, &rest);
	give(NORN_CALLER, r && errno == EINTR, left, &rest, sizeof rest);
	return r;
}

int __norn_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *left)
{
	struct timespec want, rest;
	norn_get(NORN_CALLER, &want, time, sizeof want);
	norn_long_call();
	int r = clock_nanosleep(clock, flags, &want, &rest);
	give(NORN_CALLER, r == EINTR && !(flags & TIMER_ABSTIME), left, &rest, sizeof rest);
	return r;
}

int __norn_thrd_sleep(const struct timespec *time, struct timespec *left)
{
	struct timespec want, rest;
	norn_get(NORN_CALLER, &want, time, sizeof want);
	norn_long_call();
	int r = thrd_sleep(&want, &rest);
	give(NORN_CALLER, r == -1, left, &rest, sizeof rest);
	return r;
}

unsigned __norn_sleep(unsigned seconds)
{
	norn_long_call();
	return sleep(seconds);
}

int __norn_usleep(useconds_t time)
{
	norn_long_call();
	return usleep(time);
}

int __norn_pause(void)
{
	norn_long_call();
	return pause();
}

static time_t take_time(const void *pc, const time_t *time)
{
	time_t t;
	norn_get(pc, &t, time, sizeof t);
	return t;
}

struct tm *__norn_localtime_r(const time_t *time, struct tm *to)
{
	time_t t = take_time(NORN_CALLER, time);
	struct tm ours;
	if (!localtime_r(&t, &ours))
		return NULL;
	norn_put(NORN_CALLER, to, &ours, sizeof ours);
	return to;
}

struct tm *__norn_gmtime_r(const time_t *time, struct tm *to)
{
	time_t t = take_time(NORN_CALLER, time);
	struct tm ours;
	if (!gmtime_r(&t, &ours))
		return NULL;
	norn_put(NORN_CALLER, to, &ours, sizeof ours);
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
	norn_get(pc, &t, time, sizeof t);
	time_t r = libc(&t);
	norn_put(pc, time, &t, sizeof t);
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
