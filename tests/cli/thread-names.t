#!/bin/sh
# SPDX-License-Identifier: MIT
# Names that a program gives its threads are in the trace.
. tests/cli/lib.sh

cat >"$tmp/library.c" <<'EOF'
#include <sys/prctl.h>
void call_me(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
EOF
cat >"$tmp/names.c" <<'EOF'
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <threads.h>
void call_me(const char *name);
int count;
static void *work(void *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	count++;
	return name;
}
static void *work_of_library(void *name)
{
	call_me(name);
	count++;
	return name;
}
static int c11(void *p)
{
	count++;
	return p != NULL;
}
static void *(*volatile what)(void *) = work;
int main(void)
{
	char long_name[] = "a name beyond all bounds";
	pthread_t t[5];
	thrd_t c;
	pthread_setname_np(pthread_self(), "first name");
	pthread_setname_np(pthread_self(), "chief");
	pthread_create(&t[0], NULL, work, "reader one");
	pthread_create(&t[1], NULL, what, NULL);
	int failed = !pthread_setname_np(t[1], long_name); /* too long: the name stays */
	failed |= pthread_setname_np(t[1], "worker-3");
	pthread_create(&t[2], NULL, work, "  <b>\n\x1b[1m# ");
	pthread_create(&t[3], NULL, work_of_library, "of a library");
	pthread_create(&t[4], NULL, work, long_name);
	thrd_create(&c, c11, NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	thrd_join(c, NULL);
	return failed;
}
EOF

# names TRACE: facts of threads' names
names()
{
	"$NORN" convert "$1" - 2>"$tmp/err" | grep -a '^meta thread-name' >"$tmp/out"
}

cc -shared -fPIC -o "$tmp/libplain.so" "$tmp/library.c" || exit 1
run "$NORN" cc -g -o "$tmp/names" "$tmp/names.c" -L"$tmp" -lplain -Wl,-rpath,"$tmp"
status_is 0 "norn cc"
run timeout 60 "$NORN" record -o "$tmp/names.norn" "$tmp/names"
status_is 0 "naming works as it does without Norn"
names "$tmp/names.norn"
cat >"$tmp/expected" <<'EOF'
meta thread-name main chief
meta thread-name T1 reader one
meta thread-name T2 worker-3
meta thread-name T3 <b>??[1m#
meta thread-name T4 of a library
meta thread-name T5 a name beyond a
EOF
out_is "names are facts, of threads that have one, as one line" <"$tmp/expected"
"$NORN" convert "$tmp/names.norn" "$tmp/names.trace"
names "$tmp/names.trace"
out_is "the text format keeps them" <"$tmp/expected"

run "$NORN" cc -static -g -o "$tmp/static" "$tmp/names.c" -x c "$tmp/library.c"
status_is 0 "norn cc -static"
run timeout 60 "$NORN" record -o "$tmp/static.norn" "$tmp/static"
names "$tmp/static.norn"
out_is "of a static program as well" <"$tmp/expected"

finish
