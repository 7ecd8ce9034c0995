#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that norn cc has not compiled, in an object and in a library: what it writes is read only after
# the call that wrote it. Without the marks that the runtime puts there, all of these are races.
. tests/cli/lib.sh
bin=$(dirname "$NORN")

cat >"$tmp/plain.h" <<'END'
void publish(volatile int *flag);
void call_by_name(volatile int *done);
void named(void);
void start_thread(void (*callback)(void), volatile int *done);
END

cat >"$tmp/plain.c" <<'END'
#include <pthread.h>
#include "plain.h"
void publish(volatile int *flag)
{
	*flag = 1;
}
#ifdef BY_NAME
void call_by_name(volatile int *done)
{
	named();
	*done = 1;
}
#endif
static void (*called)(void);
static volatile int *set;
static void *run(void *p)
{
	called();
	*set = 1;
	return p;
}
void start_thread(void (*callback)(void), volatile int *done)
{
	pthread_t t;
	called = callback;
	set = done;
	pthread_create(&t, NULL, run, NULL);
	pthread_detach(t);
}
END

cat >"$tmp/program.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "plain.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready, done, ran;
static int data, counted, by_thread, racy;
void named(void)
{
	counted++;
}
static void by_thread_of_library(void)
{
	by_thread++;
}
static void *writer(void *p)
{
	void (*volatile by_pointer)(volatile int *) = publish;
	data = 1;
	racy = 1; /* @a */
	pthread_mutex_lock(&lock);
	by_pointer(&ready);
	pthread_mutex_unlock(&lock);
#ifdef BY_NAME
	call_by_name(&done);
#endif
	start_thread(by_thread_of_library, &ran);
	return p;
}
static void wait_for(volatile int *flag)
{
	int set = 0;
	while (!set) {
		pthread_mutex_lock(&lock);
		set = *flag;
		pthread_mutex_unlock(&lock);
		if (!set)
			usleep(1000);
	}
}
static void *reader(void *p)
{
	racy = 2; /* @b */
	wait_for(&ready);
	data = 2;
#ifdef BY_NAME
	wait_for(&done);
	counted++;
#endif
	wait_for(&ran);
	by_thread++;
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&b, NULL, reader, NULL);
	usleep(30000);
	pthread_create(&a, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d %d %d\n", data, counted, by_thread, racy);
	return 0;
}
END

# the_race NAME: what is found in its trace is @a and @b, and replay shows it.
the_race()
{
	run timeout 60 "$NORN" record --output "$tmp/$1.norn" "$tmp/$1"
	status_is 0 "$1: norn record"
	run "$NORN" check "$tmp/$1.norn"
	status_is 0 "$1: the trace is consistent"
	run timeout 200 "$NORN" predict --replay "$tmp/$1.norn"
	one=".*program.c:$b in reader" other=".*program.c:$a in writer" # whichever came first
	out_has "^SUMMARY: Norn: data race: ($one, $other|$other, $one)" "$1: the race is found"
	[ "$(grep -c '^SUMMARY' "$tmp/out")" = 1 ]
	result $? "$1: and nothing else"
	out_has 'confirmed: certified and replayed' "$1: and it can be replayed"
}

a=$(grep -n '@a' "$tmp/program.c" | cut -d: -f1)
b=$(grep -n '@b' "$tmp/program.c" | cut -d: -f1)
for level in -O0 -O2; do
	clang -DBY_NAME -O1 -c -o "$tmp/plain.o" "$tmp/plain.c" &&
		"$bin/norn-cc" -DBY_NAME -g $level -o "$tmp/object" "$tmp/program.c" "$tmp/plain.o"
	result $? "an object without hooks, $level"
	the_race object
	clang -O1 -shared -fPIC -o "$tmp/libplain.so" "$tmp/plain.c" &&
		"$bin/norn-cc" -g $level -o "$tmp/library" "$tmp/program.c" -L"$tmp" -lplain -Wl,-rpath,"$tmp"
	result $? "a library without hooks, $level"
	the_race library
done

