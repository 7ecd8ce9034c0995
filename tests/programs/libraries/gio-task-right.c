/*
 * All that a task in a thread does comes before its callback, also what it does once it has given
 * its result; and before a call that waits for it returns.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lgio-2.0 -lgobject-2.0 -lglib-2.0 -pthread
 * expect: nothing
 */
#include <gio/gio.h>
#include <stdio.h>

struct job {
	int input, result, notes;
};

static GMainLoop *loop;
static int sum;

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
	struct job *job = data;

	(void)source, (void)cancellable;
	job->result = job->input + 1;
	g_task_return_boolean(task, TRUE);
	job->notes = 100;
}

static void done(GObject *source, GAsyncResult *result, gpointer data)
{
	struct job *job = data;

	(void)source;
	if (g_task_propagate_boolean(G_TASK(result), NULL))
		sum += job->result + job->notes;
	g_main_loop_quit(loop);
}

int main(void)
{
	struct job first = {.input = 20}, second = {.input = 40};

	loop = g_main_loop_new(NULL, FALSE);
	GTask *task = g_task_new(NULL, NULL, done, &first);
	g_task_set_task_data(task, &first, NULL);
	g_task_run_in_thread(task, work);
	g_object_unref(task);
	g_main_loop_run(loop);

	task = g_task_new(NULL, NULL, NULL, NULL);
	g_task_set_task_data(task, &second, NULL);
	g_task_run_in_thread_sync(task, work);
	if (g_task_propagate_boolean(task, NULL))
		sum += second.result + second.notes;
	g_object_unref(task);
	printf("%d\n", sum);
	g_main_loop_unref(loop);
	return 0;
}
