#!/bin/sh
# SPDX-License-Identifier: MIT
# Names that a program gives its threads are in the trace and in reports.
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

# Reports. Names of threads of traces that people write have any characters but those of control.
cat >"$tmp/a.trace" <<'EOF'
meta thread-name t1 <b>[x](y) 1
meta thread-name t22 not this one
meta seen crash ; t1 SIGSEGV - @a.c:9:1:down
t1 fork t2 @a.c:1:1:main
t1 acquire l @a.c:2:1:main
t1 acquire m @a.c:3:1:main
t1 release m @a.c:4:1:main
t1 release l @a.c:5:1:main
t1 write x 1 @a.c:6:1:main
t2 acquire m @b.c:3:1:work
t2 acquire l @b.c:4:1:work
t2 release l @b.c:5:1:work
t2 release m @b.c:6:1:work
t2 write x 2 @b.c:7:1:work
EOF
run "$NORN" predict "$tmp/a.trace"
status_is 66 "a race, a deadlock and a crash"
out_has '^  Write of x = 1 by thread <b>\[x\]\(y\) 1 \(t1\):$' "an access"
out_has '^  Write of x = 2 by thread t2:$' "of a thread that has no name"
out_has '^  Thread t2 created by thread <b>\[x\]\(y\) 1 \(t1\) at:$' "where a thread was created"
out_has 'was taken by thread <b>\[x\]\(y\) 1 \(t1\) at' "who holds a lock"
out_has '^    [0-9]\. thread <b>\[x\]\(y\) 1 \(t1\): ' "steps of a witness"
out_has '^  Thread <b>\[x\]\(y\) 1 \(t1\) got SIGSEGV:$' "a bug of the run"
run "$NORN" predict --json "$tmp/a.trace"
cp "$tmp/out" "$tmp/a.json"
json_is 'join ",", map { $_->{thread} . "=" . ($_->{thread_name} // "none") } map { @{$_->{events}} } grep { $_->{bug} eq "race" } @{$j->{findings}}' \
	't1=<b>[x](y) 1,t2=none' "JSON: beside the thread"
json_is '$j->{seen}[0]{steps}[0]{thread_name}' '<b>[x](y) 1' "JSON: of a bug of the run"
json_is 'join ",", map { $_->{held_by} . "=" . ($_->{held_by_name} // "none") } map { @{$_->{waits}} } grep { $_->{waits} } @{$j->{findings}}' \
	't2=none,t1=<b>[x](y) 1' "JSON: of who holds a lock"
run "$NORN" predict --sarif "$tmp/a.trace"
json_is 'join ",", map { $_->{id} } map { @{$_->{threadFlows}} } map { @{$_->{codeFlows}} } grep { $_->{ruleId} =~ /race/ } @{$j->{runs}[0]{results}}' \
	'all threads,<b>[x](y) 1 (t1),t2' "SARIF: flows of threads"
run "$NORN" report --lines - "$tmp/a.json"
out_has 'note: write of x by thread <b>\[x\]\(y\) 1 \(t1\)$' "lines: from JSON"
fingerprints()
{
	"$NORN" predict --json "$1" | grep -a '"fingerprint"\|"likeness"'
}
grep -v thread-name "$tmp/a.trace" >"$tmp/plain.trace"
fingerprints "$tmp/a.trace" >"$tmp/with"
fingerprints "$tmp/plain.trace" >"$tmp/without"
[ -s "$tmp/with" ]
result $? "there are fingerprints"
same_files "$tmp/with" "$tmp/without" "they do not depend on names"

"$NORN" predict --html "$tmp/a.html" "$tmp/a.trace" >/dev/null
if command -v chromium >/dev/null && command -v python3 >/dev/null; then
	run timeout 120 tests/support/browse "$tmp/a.html" \
		'=location.hash = data.findings.find(f => f.title.includes("race")).fingerprint' \
		'=[...document.querySelectorAll("#lanes th")].map(c => c.textContent).join()'
	out_has '^event,thread <b>\[x\]\(y\) 1 \(t1\),thread t2$' "HTML: lanes"
	out_has '^requests 0 errors 0 ' "HTML: no errors"
else
	tests=$((tests + 1))
	echo "ok $tests # SKIP no chromium or python3"
fi

finish
