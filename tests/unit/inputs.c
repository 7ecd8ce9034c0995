/* SPDX-License-Identifier: MIT */
/* Inputs, from the files of a recording to the facts of a trace and back; and bytes as text. */
#include "base/base64.h"
#include "record/inputs.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill(struct random *r, uint8_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)random_below(r, 256);
}

TAP_CASE(bytes_are_the_same_after_base64)
{
	struct random r = random_seeded(1);
	uint8_t bytes[100], back[100];
	char text[140];

	for (size_t n = 0; n <= sizeof(bytes); n++) {
		size_t length = base64_length(n), size;

		fill(&r, bytes, n);
		base64_encode(bytes, n, text);
		ASSERT_TRUE(base64_decode(text, length, back, &size));
		ASSERT_EQ(size, n);
		ASSERT_EQ(memcmp(bytes, back, n), 0);
	}
	base64_encode((const uint8_t *)"foobar", 6, text);
	ASSERT_EQ(memcmp(text, "Zm9vYmFy", 8), 0);
	base64_encode((const uint8_t *)"foob", 4, text);
	ASSERT_EQ(memcmp(text, "Zm9vYg==", 8), 0);
}

/* What is accepted is what would be written: no two texts for the same bytes. */
TAP_CASE(base64_takes_only_what_it_writes)
{
	static const char letters[] = "AZaz09+/=! \n";
	struct random r = random_seeded(2);
	uint8_t bytes[16];
	char text[16], again[24];

	for (int i = 0; i < 200000; i++) {
		size_t length = random_below(&r, 13), size;

		for (size_t k = 0; k < length; k++)
			text[k] = letters[random_below(&r, sizeof(letters))];
		if (!base64_decode(text, length, bytes, &size))
			continue;
		ASSERT_EQ(base64_length(size), length);
		base64_encode(bytes, size, again);
		ASSERT_EQ(memcmp(text, again, length), 0);
	}
}

/* A recording with inputs of some threads, and what should come out. */
struct made {
	char directory[64];
	inputs_bytes threads[3];
	struct inputs_count counts[INPUT_COUNT];
};

static void write_file(const struct made *m, const char *name, const void *data, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", m->directory, name);
	FILE *f = fopen(path, "wb");

	ASSERT_TRUE(f);
	ASSERT_EQ(fwrite(data, 1, size, f), size);
	fclose(f);
}

static void add_input(struct random *r, struct made *m, inputs_bytes *to)
{
	struct log_input head = {.function = (uint8_t)(1 + random_below(r, INPUT_COUNT - 1)),
				 .size = random_percent(r, 10) ? random_below(r, 100000)
							       : random_below(r, 20),
				 .result = (int64_t)random_below(r, 1000) - 500};
	size_t size = sizeof(head) + (head.size + 7) / 8 * 8;

	vec_extend(to, to->n + size);
	memcpy(to->at + to->n - size, &head, sizeof(head));
	fill(r, to->at + to->n - size + sizeof(head), head.size);
	m->counts[head.function].calls++;
	m->counts[head.function].bytes += head.size;
}

static void make(struct random *r, struct made *m, const char *standard_input)
{
	*m = (struct made){.directory = "/tmp/norn-test-inputs.XXXXXX"};
	ASSERT_TRUE(mkdtemp(m->directory));
	for (int t = 0; t < 3; t++) {
		inputs_bytes file = {0};
		char name[32];

		for (uint32_t n = random_below(r, 40); n; n--)
			add_input(r, m, &m->threads[t]);
		vec_extend(&file,
			   m->threads[t].n + random_below(r, 5000) + 1); /* a window's rest */
		if (m->threads[t].n)
			memcpy(file.at, m->threads[t].at, m->threads[t].n);
		snprintf(name, sizeof(name), "input.%d", t);
		write_file(m, name, file.at, file.n);
		vec_release(&file);
	}
	if (standard_input)
		write_file(m, "stdin", standard_input, strlen(standard_input));
}

