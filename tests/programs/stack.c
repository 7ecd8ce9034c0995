/*
 * Big objects on the stack, variable ones, alloca; one is shared with a thread that is joined too
 * late.
 *
 * expect: race @caller @thread
 */
#include <alloca.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct job {
	int input, output;
	char big[20000];
};

static void *work(void *argument)
{
	struct job *job = argument;

	memset(job->big, job->input, sizeof(job->big));
	job->output = job->big[19999] + 1; /* @thread */
	return NULL;
}

static int careful(int n)
{
	struct job job = {.input = n};
	pthread_t thread;

	pthread_create(&thread, NULL, work, &job);
	pthread_join(thread, NULL);
	return job.output;
}

static int careless(int n)
{
	struct job job = {.input = n};
	pthread_t thread;

	pthread_create(&thread, NULL, work, &job);
	usleep(100000);
	int early = job.output; /* @caller */
	pthread_join(thread, NULL);
	return early;
}

static int varied(int n)
{
	int array[n];
	char *text = alloca((size_t)n);

	memset(text, 'a', (size_t)n - 1);
	text[n - 1] = '\0';
	for (int i = 0; i < n; i++)
		array[i] = text[i];
	return array[n - 2] + (int)strlen(text);
}

int main(void)
{
	int one = careful(3), two = careful(4), three = careless(5);

	printf("%d %d %d %d\n", one, two, three, varied(10) + varied(2000));
	return 0;
}
