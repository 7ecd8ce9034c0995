#!/bin/sh
# SPDX-License-Identifier: MIT
# Files of events: what is wrong in them is told with its place and builds nothing; what they say of a
# library without hooks holds, also in replay; what Norn says of GLib, libuv, Qt and TBB names functions
# that these have, and is right for programs that use the first two.
. tests/cli/lib.sh
. tests/cli/recorded.sh

cat >"$tmp/program.c" <<'END'
#include <stdio.h>
int main(void)
{
	return printf("hello\n") < 0;
}
END

# refused NAME MESSAGE: what is in $tmp/bad.events.
refused()
{
	rm -f "$tmp/program"
	run "$NORN" cc --events "$tmp/bad.events" "$tmp/program.c" -o "$tmp/program"
	status_is 3 "$1: exit status"
	err_has "bad\.events:$2" "$1: the message"
	[ ! -e "$tmp/program" ]
	result $? "$1: nothing is built"
}

printf '# fine\nquiet call f\n  happens-befor(#0) after call g\n' >"$tmp/bad.events"
refused "no such event" '3:3: expected an event: .* acquire, .*, not "happens-befor\(#0\)"'
echo 'release(#0) after call f' >"$tmp/bad.events"
refused "an event at the wrong place" '1:13: expected "before"'
rm -f "$tmp/program"
run env NORN_EVENTS="$tmp/bad.events" "$NORN" cc "$tmp/program.c" -o "$tmp/program"
status_is 3 "NORN_EVENTS names files too"
run "$NORN" cc --events "$tmp/nowhere.events" "$tmp/program.c" -o "$tmp/program"
status_is 3 "a file that is not there: exit status"
err_has 'nowhere\.events' "a file that is not there: the message"
run "$NORN" cc "$tmp/program.c" --events
status_is 2 "--events without a file: exit status"
err_has '--events needs a file' "--events without a file: the message"

# What does not fit a function is seen when a call is.
printf 'acquire(#1) after call puts_all\n' >"$tmp/bad.events"
cat >"$tmp/fits.c" <<'END'
void puts_all(void *p);
double half(double x);
void any(const char *format, ...);
int main(void)
{
	puts_all(0);
	any("", 1);
	return half(3) > 1;
}
END
# unfit NAME MESSAGE
unfit()
{
	run "$NORN" cc -c --events "$tmp/bad.events" "$tmp/fits.c" -o "$tmp/fits.o"
	[ $status -ne 0 ]
	result $? "$1: is refused"
	err_has "bad\.events:$2" "$1: the message"
	[ ! -e "$tmp/fits.o" ]
	result $? "$1: nothing is built"
}
unfit "an argument too many" '1:9: puts_all has 1 arguments, but no #1'
printf '\nacquire(#0) after call puts_all if #return\n' >"$tmp/bad.events"
unfit "a result that is none" '2:36: puts_all returns neither a pointer nor an integer'
echo 'release(#0) before call half' >"$tmp/bad.events"
unfit "a number that is no integer" '1:9: #0 of half is neither a pointer nor an integer'
echo 'quiet call any' >"$tmp/bad.events"
unfit "a function with any number of arguments" '1:12: any has a variable number of arguments'
printf 'acquire(#0) after call puts_all\nrelease(#0) before call puts_all\n' >"$tmp/bad.events"
unfit "a call that does two things" '2:25: puts_all already has acquire, at .*bad\.events:1'
echo 'quiet call printf' >"$tmp/bad.events"
refused "a function that is known" '1:12: Norn already knows printf'

