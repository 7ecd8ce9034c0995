/*
 * A file that one thread opens and another one writes to. The second thread is started when the
 * file is open.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct file {
	int opened, bytes;
};

static struct file log_file;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct file *open_file(void)
{
	pthread_mutex_lock(&m);
	log_file.opened++;
	pthread_mutex_unlock(&m);
	return &log_file;
}

static void write_file(struct file *f, int bytes)
{
	pthread_mutex_lock(&m);
	f->bytes += bytes;
	pthread_mutex_unlock(&m);
}

static int read_file(struct file *f)
{
	pthread_mutex_lock(&m);
	int bytes = f->bytes;
	pthread_mutex_unlock(&m);
	return bytes;
}

static void close_file(struct file *f)
{
	pthread_mutex_lock(&m);
	f->opened--;
	pthread_mutex_unlock(&m);
}

static void *worker(void *unused)
{
	usleep(20000);
	write_file(&log_file, 3);
	return unused;
}

int main(void)
{
	pthread_t thread;

	struct file *f = open_file();

	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	printf("%d bytes\n", read_file(f));
	close_file(f);
	return 0;
}
