/* SPDX-License-Identifier: MIT */
#define TAP_WITHOUT_MAIN
#include "tests/support/sources.h"

#include "tests/support/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static size_t near(struct random *r, size_t size)
{
	return size + random_below(r, 5) - 2;
}

size_t source_random_size(struct random *r)
{
	switch (random_below(r, 6)) {
	case 0: return random_below(r, 4);
	case 1:
	case 2: return random_below(r, 5000);
	case 3: return near(r, SOURCE_BUFFER);
	case 4: return near(r, 2 * SOURCE_BUFFER);
	default: return random_below(r, 6 * SOURCE_BUFFER);
	}
}

struct bytes source_random_bytes(struct random *r, size_t size, uint32_t line)
{
	static const char odd[] = "\r\r\0\x1f\x8b\xff";
	struct bytes b = {malloc(size + 1), size};

	for (size_t i = 0; i < size; i++)
		b.at[i] = !random_below(r, line)  ? '\n'
			  : random_percent(r, 90) ? (char)('a' + random_below(r, 26))
						  : odd[random_below(r, sizeof(odd) - 1)];
	for (size_t i = 1; i < size; i++)
		if (b.at[i] == '\n' && random_percent(r, 30))
			b.at[i - 1] = '\r';
	if (size > 1 && b.at[1] == '\x8b')
		b.at[1] = 'a';
	return b;
}

void source_pack(struct bytes *packed, const char *data, size_t size)
{
	z_stream z = {.next_in = (unsigned char *)data, .avail_in = (uInt)size};

	ASSERT_EQ(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	size_t bound = deflateBound(&z, size);

	packed->at = realloc(packed->at, packed->n + bound);
	z.next_out = (unsigned char *)packed->at + packed->n;
	z.avail_out = (uInt)bound;
	ASSERT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed->n += z.total_out;
	deflateEnd(&z);
}

/* As one member or several, which may be empty. */
static struct bytes gzipped(struct random *r, struct bytes b)
{
	size_t first = random_percent(r, 50) ? b.n : random_below(r, (uint32_t)b.n + 1);
	struct bytes packed = {0};

	source_pack(&packed, b.at, first);
	if (first < b.n || random_percent(r, 20))
		source_pack(&packed, b.at + first, b.n - first);
	return packed;
}

void source_write_file(char *path, struct bytes b)
{
	int fd = mkstemp(path);

	ASSERT_TRUE(fd >= 0);
	ASSERT_EQ(write(fd, b.at, b.n), (ssize_t)b.n);
	close(fd);
}

int source_piped(struct random *r, struct bytes b)
{
	int fds[2];

	signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
	ASSERT_EQ(pipe(fds), 0);
	pid_t pid = fork();

	ASSERT_TRUE(pid >= 0);
	if (pid == 0) {
		close(fds[0]);
		for (size_t done = 0; done < b.n;) {
			size_t most = random_percent(r, 50) ? 3 : 100000;
			size_t piece = 1 + random_below(r, (uint32_t)most);
			ssize_t n =
				write(fds[1], b.at + done, piece < b.n - done ? piece : b.n - done);

			if (n < 0)
				_exit(1);
			done += (size_t)n;
		}
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

struct input *source_opened(const char *path)
{
	struct err err;
	struct input *in = input_open(path, &err);

	if (!in)
		FAIL("%s", err.message);
	ASSERT_EQ(err.code, 0);
	return in;
}

struct input *source_open_standard(int fd)
{
	ASSERT_EQ(dup2(fd, 0), 0);
	close(fd);
	struct input *in = source_opened("-");

	ASSERT_STR_EQ(input_name(in), "standard input");
	return in;
}

static struct input *open_memory(struct random *r, struct bytes b)
{
	(void)r;
	return input_open_memory(b.at, b.n, "memory");
}

static struct input *open_file(struct random *r, struct bytes b)
{
	char path[] = SOURCE_FILE_NAME;

	(void)r;
	source_write_file(path, b);
	struct input *in = source_opened(path);

	ASSERT_STR_EQ(input_name(in), path);
	unlink(path);
	return in;
}

static struct input *open_gzip(struct random *r, struct bytes b)
{
	struct bytes packed = gzipped(r, b);
	struct input *in = open_file(r, packed);

	bytes_release(&packed);
	return in;
}

static struct input *open_pipe(struct random *r, struct bytes b)
{
	return source_open_standard(source_piped(r, b));
}

static struct input *open_gzip_pipe(struct random *r, struct bytes b)
{
	struct bytes packed = gzipped(r, b);
	struct input *in = open_pipe(r, packed);

	bytes_release(&packed);
	return in;
}

/* Not from its start. */
static struct input *open_rest(struct random *r, struct bytes b)
{
	char path[] = SOURCE_FILE_NAME;
	size_t skip = 1 + random_below(r, 100);
	struct bytes longer = {malloc(skip + b.n), skip + b.n};

	memset(longer.at, 'z', skip);
	memcpy(longer.at + skip, b.at, b.n);
	source_write_file(path, longer);
	int fd = open(path, O_RDONLY);

	unlink(path);
	bytes_release(&longer);
	ASSERT_EQ(lseek(fd, (off_t)skip, SEEK_SET), (off_t)skip);
	return source_open_standard(fd);
}

/* One that cannot seek, after which it can. */
static struct input *open_made_seekable(struct random *r, struct bytes b)
{
	static struct input *(*const ways[])(struct random * r, struct bytes b) = {
		open_gzip, open_pipe, open_gzip_pipe, open_rest};
	struct input *in = ways[random_below(r, 4)](r, b);
	struct err err = {0};
	const char *data;

	if (random_percent(r, 50)) /* as who looks for the format */
		input_peek(in, &data, source_random_size(r), &err);
	ASSERT_EQ(input_make_seekable(in, &err), 0);
	ASSERT_EQ(input_make_seekable(in, &err), 0);
	ASSERT_EQ(err.code, 0);
	return in;
}

static struct input *open_again(struct random *r, struct bytes b)
{
	struct input *in = random_percent(r, 50) ? open_file(r, b) : open_made_seekable(r, b);
	struct err err = {0};
	char some[1000];

	ASSERT_TRUE(input_read(in, some, random_below(r, sizeof(some)), &err) >= 0);
	struct input *again = input_again(in, &err);

	if (!again)
		FAIL("%s", err.message);
	ASSERT_STR_EQ(input_name(again), input_name(in));
	input_close(in);
	return again;
}

const struct source sources[SOURCE_COUNT] = {
	[SOURCE_MEMORY] = {"memory", open_memory, true},
	[SOURCE_FILE] = {"a file", open_file, true},
	[SOURCE_GZIP] = {"gzip", open_gzip, false},
	[SOURCE_PIPE] = {"a pipe", open_pipe, false},
	[SOURCE_GZIP_PIPE] = {"gzip through a pipe", open_gzip_pipe, false},
	[SOURCE_REST] = {"the rest of a file", open_rest, false},
	[SOURCE_MADE_SEEKABLE] = {"made seekable", open_made_seekable, true},
	[SOURCE_AGAIN] = {"a file once more", open_again, true},
};
