#!/bin/sh
# SPDX-License-Identifier: MIT
# Values that only leave the program decide nothing, and what libc's functions return depends on what
# they were given and looked at. One thread sets `racy`, and `shared` under a lock; another one takes
# `shared` into x after that, uses it in some way, and sets `racy`. If the other way round the second
# would get there, too, that is a race.
. tests/cli/lib.sh
bin=$(dirname "$NORN")

# program NAME CODE: the second thread's.
program()
{
	cat >"$tmp/$1.c" <<END
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static char text[16] = "zero";
static char to[16], one[8] = "one", two[8] = "two", *name = one;
int racy;
static void print(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
}
static void put(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(to, sizeof to, format, list);
	va_end(list);
}
static void *first(void *unused)
{
	racy = 1;
	to[3] = two[0] = 84;
	pthread_mutex_lock(&lock);
	shared = 300;
	name = two;
	strcpy(text, "three");
	pthread_mutex_unlock(&lock);
	return unused;
}
static void *second(void *unused)
{
	usleep(30000);
	pthread_mutex_lock(&lock);
	int x = shared;
	pthread_mutex_unlock(&lock);
	$2
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
}

# predicts NAME LEVEL: what is found, to $tmp/out.
predicts()
{
	run "$bin/norn-cc" -w "$2" "$tmp/$1.c" -o "$tmp/$1" -lm
	run "$NORN" record -o "$tmp/$1.norn" "$tmp/$1"
	run "$NORN" check "$tmp/$1.norn"
	run "$NORN" predict "$tmp/$1.norn"
}

number=0
# proved CODE, refuted CODE: with the race behind it.
proved()
{
	number=$((number + 1))
	program "p$number" "$1 racy = 2;"
	for level in -O0 -O2; do
		predicts "p$number" $level
		out_has 'data race on racy' "$level proved: $1"
	done
}

refuted()
{
	number=$((number + 1))
	program "r$number" "$1"
	for level in -O0 -O2; do
		predicts "r$number" $level
		! grep -q 'data race' "$tmp/out"
		result $? "$level refuted: $1"
	done
}

# Numbers that are printed
proved 'printf("%d\n", x);'
proved 'printf("%5.1f %c %p %*d %%\n", x * 0.5, x, (void *)(long)x, x % 9, 7);'
proved 'fprintf(stderr, "%s %ld\n", "text", (long)x);'
proved 'dprintf(1, "%.*f\n", x % 5, 1.5);'
proved 'putchar(x % 26 + 65);'
proved 'fputc(x % 26 + 65, stderr);'
proved 'write(1, &x, sizeof x);'
proved 'fwrite(&x, sizeof x, 1, stdout);'
proved 'usleep(x);'
proved 'FILE *f = tmpfile(); fprintf(f, "%d", x);'
# What comes back
refuted 'if (printf("%d\n", x) == 4) racy = 2;'
refuted 'char b[16]; if (snprintf(b, sizeof b, "%d", x) == 3) racy = 2;'
refuted 'char b[16]; sprintf(b, "%d", x); if (b[0] == 51) racy = 2;'
refuted 'char b[16] = ""; sprintf(b, "%d", x); if (b[2]) racy = 2;'
refuted 'char b[16] = ""; int n; printf("%d%n\n", x, &n); if (n == 3) racy = 2;'
refuted 'char *b; size_t n; FILE *f = open_memstream(&b, &n); fprintf(f, "%d", x); fflush(f);
	if (b[0] == 51) racy = 2;'
refuted 'char *b; size_t n; FILE *f = open_memstream(&b, &n); fputc(x % 200, f); fflush(f);
	if (b[0] == 100) racy = 2;'
refuted 'FILE *f = tmpfile(); fprintf(f, "%d", x); rewind(f); if (fgetc(f) == 51) racy = 2;'
refuted 'FILE *f = tmpfile(); ftruncate(fileno(f), 4096);
	char *b = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0);
	fprintf(f, "%d", x); fflush(f); if (b[0] == 51) racy = 2;'
refuted 'int p[2], y; pipe(p); write(p[1], &x, sizeof x); read(p[0], &y, sizeof y);
	if (y == 300) racy = 2;'
refuted 'char b[8]; printf("%.*s\n", x ? 1 : 0, text); if (x) racy = 2;'
# How much is written to memory, and what is read there
proved 'print("%d %g\n", x, x * 0.5);'
refuted 'print("%s\n", x ? two : one);'
refuted 'pthread_mutex_lock(&lock); char *p = name; pthread_mutex_unlock(&lock); print("%s\n", p);'
refuted 'pthread_mutex_lock(&lock); char *p = name; pthread_mutex_unlock(&lock); puts(p);'
refuted 'put("%d", x);'
refuted 'sprintf(to, "%d", x);'
refuted 'char b[8] = "0123"; b[2] = x ? 50 : 0; strcpy(to, b);'
refuted 'char b[8] = "0123"; b[2] = x ? 50 : 0; snprintf(to, sizeof to, "%s", b);'
refuted 'char b[8] = "0123"; b[2] = x ? 50 : 0; memcpy(to, b, strlen(b));'

# Functions that compute
proved 'printf("%d\n", (isalpha)(x % 128));'
proved 'printf("%d\n", abs(x) + ffs(x) + (int)cbrt(x) + (int)ldexp(1.0, x % 8));'
refuted 'if (toupper(x % 128 + 53) == 65) racy = 2;'
refuted 'if (cbrt(x) > 1) racy = 2;'
refuted 'if (div(x, 7).quot == 42) racy = 2;'

# Functions that look at memory: what they return comes from there
proved 'pthread_mutex_lock(&lock); int n = strcmp(text, "three"); pthread_mutex_unlock(&lock);
	printf("%d\n", n);'
proved 'pthread_mutex_lock(&lock); puts(text); pthread_mutex_unlock(&lock);'
proved 'pthread_mutex_lock(&lock); printf("%s %d\n", text, x); pthread_mutex_unlock(&lock);'
proved 'int n = strlen("constant"); printf("%d\n", x); if (n == 8) n = 9;'
proved 'char b[8]; b[0] = getpid() ? 97 : 98; b[1] = 0; if (!strcmp(b, "a")) printf("%d\n", x);'
refuted 'char b[16]; pthread_mutex_lock(&lock); strcpy(b, text); pthread_mutex_unlock(&lock);
	if (!strcmp(b, "three")) racy = 2;'
refuted 'char b[16]; pthread_mutex_lock(&lock); int n = strlen(text); pthread_mutex_unlock(&lock);
	if (n == 5) racy = 2;'
refuted 'char b[16]; pthread_mutex_lock(&lock); char *p = strchr(text, 104);
	pthread_mutex_unlock(&lock); if (p) racy = 2;'
refuted 'char b[] = "7"; b[0] += x % 7; if (atoi(b) == 13) racy = 2;'
finish
