/*
 * More of what the kernel and libc keep: a timer that alarm sets, how many bytes a character has, names of which the
 * kernel tells by a signal, and memory that is written through /proc. One thread writes data, then changes something; the
 * other asks, and then reads the data. That is right. The twin is touched on both sides of it, and races.
 *
 * expect: race @before @behind
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "ways.h"

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static int is_set(void)
{
	struct itimerval timer;

	getitimer(ITIMER_REAL, &timer);
	return timer.it_value.tv_sec || timer.it_value.tv_usec;
}

static char directory[] = "/tmp/norn-rest.XXXXXX", name[64];
static int came, word;

static void note(int signal)
{
	__atomic_store_n(&came, signal, __ATOMIC_SEQ_CST);
}

static void watch(void)
{
	mkdtemp(directory);
	signal(SIGIO, note);
	fcntl(open(directory, O_RDONLY), F_NOTIFY, DN_CREATE);
	strcat(strcpy(name, directory), "/file");
}

static void write_word(void)
{
	int memory = open("/proc/self/mem", O_RDWR), one = 1;

	pwrite(memory, &one, sizeof one, (off_t)(long)&word);
	close(memory);
}

WAY(alarm, , alarm(1000), POLL(!is_set()))
WAY(short_alarm, alarm(0), ualarm(900000, 900000), POLL(!is_set()))
WAY(bytes, ualarm(0, 0), setlocale(LC_ALL, "C.UTF-8"), POLL(mblen("\xc3\xa9", 2) != 2))
WAY(names, watch(), close(creat(name, 0600)), POLL(!__atomic_load_n(&came, __ATOMIC_SEQ_CST)))
WAY(memory, , write_word(), POLL(!__atomic_load_n(&word, __ATOMIC_SEQ_CST)))

int main(void)
{
	RUN(alarm);
	RUN(short_alarm);
	RUN(bytes);
	RUN(names);
	RUN(memory);
	remove(name);
	rmdir(directory);
	return seen == 0;
}
