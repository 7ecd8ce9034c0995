/*
 * Streams over memory: open_memstream tells where its memory is, and how long, when it is flushed or closed, and
 * fmemopen writes and reads memory of the program then. What another thread reads behind that is right; what it reads
 * meanwhile races.
 *
 * expect: race @flushes @length
 * expect: race @flushes @start
 * expect: race @closes @behind
 * expect: race @writes @memory
 * expect: race @fills @other
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int told;
static volatile int seen, filled_with;

static void tell(int what)
{
	pthread_mutex_lock(&lock);
	told = what;
	pthread_mutex_unlock(&lock);
}

static void wait_for(int what)
{
	for (int now = 0; now < what;) {
		pthread_mutex_lock(&lock);
		now = told;
		pthread_mutex_unlock(&lock);
		if (now < what)
			usleep(500);
	}
}

static char *text, *racy_text, *late, memory[64], racy_memory[64];
static wchar_t *wide;
static FILE *racy;
static size_t length, racy_length, wide_length, late_length;
static char filled[] = "filled", racy_filled[] = "filled";

static void *writes(void *unused)
{
	FILE *f = open_memstream(&text, &length), *w = open_wmemstream(&wide, &wide_length);
	FILE *m = fmemopen(memory, sizeof memory, "w");

	fputs("first", f);
	fflush(f);
	tell(1);
	wait_for(2);
	for (int i = 0; i < 20; i++)
		fputs("more and more", f);
	fclose(f);
	fputws(L"wide", w);
	fclose(w);
	fputs("memory", m);
	fflush(m);
	tell(3);
	racy = open_memstream(&racy_text, &racy_length);
	fputs("racy", racy);
	fflush(racy); /* @flushes */
	f = open_memstream(&late, &late_length);
	fputs("racy", f);
	fclose(f); /* @closes */
	m = fmemopen(racy_memory, sizeof racy_memory, "w");
	fputs("racy", m);
	fclose(m); /* @writes */
	m = fmemopen(racy_filled, 6, "r");
	filled_with = fgetc(m); /* @fills */
	fclose(m);
	return unused;
}

static void *reads(void *unused)
{
	char now[8];

	wait_for(1);
	seen += !strcmp(text, "first") + (length == 5);
	tell(2);
	wait_for(3);
	seen += text[length - 1] + wide[wide_length - 1] + memory[0];
	free(text);
	free(wide);
	memset(filled, 'x', 6);
	FILE *m = fmemopen(filled, sizeof filled, "r");
	seen += fgetc(m);
	fclose(m);
	seen += racy_length; /* @length */
	seen += racy_text != NULL; /* @start */
	seen += late != NULL; /* @behind */
	seen += racy_memory[0]; /* @memory */
	racy_filled[0] = 'x'; /* @other */
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writes, NULL);
	pthread_create(&b, NULL, reads, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s %zu %s\n", late, late_length, racy_memory);
	fclose(racy);
	free(late);
	free(racy_text);
	return 0;
}
