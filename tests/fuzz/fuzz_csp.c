/* SPDX-License-Identifier: MIT */
/* Scripts in CSP_M: each is refused with a place, or its assertions get answers or reach a limit.
 */
#include "csp/csp.h"
#include "csp/token.h"
#include "tests/support/fuzz.h"
#include "tests/support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static const char *const scripts[] = {
	"tests/csp/alternating_bit.csp",  "tests/csp/buffers.csp", "tests/csp/philosophers.csp",
	"tests/csp/readers_writers.csp",  "tests/csp/vending.csp", "tests/csp/thesis/race.csp",
	"tests/csp/thesis/atomicity.csp", "tests/csp/modules.csp", "tests/csp/timed.csp",
	"tests/csp/priorities.csp",
};

static const char *const seeds[] = {
	"datatype T = A.{0,1} | B.T\nsubtype S = A.{0}\nchannel c : T.Bool\nassert STOP [T= "
	"c?B.x$y -> STOP\n",
	"f(<x>^xs, (y, {z})) = x + y * z % 3\nprint f(<1, 2>, (3, {4}))\n",
	"nametype N = {0..3}\nchannel a, b : N.N\nP = a?x:{0,1}!2 -> (P [[a <- b]] \\ {|b.0|})\n"
	"assert P :[deterministic]\n",
	"P = let Q(0) = SKIP Q(n) = n > 0 & Q(n-1) within Q(3)\nassert not P :[deadlock free "
	"[FD]]\n",
	"channel a, b\nX = (a -> X [+{a}+] b -> SKIP) /+{b}+\\ (a -> STOP |~| RUN({a}))\n"
	"assert CHAOS({a,b}) [F= X [a <-> b] X : [partial order reduce [precise]]\n",
	"m = (| 1 => \"x\", 2 => \"y\" |)\nprint mapLookup(m, 2)\ng = \\ x, y @ x == y or not x\n"
	"print g(true, false)\n{- c {- d -} -}\nprint <x | x <- <1..9>, x > 3, x <= 5>\n",
	"channel c\nP = ; i:<1..3> @ c -> SKIP\nQ = [| {c} |] i:{1,2} @ P\nR = || i:{1,2} @ [{c}] "
	"P\n"
	"S = P [{c} || {c}] Q\nassert S :[has trace [F]]: <c, c>\nassert P [> Q [FD= R [|{c}|> "
	"DIV\n",
	"module M(x, <y>)\nz = y\nexports\ndatatype T = A.x | B\nchannel c : T\nP = c?A.n -> P\n"
	"module I(w)\nexports\nv = (w, z)\nendmodule\ninstance J = I(z)\nendmodule\n"
	"instance N = M({0, 1}, <2>)\ninstance K = N::I(3)\nf :: (N::T) -> N::T\nf(N::B) = "
	"N::A.0\nf(t) = t\nprint (K::v, N::J::v)\nassert N::P [T= N::c.f(N::B) -> STOP\n",
	"channel a, b, tock\nTimed(\\ e @ if e == a then 2 else 0) {\nP = a -> WAIT(1) ; b -> P\n"
	"Q = timed_priority((P [] SKIP) \\ {a}) ||| [] x:{b} @ x -> STOP\n}\n"
	"assert P [F= Q :[tau priority over]: {tock}\n",
	"external prioritise, prioritisepo, loop, mtransclose\nchannel a, b\nP = prioritise(a -> P "
	"[] b -> STOP, <{a}, {b}>)\nassert loop(P) [FD= prioritisepo(P, {a, b}, {(a, b)}, {a})\n"
	"print mtransclose({(1, 2)}, {1, 2})\nassert BUFFER(2, {(a, b)}) :[deterministic]\n",
};

static void write_file(const char *path, int number)
{
	static char text[1 << 16];
	FILE *in = fopen(path, "r");

	if (!in)
		return;
	size_t n = fread(text, 1, sizeof(text), in);

	fclose(in);
	fuzz_write_seed("script", number, "", (struct bytes){text, n});
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		fuzz_write_seed("lines", (int)i, "",
				(struct bytes){(char *)seeds[i], strlen(seeds[i])});
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		write_file(scripts[i], (int)i);
	exit(0);
}

/* Words that are no symbols of the language: names of the seeds, and what is built in. */
static const char *const names[] = {"a",    "b",     "c",    "P",     "x",	"0",   "1",
				    "STOP", "SKIP",  "DIV",  "RUN",   "CHAOS",	"Int", "Bool",
				    "head", "union", "diff", "Union", "Events", "Set", "\n"};

/* Half the time, a word of the language comes in at some place, or over what stands there. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct random r = random_seeded(seed);

	if (random_percent(&r, 50))
		return LLVMFuzzerMutate(data, size, most);
	size_t count = sizeof(names) / sizeof(*names);
	const char *word =
		random_percent(&r, 40)
			? names[random_below(&r, (uint32_t)count)]
			: csp_token_text[T_ASSERT + random_below(&r, T_COUNT - T_ASSERT)];
	size_t n = strlen(word), at = random_below(&r, (uint32_t)size + 1);
	size_t over = random_percent(&r, 50) ? random_below(&r, 6) : 0;

	over = over > size - at ? size - at : over;
	if (size - over + n > most)
		return LLVMFuzzerMutate(data, size, most);
	memmove(data + at + n, data + at + over, size - at - over);
	memcpy(data + at, word, n);
	return size - over + n;
}

static void decide(struct csp *csp, size_t i)
{
	struct csp_answer answer = {0};
	struct err err = {0};
	const char *text;
	int code = csp_assertion(csp, i).property == CSP_PRINT
			   ? csp_print(csp, i, &text, &err)
			   : csp_assertion_decide(csp, i, &answer, &err);

	ASSERT(!code || code == ERR_INPUT || code == ERR_LIMIT);
	ASSERT(!code || err.message[0]);
	for (size_t k = 0; !code && k < answer.trace_length; k++)
		csp_event_text(csp, answer.trace[k]);
	if (!code && answer.implementation)
		csp_process_name(csp, answer.implementation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct csp *csp = csp_new(&(struct csp_limits){.states = 500, .bytes = 16 << 20});
	struct err err = {0};
	int code = csp_read(csp, "script", (const char *)data, size, NULL, &err);

	if (!code)
		code = csp_check(csp, &err);
	ASSERT(!code || err.message[0]);
	ASSERT(code != ERR_INPUT || strstr(err.message, "script:") == err.message);
	for (size_t i = 0; !code && i < csp_assertion_count(csp) && i < 8; i++)
		decide(csp, i);
	csp_free(csp);
	return 0;
}
