/*
 * The loop waits for work without a callback of its own: what the work wrote is there when uv_run
 * returns. But between uv_queue_work and uv_run the work may already be under way.
 *
 * flags: -luv -pthread
 * expect: race @a @b
 */
#include <stdio.h>
#include <uv.h>

static int before, answer;
static volatile int racy;

static void work(uv_work_t *request)
{
	(void)request;
	answer = before * 2;
	racy = 1; /* @a */
}

int main(void)
{
	uv_work_t request;
	uv_loop_t *loop = uv_default_loop();
	before = 21;
	uv_queue_work(loop, &request, work, NULL);
	racy = 2; /* @b */
	uv_run(loop, UV_RUN_DEFAULT);
	uv_loop_close(loop);
	printf("%d %d\n", answer, racy > 0);
	return 0;
}
