#!/bin/sh
# SPDX-License-Identifier: MIT
# norn hunt --html: a page with the failures of runs, how far the hunt came, and what was predicted.
. tests/cli/lib.sh

# page NAME: the data of the page, to $tmp/out
page()
{
	command_run="the page $1"
	perl -0777 -ne 'print $1 if m{<script type="application/json" id="data">(.*?)</script>}s' "$tmp/$1.html" >"$tmp/out"
}

cat >"$tmp/asserts.c" <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int plain;
static void *one(void *p)
{
	x = 1;
	y = 1;
	plain = 1;
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, one, 0);
	plain = 2;
	int b = y, a = x;
	assert(!(b == 0 && a == 1));
	pthread_join(t, 0);
	return 0;
}
END
"$NORN" cc -w -g "$tmp/asserts.c" -o "$tmp/asserts"
run sh -c 'cd "$1" && exec timeout 100 "$2" hunt --html found.html ./asserts' sh "$tmp" "$NORN" </dev/null
status_is 66 "exit 66"
out_has '^FAILURE: Norn: assertion: ' "the failure is printed"
out_has '^WARNING: Norn: data race on plain \(confirmed\)$' "what is predicted is printed, too"
out_has '^All [0-9]* behaviours of this input are explored' "and the end"
cp "$tmp/out" "$tmp/printed"
page found
json_is '$j->{hunt}{format} . " " . join ",", map { $_->{kind} } grep { $_->{kind} ne "predicted" } @{$j->{hunt}{findings}}' \
	"norn-hunt assertion" "the page has the hunt"
json_is '$j->{hunt}{complete} ? 1 : 0' 1 "and that it is complete"
json_is 'join ", ", sort map { $_->{title} } @{$j->{findings}}' "crash by SIGABRT, data race" "and each finding once"
if command -v chromium >/dev/null && command -v python3 >/dev/null; then
	run timeout 120 tests/support/browse "$tmp/found.html" '=document.querySelector("h1").innerText' \
		'=document.querySelector(".badge").innerText' \
		'=location.hash = "", show(), document.querySelector(".failure").innerText.includes("norn replay --recorded asserts.hunt/")'
	out_has '^Norn: 1 failure and 2 findings in asserts\.hunt$' "browser: what was found"
	out_has '^all behaviours are explored$' "browser: how far it came"
	out_has '^True$' "browser: the command to see it again"
	out_has '^requests 0 errors 0 ' "browser: no requests, no errors"
else
	echo "ok $((tests += 1)) - browser # SKIP no chromium or python3"
fi

# one run is not all of them: the page does not say so
run sh -c 'cd "$1" && exec timeout 100 "$2" hunt --runs 1 --no-predict --html open.html ./asserts' sh "$tmp" "$NORN" \
	</dev/null
status_is 4 "what is open: exit 4"
page open
json_is '$j->{hunt}{complete} ? 1 : 0' 0 "what is open: the page says so"
json_is '$j->{hunt}{out_of_runs} ? 1 : 0' 1 "what is open: and why"
run sh -c 'cd "$1" && exec timeout 100 "$2" hunt --runs 1 --html nowhere/a.html ./asserts' sh "$tmp" "$NORN" </dev/null
status_is 3 "a page that cannot be written"
finish