# C++: a virtual function that such code calls, and exceptions that it throws.
cat >"$tmp/plain.hpp" <<'END'
struct base {
	virtual void run() = 0;
};
void work(base *b, volatile int *done);
END
cat >"$tmp/plain.cpp" <<'END'
#include "plain.hpp"
void work(base *b, volatile int *done)
{
	b->run();
	*done = 1;
	throw 1;
}
END
cat >"$tmp/virtual.cpp" <<'END'
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include "plain.hpp"
static std::mutex lock;
static volatile int done;
static int counted, later;
struct counter : base {
	void run() override { counted++; }
};
static void call(base *b)
{
	work(b, &done);
}
int main()
{
	std::thread reader([] {
		for (int set = 0; !set;) {
			{
				std::lock_guard<std::mutex> guard(lock);
				set = done;
			}
			std::this_thread::sleep_for(std::chrono::milliseconds(1));
		}
		counted++;
	});
	std::this_thread::sleep_for(std::chrono::milliseconds(30));
	std::thread writer([] {
		counter c;
		try {
			call(&c);
		} catch (int) {
		}
		later = 1;
	});
	writer.join();
	reader.join();
	std::printf("%d %d\n", counted, later);
}
END
for level in -O0 -O2; do
	clang++ -O1 -c -o "$tmp/plain++.o" "$tmp/plain.cpp" &&
		"$bin/norn-c++" -g $level -o "$tmp/virtual" "$tmp/virtual.cpp" "$tmp/plain++.o"
	result $? "C++, $level"
	run timeout 60 "$NORN" record --output "$tmp/virtual.norn" "$tmp/virtual"
	status_is 0 "C++, $level: norn record"
	run timeout 100 "$NORN" predict "$tmp/virtual.norn"
	status_is 0 "C++, $level: nothing is found"
done

# The thread that called it reads first what it wrote; to the other one it is no constant for that.
cat >"$tmp/own.c" <<'END'
#include <pthread.h>
#include <unistd.h>
#include "plain.h"
static volatile int ready;
static int data, seen;
static void *reader(void *p)
{
	usleep(200000);
	if (ready)
		data = 2;
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, reader, NULL);
	data = 1;
	publish(&ready);
	seen = ready;
	pthread_join(t, NULL);
	return data + seen - 3;
}
END
clang -O1 -c -o "$tmp/plain-own.o" "$tmp/plain.c" &&
	"$bin/norn-cc" -g -O1 -o "$tmp/own" "$tmp/own.c" "$tmp/plain-own.o"
result $? "read first by the thread that called it"
run timeout 60 "$NORN" record --output "$tmp/own.norn" "$tmp/own"
status_is 0 "read first by the thread that called it: norn record"
run timeout 60 "$NORN" predict "$tmp/own.norn"
status_is 0 "read first by the thread that called it: nothing is found"

# The same code with hooks: calls between files, and by pointer, are no calls of unknown code.
"$bin/norn-cc" -DBY_NAME -g -O1 -c -o "$tmp/plain-hooked.o" "$tmp/plain.c" &&
	"$bin/norn-cc" -DBY_NAME -g -O1 -o "$tmp/hooked" "$tmp/program.c" "$tmp/plain-hooked.o"
result $? "with hooks"
run timeout 60 "$NORN" record --output "$tmp/hooked.norn" "$tmp/hooked"
run "$NORN" show --stat "$tmp/hooked.norn"
! grep -q '^external' "$tmp/out"
result $? "with hooks, nothing is external"
# What such code changes it may have changed before and behind a lock that it takes: one call, two places.
cat >"$tmp/locks.c" <<'END'
#include <pthread.h>
static pthread_mutex_t safe = PTHREAD_MUTEX_INITIALIZER;
static int *kept;
void put(int *p)
{
	*p = 3;
	pthread_mutex_lock(&safe);
	kept = p;
	pthread_mutex_unlock(&safe);
	*p += 4;
}
END
cat >"$tmp/program.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
void put(int *p);
static int before, changed, racy;
static void *writer(void *p)
{
	before = changed;
	put(&changed);
	racy = 1; /* @a */
	return p;
}
static void *reader(void *p)
{
	racy = 2; /* @b */
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&b, NULL, reader, NULL);
	usleep(50000); /* the reader is first: the report names it first */
	pthread_create(&a, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return changed != 7;
}
END
a=$(grep -n '@a' "$tmp/program.c" | cut -d: -f1)
b=$(grep -n '@b' "$tmp/program.c" | cut -d: -f1)
clang -O1 -shared -fPIC -o "$tmp/liblocks.so" "$tmp/locks.c" &&
	"$bin/norn-cc" -g -o "$tmp/locks" "$tmp/program.c" -L"$tmp" -llocks -Wl,-rpath,"$tmp"
result $? "a library without hooks that locks"
the_race locks
# A function of libc that the runtime has, called by pointer, is no code without hooks.
cat >"$tmp/pointer.c" <<'END'
#include <pthread.h>
#include <string.h>
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static int to[8], from[8];
static void *work(void *p)
{
	copy(to, from, sizeof(to));
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return to[0];
}
END
"$bin/norn-cc" -g -o "$tmp/pointer" "$tmp/pointer.c"
result $? "memcpy by pointer"
run timeout 60 "$NORN" record --output "$tmp/pointer.norn" "$tmp/pointer"
status_is 0 "memcpy by pointer: norn record"
run timeout 60 "$NORN" predict "$tmp/pointer.norn"
out_has 'data race on to ' "memcpy by pointer: the race is found"
finish
