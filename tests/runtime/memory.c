/* Allocation and mappings, accesses of all sizes at all alignments, ranges that overlap. */
#include "tests/runtime/program.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

static void *allocate(void *argument)
{
	uint8_t *blocks[32] = {0};
	for (int i = 0; i < 2000; i++) {
		int at = i * 7 % 32;
		size_t size = (size_t)i * 13 % 700 + 1;
		switch (i % 4) {
		case 0:
			free(blocks[at]);
			blocks[at] = malloc(size);
			break;
		case 1: blocks[at] = realloc(blocks[at], size); break;
		case 2:
			free(blocks[at]);
			blocks[at] = calloc(size, 1);
			break;
		case 3:
			free(blocks[at]);
			WANT(posix_memalign((void **)&blocks[at], 64, size) == 0);
			WANT((uintptr_t)blocks[at] % 64 == 0);
		}
		__norn_fill(blocks[at], i, size, 0);
		uint8_t copy[700];
		__norn_read_range(copy, blocks[at], size, 0);
		for (size_t k = 0; k < size; k++)
			WANT(copy[k] == (uint8_t)i);
		if (i % 5 == 0) {
			blocks[at] = realloc(blocks[at], size * 3);
			__norn_read_range(copy, blocks[at], size, 0);
			for (size_t k = 0; k < size; k++)
				WANT(copy[k] == (uint8_t)i);
		}
	}
	for (int i = 0; i < 32; i++)
		free(blocks[i]);
	return argument;
}

static uint8_t memory[256] __attribute__((aligned(64)));

static void access_all(void)
{
	for (unsigned at = 0; at < 200; at++) {
		uint64_t value = 0x0123456789abcdefu * (at + 1);
		__norn_write8(memory + at, value, 0);
		WANT(__norn_read8(memory + at, 0).value == value);
		WANT(__norn_read4(memory + at + 1, 0).value == (uint32_t)(value >> 8));
		WANT(__norn_read2(memory + at + 3, 0).value == (uint16_t)(value >> 24));
		WANT(__norn_read1(memory + at + 7, 0).value == (uint8_t)(value >> 56));
		__norn_write4(memory + at, ~value, 0);
		__norn_write2(memory + at, value, 0);
		__norn_write1(memory + at + 2, 0x55, 0);
		WANT(__norn_read4(memory + at, 0).value ==
		     ((uint32_t)(~value & 0xff000000) | 0x550000 | (uint16_t)value));
	}
}

static void copy_all(void)
{
	uint8_t plain[512], hooked[512];
	for (unsigned i = 0; i < 3000; i++) {
		unsigned from = i * 37 % 256, to = i * 101 % 256, n = i * 53 % 256;
		for (unsigned k = 0; k < sizeof plain; k++)
			plain[k] = (uint8_t)(k * 31 + i);
		__norn_write_range(hooked, plain, sizeof plain, 0);
		memmove(plain + to, plain + from, n);
		__norn_copy(hooked + to, hooked + from, n, 0, 0);
		uint8_t seen[512];
		__norn_read_range(seen, hooked, sizeof seen, 0);
		WANT(memcmp(seen, plain, sizeof plain) == 0);
	}
}

static void atomics(void)
{
	static uint32_t word;
	static int8_t byte;
	WANT(__norn_rmw4(&word, 5, NORN_ADD, 0, 0, 0).value == 0);
	WANT(__norn_rmw4(&word, 7, NORN_SUB, 0, 0, 0).value == 5);
	WANT(__norn_load4(&word, 0, 0, 0).value == 0xfffffffe);
	WANT(__norn_rmw4(&word, 1, NORN_MAX, 0, 0, 0).value == 0xfffffffe);
	WANT(__norn_rmw4(&word, 9, NORN_UMIN, 0, 0, 0).value == 1 && word == 1);
	WANT(__norn_swap4(&word, 2, 3, 0, 0, 0).value == 1 && word == 1);
	WANT(__norn_swap4(&word, 1, 3, 0, 0, 0).value == 1 && word == 3);
	WANT(__norn_rmw4(&word, 2, NORN_NAND, 0, 0, 0).value == 3 && word == ~2u);
	__norn_store1(&byte, 0xff, 0, 0, 0, 0);
	WANT(__norn_rmw1(&byte, 0xfe, NORN_MIN, 0, 0, 0).value == 0xff && byte == -2);
	WANT(__norn_rmw1(&byte, 4, NORN_XCHG, 0, 0, 0).value == 0xfe && byte == 4);
	static double number = 1.5;
	double one = 1, old;
	uint64_t bits;
	memcpy(&bits, &one, 8);
	bits = __norn_rmw8(&number, bits, NORN_FADD, 0, 0, 0).value;
	memcpy(&old, &bits, 8);
	WANT(old == 1.5 && number == 2.5);
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		WANT(pthread_create(&threads[i], NULL, allocate, NULL) == 0);
	for (int i = 0; i < 4; i++)
		WANT(pthread_join(threads[i], NULL) == 0);
	access_all();
	copy_all();
	atomics();

	long *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	WANT(map != MAP_FAILED);
	add(map, 1);
	long *grown = mremap(map, 8192, 1 << 20, MREMAP_MAYMOVE);
	WANT(grown != MAP_FAILED && get(grown) == 1);
	WANT(munmap(grown, 1 << 20) == 0);
	WANT(munmap(NULL, 0) != 0);
	void *none = malloc(SIZE_MAX / 2);
	WANT(none == NULL);
	volatile size_t many = SIZE_MAX;
	WANT(reallocarray(NULL, many, 2) == NULL && errno == ENOMEM);
	WANT(realloc(malloc(10), 0) == NULL);
	void *page = valloc(10);
	WANT((uintptr_t)page % 4096 == 0 && malloc_usable_size(page) >= 10);
	free(page);
	free(aligned_alloc(32, 64));
	char *text = strdup("text");
	WANT(strcmp(text, "text") == 0);
	free(text);
	return 0;
}
