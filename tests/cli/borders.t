#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries that norn cc has not compiled: what they order by themselves, hand over in memory of their
# own, and read of the program. All programs here are right, but for one race that is to be found.
. tests/cli/lib.sh
bin=$(dirname "$NORN")
export XDG_CACHE_HOME="$tmp/cache"

# With atomic instructions: a ticket lock, and a queue that it guards.
cat >"$tmp/ordering.c" <<'E'
#include <stdatomic.h>
static atomic_int next_ticket, serving;
void ticket_lock(void)
{
	int mine = atomic_fetch_add(&next_ticket, 1);
	while (atomic_load(&serving) != mine)
		;
}
void ticket_unlock(void)
{
	atomic_fetch_add(&serving, 1);
}
static void *items[16];
static int first, last;
void queue_put(void *item)
{
	ticket_lock();
	items[last++] = item;
	ticket_unlock();
}
void *queue_get(void)
{
	ticket_lock();
	void *item = first < last ? items[first++] : 0;
	ticket_unlock();
	return item;
}
E
# Without: stores and loads are enough for a mailbox on x86; and what is guarded by the program's lock.
cat >"$tmp/quiet.c" <<'E'
#include <stdlib.h>
#include <unistd.h>
struct box {
	void *volatile item;
};
struct box *box_new(void)
{
	return calloc(1, sizeof(struct box));
}
void box_put(struct box *b, void *item)
{
	b->item = item;
}
void *box_get(struct box *b)
{
	return b->item;
}
void wait_for(volatile int *flag)
{
	while (!*flag)
		;
}
int look(const int *flag)
{
	return *flag;
}
int look_behind(int **flag)
{
	return **flag;
}
struct handle {
	long id, size, kind;
	const int *flag;
};
int look_by_handle(struct handle h)
{
	return *h.flag;
}
static const volatile int *watched;
void watch(const int *flag)
{
	watched = flag;
}
int is_set(void)
{
	return *watched;
}
#ifdef NAMES_GLOBAL
extern volatile int global;
int look_at_global(void)
{
	return global;
}
#endif
#include <pthread.h>
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int happened;
void event_set(void)
{
	pthread_mutex_lock(&inner);
	happened = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&inner);
}
void event_wait(void)
{
	pthread_mutex_lock(&inner);
	while (!happened)
		pthread_cond_wait(&changed, &inner);
	pthread_mutex_unlock(&inner);
}
static void *volatile given;
static pthread_t worker;
static void *work(void *unused)
{
	while (!given)
		usleep(100);
	return unused;
}
void worker_start(void)
{
	pthread_create(&worker, NULL, work, NULL);
}
void worker_give(void *item)
{
	given = item;
}
void worker_join(void)
{
	pthread_join(worker, NULL);
}
static int count;
void add_one(void)
{
	count++;
}
int counted(void)
{
	return count;
}
E
cat >"$tmp/program.c" <<'E'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
void ticket_lock(void), ticket_unlock(void), queue_put(void *), *queue_get(void);
struct box *box_new(void);
void box_put(struct box *, void *), *box_get(struct box *);
void wait_for(volatile int *), watch(const int *), add_one(void), event_set(void), event_wait(void);
int look(const int *) __attribute__((pure)), look_behind(int **), is_set(void), counted(void);
int look_at_global(void);
struct handle {
	long id, size, kind;
	const int *flag;
};
int look_by_handle(struct handle);
volatile int global;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct box *box;
static volatile int waited;
static int looked, behind, *to_behind = &behind, kept, handled;
static int data[11], racy;

static void publish(int *flag)
{
	pthread_mutex_lock(&lock);
	*flag = 1;
	pthread_mutex_unlock(&lock);
}
static void *writer(void *unused)
{
	racy = 1; /* @a */
	for (int i = 0; i < 11; i++)
		data[i] = 1;
#ifdef ORDERING
	ticket_lock();
	data[0]++;
	ticket_unlock();
	queue_put(&data[1]);
#endif
	event_set();
	box_put(box, &data[2]);
	waited = 1;
	publish(&looked);
	publish(&behind);
	publish(&kept);
	publish(&handled);
	pthread_mutex_lock(&lock);
	add_one();
	pthread_mutex_unlock(&lock);
#ifdef NAMES_GLOBAL
	pthread_mutex_lock(&lock);
	global = 1;
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}
#define UNTIL(condition)                          \
	for (int done = 0; !done;) {              \
		pthread_mutex_lock(&lock);        \
		done = (condition);               \
		pthread_mutex_unlock(&lock);      \
		if (!done)                        \
			usleep(100);              \
	}
static void *reader(void *unused)
{
	racy = 2; /* @b */
	int *item;
#ifdef ORDERING
	while (!(item = queue_get()))
		usleep(100);
	(*item)++;
	ticket_lock();
	data[0]++;
	ticket_unlock();
#endif
	event_wait();
	data[9]++;
	while (!(item = box_get(box)))
		usleep(100);
	(*item)++;
	wait_for(&waited);
	data[3]++;
	UNTIL(look(&looked));
	data[4]++;
	UNTIL(look_behind(&to_behind));
	data[5]++;
	UNTIL(is_set());
	data[6]++;
	UNTIL(look_by_handle((struct handle){1, 2, 3, &handled}));
	data[10]++;
	UNTIL(counted());
	data[7]++;
#ifdef NAMES_GLOBAL
	UNTIL(look_at_global());
	data[8]++;
#endif
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	int sum = 0;
	box = box_new();
	watch(&kept);
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	for (int i = 0; i < 11; i++)
		sum += data[i];
	printf("%d %d\n", sum, racy > 0);
	return 0;
}
E
want=$(for label in @a @b; do grep -n "/\* $label \*/" "$tmp/program.c" | cut -d: -f1; done | paste -sd' ')

