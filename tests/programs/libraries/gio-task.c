/*
 * A task in a thread gets its data, and its result goes back to the main loop.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lgio-2.0 -lgobject-2.0 -lglib-2.0 -pthread
 * expect: race @a @b
 */
#include <gio/gio.h>
#include <stdio.h>

struct job {
	int input, result;
};

static GMainLoop *loop;
static int sum, left = 2;
static volatile int racy;

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
	struct job *job = data;

	(void)source, (void)cancellable;
	job->result = job->input + 1;
	if (job->input == 20)
		racy = 1; /* @a */
	g_task_return_pointer(task, job, NULL);
}

static void done(GObject *source, GAsyncResult *result, gpointer data)
{
	struct job *job = g_task_propagate_pointer(G_TASK(result), NULL);

	(void)source, (void)data;
	sum += job->result;
	g_free(job);
	g_object_unref(result);
	if (!--left)
		g_main_loop_quit(loop);
}

static void start(int input)
{
	struct job *job = g_new0(struct job, 1);
	GTask *task = g_task_new(NULL, NULL, done, NULL);

	job->input = input;
	g_task_set_task_data(task, job, NULL);
	g_task_run_in_thread(task, work);
}

int main(void)
{
	loop = g_main_loop_new(NULL, FALSE);
	start(20);
	g_usleep(100000);
	start(40);
	racy = 2; /* @b */
	g_main_loop_run(loop);
	printf("%d\n", sum);
	g_main_loop_unref(loop);
	return 0;
}
