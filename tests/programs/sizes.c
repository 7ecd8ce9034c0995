/*
 * Accesses of all sizes, aligned and not, that overlap; floats, long double, unions, 16 bytes.
 *
 * expect: race @wide @narrow
 */
#include <complex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static union {
	uint8_t bytes[16];
	uint16_t halves[8];
	uint32_t words[4];
	uint64_t wides[2];
	float real;
} mixed;
static long double precise;
static double complex both;
static __int128 huge;
static struct __attribute__((packed)) {
	char c;
	uint64_t wide;
	uint16_t half;
} packed[10];
uint64_t torn;

static void *one(void *unused)
{
	pthread_mutex_lock(&lock);
	mixed.wides[0] = 0x0102030405060708;
	mixed.halves[1] = 0xffff;
	mixed.real += 1;
	precise = 1.25L;
	both = 1 + 2 * I;
	huge = ((__int128)1 << 100) + 5;
	for (int i = 0; i < 10; i++)
		packed[i].wide = (uint64_t)i << 40;
	pthread_mutex_unlock(&lock);
	torn = 0x1122334455667788; /* @wide */
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	uint8_t part = ((volatile uint8_t *)&torn)[3]; /* @narrow */
	pthread_mutex_lock(&lock);
	packed[0].c = part == 0x55 || part == 0;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void print_all(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < 10; i++)
		sum += packed[i].wide + packed[i].half;
	printf("%x %x %d %d %d %x %llx\n", mixed.bytes[7], mixed.words[1], (int)(4 * precise),
	       (int)(creal(both) + cimag(both)), (int)(huge >> 98) + (int)huge, packed[0].c,
	       (unsigned long long)sum);
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	print_all();
	return 0;
}
