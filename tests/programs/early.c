/*
 * What main writes before it makes threads is the same for all of them, and races with nothing:
 * indices that come from it are no obstacle to what is found behind them. What somebody writes
 * later is as any other data, be it the program or a library that nobody instrumented.
 *
 * expect: race @late @limit
 * expect: race @slot @slot
 */
#include <pthread.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

static int table[8], limit;
int slots[8];
static struct termios raw;

static void *work(void *number)
{
	int me = (int)(long)number;

	slots[table[me]] = me; /* @slot */
	usleep(30000 * me);
	if (me == 2)
		return (void *)(long)(raw.c_cflag == PARENB);
	return (void *)(long)(limit + table[3]); /* @limit */
}

int main(void)
{
	pthread_t threads[2];
	void *result;
	long sum = 0;

	for (int i = 0; i < 8; i++)
		table[i] = i / 4;
	limit = 10;
	raw.c_cflag = PARENB;
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	usleep(100000);
	limit = 10; /* @late */
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	cfmakeraw(&raw);
	printf("%ld %d\n", sum, raw.c_cflag == PARENB);
	return 0;
}
