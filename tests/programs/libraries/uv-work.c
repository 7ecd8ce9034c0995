/*
 * Work for libuv's threads: the request goes there and comes back, and each is for itself.
 *
 * flags: -luv -pthread
 * expect: race @a @a
 */
#include <stdatomic.h>
#include <stdio.h>
#include <uv.h>

struct job {
	uv_work_t request;
	int value, answer;
};

static int sum;
static volatile int racy;
static atomic_int began;

static void work(uv_work_t *request)
{
	struct job *job = (struct job *)request;
	job->answer = job->value * 2;
	racy = 1; /* @a */
	/* so that each has a thread of its own */
	began++;
	for (int i = 0; i < 10000 && began < 2; i++)
		uv_sleep(1);
}

static void after(uv_work_t *request, int status)
{
	struct job *job = (struct job *)request;
	if (!status)
		sum += job->answer;
}

int main(void)
{
	struct job jobs[2];
	for (int i = 0; i < 2; i++) {
		jobs[i].value = i + 1;
		uv_queue_work(uv_default_loop(), &jobs[i].request, work, after);
	}
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	printf("%d %d\n", sum, racy > 0);
	return 0;
}