# finds NAME OPTION…: the program, with these libraries, in several runs
finds()
{
	name=$1
	shift
	for level in -O0 -O1 -O2; do
		run "$bin/norn-cc" -w -g $level "$tmp/program.c" -o "$tmp/program" "$@" "-Wl,-rpath,$tmp"
		status_is 0 "$name $level: norn cc"
		for again in $(seq "${RUNS:-3}"); do
			timeout 60 "$NORN" record -o "$tmp/trace" "$tmp/program" >/dev/null 2>&1 </dev/null
			run "$NORN" predict --json "$tmp/trace"
			perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>);
				print join(" ", sort { $a <=> $b } map { $_->{location}{line} } @{$_->{events}}), "\n"
					for @{$j->{findings}};' <"$tmp/out" >"$tmp/lines"
			[ "$(cat "$tmp/lines")" = "$want" ]
			result $? "$name $level: the race, and nothing else (run $again)"
			[ "$(cat "$tmp/lines")" = "$want" ] || sed 's/^/# found lines /' "$tmp/lines"
		done
	done
}

clang -O1 -w -shared -fPIC "$tmp/ordering.c" -o "$tmp/libordering.so"
clang -O1 -w -shared -fPIC "$tmp/quiet.c" -o "$tmp/libquiet.so"
clang -O1 -w -c -DNAMES_GLOBAL "$tmp/quiet.c" -o "$tmp/quiet.o"
clang -O1 -w -c "$tmp/ordering.c" -o "$tmp/ordering.o"
clang -O1 -w -shared -fPIC -DNAMES_GLOBAL "$tmp/quiet.c" -o "$tmp/libglobal.so"

run "$bin/norn-instrument" --orders "$tmp/libordering.so"
status_is 1 "a library with atomic instructions may order threads"
run "$bin/norn-instrument" --orders "$tmp/libquiet.so"
status_is 0 "one without them does not"
run "$bin/norn-instrument" --orders "$tmp/quiet.c"
status_is 3 "a file that is no ELF file is refused"
err_has 'quiet.c: not an ELF file' "and it says so"

# A thread of the library ends when it was given something: who joins it comes behind that.
cat >"$tmp/joins.c" <<'E'
#include <pthread.h>
void worker_start(void), worker_give(void *), worker_join(void);
static int data;
static void *giver(void *unused)
{
	data = 1;
	worker_give(&data);
	return unused;
}
int main(void)
{
	pthread_t thread;
	worker_start();
	pthread_create(&thread, NULL, giver, NULL);
	worker_join();
	data++;
	pthread_join(thread, NULL);
	return 0;
}
E
for level in -O0 -O2; do
	"$bin/norn-cc" -w -g $level "$tmp/joins.c" -o "$tmp/joins" "-L$tmp" -lquiet "-Wl,-rpath,$tmp"
	timeout 60 "$NORN" record -o "$tmp/trace" "$tmp/joins" >/dev/null 2>&1
	run "$NORN" predict "$tmp/trace"
	status_is 0 "joining a thread of a library $level: nothing is found"
done

finds "libraries that order" -DORDERING "-L$tmp" -lordering -lquiet
[ "$(cat "$tmp"/cache/norn/orders-* | sort | paste -sd' ')" = "no yes" ]
result $? "what a library may do is found out once, and kept by build id"
finds "libraries that do not" "-L$tmp" -lquiet
finds "objects of the program" -DORDERING -DNAMES_GLOBAL "$tmp/quiet.o" "$tmp/ordering.o"
finds "a library that names a global" -DNAMES_GLOBAL "-L$tmp" -lglobal
finds "not position-independent" -no-pie -DORDERING "-L$tmp" -lordering -lquiet

# A flag in the same 8 bytes as what the reader writes.
cat >"$tmp/halves.c" <<'E'
#include <pthread.h>
#include <unistd.h>
int look(const int *);
static int data;
static struct {
	int flag, own;
} __attribute__((aligned(8))) both;
static void *reader(void *unused)
{
	usleep(20000);
	both.own = 1;
	return look(&both.flag) && data ? unused : NULL;
}
static void *writer(void *unused)
{
	data = 1;
	__atomic_store_n(&both.flag, 1, __ATOMIC_RELEASE);
	return unused;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, writer, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
E
for level in -O0 -O1 -O2; do
	"$bin/norn-cc" -w -g $level "$tmp/halves.c" -o "$tmp/halves" "-L$tmp" -lquiet "-Wl,-rpath,$tmp"
	run "$NORN" record -o "$tmp/trace" "$tmp/halves"
	run "$NORN" predict "$tmp/trace"
	status_is 0 "a flag beside what its reader writes, $level: nothing is found"
done

# Streams of libstdc++: the first thread that uses one initialises its locale, and orders nobody.
# Neither does the table of functions that all of them have.
cat >"$tmp/streams.cpp" <<'E'
#include <pthread.h>
#include <sstream>
#include <unistd.h>
int racy;
__attribute__((noinline)) static bool stream(const char *text)
{
	std::ostringstream out;
	out << text << 1.5;
	return out.str().size() > 3;
}
static void *first(void *)
{
	racy = 1;
	stream("first");
	return NULL;
}
static void *second(void *)
{
	usleep(300000);
	if (stream("second"))
		racy = 2;
	return NULL;
}
int main()
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}
E
for level in -O0 -O1 -O2; do
	"$bin/norn-c++" -w -g $level "$tmp/streams.cpp" -o "$tmp/streams"
	timeout 60 "$NORN" record -o "$tmp/trace" "$tmp/streams" >/dev/null 2>&1
	run "$NORN" predict "$tmp/trace"
	status_is 66 "streams of libstdc++ $level: the race before the first is found"
done
finish