static void unmake(struct made *m)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", m->directory);
	ASSERT_EQ(system(command), 0);
	for (int t = 0; t < 3; t++)
		vec_release(&m->threads[t]);
}

TAP_CASE(what_was_recorded_is_given_back)
{
	for (uint64_t seed = 0; seed < TAP_PART(100); seed++) {
		struct random r = random_seeded(seed);
		struct log_run run = {.threads = 3, .input_limit = 100};
		struct inputs_count counts[INPUT_COUNT];
		struct symbols symbols;
		struct inputs in;
		struct made m;
		struct err err;

		tap_at("seed %llu", (unsigned long long)seed);
		make(&r, &m, seed % 2 ? (seed % 4 == 1 ? "" : "hello") : NULL);
		run.input_bytes = seed % 3 ? 100 : 101;
		symbols_init(&symbols);
		inputs_add(&symbols, m.directory, &run);
		ASSERT_EQ(inputs_read(&in, &symbols, "trace", &err), 0);
		for (size_t t = 0; t < 3; t++) {
			size_t n = t < in.threads.n ? in.threads.at[t].n : 0;

			ASSERT_EQ(n, m.threads[t].n);
			ASSERT_TRUE(!n || !memcmp(in.threads.at[t].at, m.threads[t].at, n));
		}
		ASSERT_EQ(in.saved, seed % 2 == 1);
		ASSERT_EQ(in.standard_input.n, seed % 4 == 3 ? 5u : 0u);
		ASSERT_EQ(in.cut, seed % 3 == 0);
		inputs_count(&in, counts);
		ASSERT_EQ(memcmp(counts, m.counts, sizeof(counts)), 0);
		inputs_release(&in);
		symbols_release(&symbols);
		unmake(&m);
	}
}

/* A log that was cut: the inputs before that. */
TAP_CASE(of_a_cut_file_whole_inputs_are_kept)
{
	struct random r = random_seeded(7);
	struct log_run run = {.threads = 1};
	struct made m;
	struct err err;
	size_t last = 0;

	make(&r, &m, NULL);
	while (m.threads[0].n < 2000)
		add_input(&r, &m, &m.threads[0]);
	for (size_t cut = 0; cut < 2000; cut += 13) {
		struct symbols symbols;
		struct inputs in;

		write_file(&m, "input.0", m.threads[0].at, cut);
		symbols_init(&symbols);
		inputs_add(&symbols, m.directory, &run);
		ASSERT_EQ(inputs_read(&in, &symbols, "trace", &err), 0);
		size_t n = in.threads.n ? in.threads.at[0].n : 0;

		ASSERT_TRUE(n <= cut && n >= last);
		ASSERT_TRUE(!n || !memcmp(in.threads.at[0].at, m.threads[0].at, n));
		last = n;
		inputs_release(&in);
		symbols_release(&symbols);
	}
	ASSERT_TRUE(last > 0);
	unmake(&m);
}

/* Damage in the trace is an error or changes what is given; it is never more than that. */
TAP_CASE(damaged_facts_are_read_or_refused)
{
	struct random r = random_seeded(9);
	struct log_run run = {.threads = 3};
	struct symbols symbols;
	struct made m;
	struct err err;
	int refused = 0;

	make(&r, &m, "some input");
	symbols_init(&symbols);
	inputs_add(&symbols, m.directory, &run);
	for (int i = 0; i < TAP_PART(3000); i++) {
		struct meta *meta = &symbols.metas.at[random_below(&r, (uint32_t)symbols.metas.n)];
		char *value = (char *)meta->value;
		size_t at =
			random_below(&r, (uint32_t)(random_percent(&r, 50) ? 12 : strlen(value)));
		struct inputs in;
		char was;

		if (at >= strlen(value))
			continue;
		was = value[at];
		value[at] = (char)(' ' + random_below(&r, 90));
		refused += inputs_read(&in, &symbols, "trace", &err) < 0;
		inputs_release(&in);
		value[at] = was;
	}
	ASSERT_TRUE(refused > 0);
	symbols_release(&symbols);
	unmake(&m);
}