# Lines that name nothing.
cat >"$tmp/none.events" <<'END'
quiet call no_such_function
quiet call no_such_function
quiet call mian
quiet call main
quiet call Nowhere::*
END
run "$NORN" cc --events "$tmp/none.events" "$tmp/program.c" -o "$tmp/program"
status_is 0 "lines that name nothing: it is built"
[ "$(grep -c no_such_function "$tmp/err")" -eq 1 ]
result $? "a line that names nothing is told, once"
err_has 'warning: .*none\.events:1:12: the program has no function no_such_function$' "with its place"
err_has 'none\.events:3:12: the program has no function mian; is it main\?' "with the nearest name"
err_has 'the program has no function Nowhere::\*' "also if it is a pattern"
[ "$(wc -l <"$tmp/err")" -eq 3 ]
result $? "and nothing else is told"
run "$NORN" cc -c --events "$tmp/none.events" "$tmp/program.c" -o "$tmp/program.o"
err_empty "before the link nothing is told"
run "$NORN" cc -E --events="$tmp/none.events" "$tmp/program.c"
status_is 0 "what clang does alone does without them"

# Marks that are effects but for a letter.
cat >"$tmp/near.events" <<'END'
  aquire(#0) after call puts_all
happens_before(#0) before call puts_all
rel(#0) before call puts_all
signals before call puts_all
release_all(#0) before body puts_all
END
run "$NORN" cc --events "$tmp/near.events" "$tmp/program.c" -o "$tmp/program"
err_has 'near\.events:1:3: aquire is taken for a mark of your own; is acquire meant\?' "a name that is nearly an effect"
err_has 'near\.events:2:1: happens_before is .*; is happens-before meant\?' "an effect with _ for -"
[ "$(grep -c meant "$tmp/err")" -eq 2 ]
result $? "an abbreviation, and what an effect could not be there, are marks"
echo 'quite call puts_all' >"$tmp/bad.events"
unfit "quiet misspelt" '1:7: expected "before" or "after" or "around" \(or is quiet meant\?\), not "call"'

# A library of the user's own: a lock of tickets, a mailbox, a condition, a semaphore; none of it by
# functions that Norn knows.
cat >"$tmp/own.h" <<'END'
#ifdef __cplusplus
extern "C" {
#endif
struct own_lock { unsigned next, now; };
struct own_cond { unsigned count; };
struct own_sem { int count; };
void own_lock(struct own_lock *);
int own_try(struct own_lock *);
void own_unlock(struct own_lock *);
void own_wait(struct own_cond *, struct own_lock *);
void own_wake(struct own_cond *);
void own_sem_make(struct own_sem *, int);
void own_sem_down(struct own_sem *);
void own_sem_up(struct own_sem *);
void own_put(void *item);
void *own_get(void);
void own_start(void);
void own_later(void (*function)(void *), void *argument);
void own_throws(int *);
#ifdef __cplusplus
}
namespace own {
struct Gate {
	struct own_lock lock_;
	void enter();
	bool tryEnter(int);
	void leave() noexcept;
};
}
#endif
END
cat >"$tmp/own.cpp" <<'END'
#include "own.h"
#include <pthread.h>
#include <sched.h>
#define GET(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST)
void own_lock(struct own_lock *l)
{
	unsigned mine = ADD(&l->next, 1);
	while (GET(&l->now) != mine)
		sched_yield();
}
int own_try(struct own_lock *l)
{
	unsigned now = GET(&l->now), expected = now;
	return __atomic_compare_exchange_n(&l->next, &expected, now + 1, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}
void own_unlock(struct own_lock *l)
{
	ADD(&l->now, 1);
}
void own_wait(struct own_cond *c, struct own_lock *l)
{
	unsigned before = GET(&c->count);
	own_unlock(l);
	while (GET(&c->count) == before)
		sched_yield();
	own_lock(l);
}
void own_wake(struct own_cond *c)
{
	ADD(&c->count, 1);
}
void own_sem_make(struct own_sem *s, int n)
{
	s->count = n;
}
void own_sem_down(struct own_sem *s)
{
	for (int n;;) {
		if ((n = GET(&s->count)) > 0 &&
		    __atomic_compare_exchange_n(&s->count, &n, n - 1, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return;
		sched_yield();
	}
}
void own_sem_up(struct own_sem *s)
{
	ADD(&s->count, 1);
}
static void *slot;
void own_put(void *item)
{
	for (void *empty = 0; !__atomic_compare_exchange_n(&slot, &empty, item, false,
							   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	     empty = 0)
		sched_yield();
}
void *own_get(void)
{
	void *got;
	while (!(got = __atomic_exchange_n(&slot, (void *)0, __ATOMIC_SEQ_CST)))
		sched_yield();
	return got;
}
struct job {
	void (*function)(void *);
	void *argument;
};
static void *run_jobs(void *p)
{
	job *j = (job *)own_get();
	j->function(j->argument);
	delete j;
	return p;
}
void own_start(void)
{
	pthread_t t;
	pthread_create(&t, 0, run_jobs, 0);
	pthread_detach(t);
}
void own_later(void (*function)(void *), void *argument)
{
	own_put(new job{function, argument});
}
void own_throws(int *p)
{
	throw p;
}
namespace own {
void Gate::enter() { own_lock(&lock_); }
bool Gate::tryEnter(int) { return own_try(&lock_); }
void Gate::leave() noexcept { own_unlock(&lock_); }
}
END
cat >"$tmp/own.events" <<'END'
# What own.cpp does.
acquire(#0) after call own_lock
acquire(#0) after call own_try if #return == 1
release(#0) before call own_unlock
wait(#0, #1, own_unlock, own_lock) around call own_wait
broadcast(#0) before call own_wake
sem-init(#0, #1) after call own_sem_make
sem-wait(#0) after call own_sem_down
sem-post(#0) before call own_sem_up
happens-before(#0) before call own_put
happens-after(#return) after call own_get
wrapper call own_start
happens-before(#1) before call own_later
quiet call own_throws
acquire(#0) after call own::Gate::enter
acquire(#0) after call own::Gate::tryEnter if #return
release(#0) before call own::*::leave
END
run clang++ -shared -fPIC -O1 "$tmp/own.cpp" -o "$tmp/libown.so"
status_is 0 "the library is built without hooks"

cat >"$tmp/c-user.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "own.h"
static struct own_lock lock, other;
static struct own_cond cond;
static struct own_sem sem;
static int a, b, c, d, e, item, ready;
static volatile int racy;
static void (*volatile unlock)(struct own_lock *) = own_unlock;
static void late(void *p)
{
	e += *(int *)p;
	own_sem_up(&sem);
}
static void *left(void *p)
{
	own_lock(&lock);
	a++;
	unlock(&lock);
	b = 7;
	own_sem_up(&sem);
	item = 3;
	own_put(&item);
	own_lock(&other);
	d = ready = 1;
	own_wake(&cond);
	own_unlock(&other);
	own_lock(&lock);
	own_lock(&other); /* @c */
	own_unlock(&other);
	own_unlock(&lock);
	racy = 1; /* @a */
	return p;
}
static void *right(void *p)
{
	own_lock(&lock);
	a++;
	own_unlock(&lock);
	if (own_try(&lock)) {
		a++;
		own_unlock(&lock);
	}
	own_sem_down(&sem);
	b++;
	c = *(int *)own_get();
	own_lock(&other);
	while (!ready)
		own_wait(&cond, &other);
	d++;
	own_unlock(&other);
	usleep(50000); /* so that this run does not deadlock */
	own_lock(&other);
	own_lock(&lock); /* @d */
	own_unlock(&lock);
	own_unlock(&other);
	racy = 2; /* @b */
	return p;
}
int main(void)
{
	static int given;
	pthread_t t, u;
	own_sem_make(&sem, 0);
	pthread_create(&t, NULL, left, NULL);
	pthread_create(&u, NULL, right, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	own_start();
	given = 5;
	own_later(late, &given);
	own_sem_down(&sem);
	printf("%d %d %d %d\n", b, c, d, e);
	return 0;
}
END
cat >"$tmp/cxx-user.cpp" <<'END'
#include <cstdio>
#include <thread>
#include "own.h"
static own::Gate gate;
static int a, caught;
static volatile int racy;
static void work()
{
	gate.enter();
	a++;
	gate.leave();
	while (!gate.tryEnter(3))
		std::this_thread::yield();
	a++;
	try {
		own_throws(&a);
	} catch (int *p) {
		caught += p == &a;
	}
	gate.leave();
	racy = 1; /* @a */
}
int main()
{
	std::thread t(work), u(work);
	t.join();
	u.join();
	std::printf("%d %d\n", a, caught);
}
END
# lines FILE KIND LABEL…: as `found` prints them.
lines()
{
	file=$1
	kind=$2
	shift 2
	for label; do
		grep -n "/\* $label \*/" "$file" | cut -d: -f1
	done | sort -n | paste -sd" " | sed "s/^/$kind /"
}
own="-I$tmp -L$tmp -Wl,-rpath,$tmp -lown -pthread"
for level in -O0 -O1 -O2; do
	run "$NORN" cc -g $level --events "$tmp/own.events" "$tmp/c-user.c" -o "$tmp/c-user" $own
	status_is 0 "C $level: norn cc"
	err_has 'no function own::Gate::enter' "C $level: what another program uses is told"
	run "$NORN" record --output "$tmp/c-user.norn" "$tmp/c-user"
	status_is 0 "C $level: norn record"
	out_has '^8 3 2 5$' "C $level: the program does what it did"
	run "$NORN" predict --json "$tmp/c-user.norn"
	found <"$tmp/out" >"$tmp/found"
	{
		lines "$tmp/c-user.c" deadlock @c @d
		lines "$tmp/c-user.c" race @a @b
	} >"$tmp/expected"
	diff "$tmp/expected" "$tmp/found" >"$tmp/diff"
	result $? "C $level: what is under its locks is ordered, and no more"
	sed 's/^/# /' "$tmp/diff"
	run "$NORN" show --stat "$tmp/c-user.norn"
	! grep -q own_ "$tmp/out"
	result $? "C $level: functions of which a line speaks are known"

	run "$NORN" c++ -g $level --events "$tmp/own.events" "$tmp/cxx-user.cpp" -o "$tmp/cxx-user" $own
	status_is 0 "C++ $level: norn c++"
	run "$NORN" record --output "$tmp/cxx-user.norn" "$tmp/cxx-user"
	out_has '^4 2$' "C++ $level: the program does what it did"
	run "$NORN" predict --json "$tmp/cxx-user.norn"
	found <"$tmp/out" >"$tmp/found"
	lines "$tmp/cxx-user.cpp" race @a @a >"$tmp/expected"
	diff "$tmp/expected" "$tmp/found" >"$tmp/diff"
	result $? "C++ $level: what is under its locks is ordered, and no more"
	sed 's/^/# /' "$tmp/diff"
done
run "$NORN" run --bugs deadlock --output "$tmp/c-user.norn" "$tmp/c-user"
status_is 66 "a deadlock of such locks: norn run"
out_has 'deadlock of 2 threads \(confirmed' "a deadlock of such locks is replayed"

# What a user says of a function counts, not what Norn says of it.
cat >"$tmp/mine.c" <<'END'
void g_mutex_lock(void *);
int main(void)
{
	static int lock;
	g_mutex_lock(&lock);
	return 0;
}
END
echo 'quiet call g_mutex_lock' >"$tmp/mine.events"
norn_hooks()
{
	"$NORN" cc -c "$@" "$tmp/mine.c" -o "$tmp/mine.o" && nm "$tmp/mine.o" | sed -n 's/.* U __norn_/hook /p'
}
norn_hooks >"$tmp/out"
out_has '^hook model_takes$' "Norn says what g_mutex_lock does"
norn_hooks --events "$tmp/mine.events" >"$tmp/out"
out_has '^hook call_modelled$' "but a user may say it anew"
! grep -q model_takes "$tmp/out"
result $? "and that counts alone"

# The body of a function: what a line says of a callback that has another argument.
cat >"$tmp/body.events" <<'END'
happens-before(#0) before call own_put
happens-after(#0) before body take_it
END
cat >"$tmp/body.c" <<'END'
#include <pthread.h>
#include "own.h"
static int data, got;
static struct { int value; } box;
__attribute__((noinline)) static void take_it(void *p)
{
	got = data + (p == &box);
}
static void *taker(void *p)
{
	void *item;
	while (!(item = own_get()))
		;
	take_it(item);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, taker, NULL);
	data = 4;
	own_put(&box);
	pthread_join(t, NULL);
	return got != 5;
}
END
for level in -O0 -O2; do
	run "$NORN" cc -g $level --events "$tmp/body.events" "$tmp/body.c" -o "$tmp/body" $own
	status_is 0 "body $level: norn cc"
	run "$NORN" record --output "$tmp/body.norn" "$tmp/body"
	status_is 0 "body $level: norn record"
	run "$NORN" predict "$tmp/body.norn"
	status_is 0 "body $level: no race"
done

# A callback that another file takes the address of.
cat >"$tmp/giver.c" <<'END'
#include "own.h"
#include <stdio.h>
void taken(void *p);
struct own_sem done;
int result;
int main(void)
{
	static int given;
	own_sem_make(&done, 0);
	own_start();
	given = 5;
	own_later(taken, &given);
	own_sem_down(&done);
	printf("%d\n", result);
	return 0;
}
END
cat >"$tmp/taker.c" <<'END'
#include "own.h"
extern struct own_sem done;
extern int result;
void taken(void *p)
{
	result = *(int *)p;
	own_sem_up(&done);
}
END
for level in -O0 -O2; do
	run "$NORN" cc -w -g $level --events "$tmp/own.events" "$tmp/giver.c" "$tmp/taker.c" -o "$tmp/giver" $own
	status_is 0 "a callback of another file $level: norn cc"
	run "$NORN" record --output "$tmp/giver.norn" "$tmp/giver"
	out_has '^5$' "a callback of another file $level: norn record"
	run "$NORN" predict "$tmp/giver.norn"
	status_is 0 "a callback of another file $level: no race"
done

# What Norn says of libraries names what they have, where they are installed.
library_dir=/usr/lib/x86_64-linux-gnu
# names FILE LIBRARY
names()
{
	if [ ! -e "$library_dir/$2" ]; then
		echo "ok $((tests += 1)) - $1 names functions of $2 # SKIP not installed"
		return
	fi
	nm -D --defined-only "$library_dir/$2" | awk '{ print $3 }' | sed 's/@.*//' >"$tmp/symbols"
	{
		cat "$tmp/symbols"
		c++filt <"$tmp/symbols" | sed 's/(.*//'
		c++filt <"$tmp/symbols"
	} | sort -u >"$tmp/have"
	# a block of lines that not all versions have ends with an empty line
	awk '/^# not in all versions/ { skip = 1 } /^$/ { skip = 0 } !skip' "events/$1" |
		sed -n 's/^[a-z].* call //p' | sed 's/ if .*//' | sort -u >"$tmp/targets"
	[ -s "$tmp/targets" ]
	result $? "$1 has lines"
	while read -r target; do
		case $target in
		*\**) grep -q "^$(echo "$target" | sed 's/[.]/\\&/g; s/\*/.*/g')$" "$tmp/have" ;;
		*) grep -Fqx "$target" "$tmp/have" ;;
		esac || echo "$target"
	done <"$tmp/targets" >"$tmp/out"
	out_empty "$1 names functions of $2"
}
names gio.events libgio-2.0.so.0
names glib.events libglib-2.0.so.0
names libuv.events libuv.so.1
names qt.events libQt5Core.so.5
names tbb.events libtbb.so.12
for file in events/*.events; do
	run "$NORN" cc -c --events "$file" "$tmp/program.c" -o "$tmp/program.o"
	status_is 0 "$file can be read"
done

for program in tests/programs/libraries/*.c; do
	for level in -O0 -O1 -O2; do
		try_program "$program" $level
	done
done
for name in glib uv; do
	flags=$(directive tests/programs/libraries/$name-deadlock.c flags)
	run "$NORN" cc -g tests/programs/libraries/$name-deadlock.c -o "$tmp/$name-deadlock" $flags
	run "$NORN" run --output "$tmp/$name.norn" "$tmp/$name-deadlock"
	out_has 'deadlock of 2 threads \(confirmed' "$name: the deadlock is replayed"
done

finish
