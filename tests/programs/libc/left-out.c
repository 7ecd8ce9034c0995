/*
 * Functions of libc that Norn has no version of, and that look at names of files, directories and streams: one thread
 * writes data and makes a file or writes to a stream, and the other reads the data once it has found that. That is right
 * in each of the ways. The twin is written on both sides of it, and races.
 *
 * expect: race @before @behind
 * output: varies
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wchar.h>
#include <wordexp.h>

#include "ways.h"

static char directory[64], file[80], pattern[90];
static FILE *in, *out;
static int found;

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static int visit(const char *path, const struct stat *s, int type)
{
	(void)s;
	(void)type;
	found |= !strcmp(path, file);
	return 0;
}

static int visit_deeply(const char *path, const struct stat *s, int type, struct FTW *where)
{
	(void)where;
	return visit(path, s, type);
}

static int by_ftw(void)
{
	found = 0;
	ftw(directory, visit, 4);
	return found;
}

static int by_nftw(void)
{
	found = 0;
	nftw(directory, visit_deeply, 4, 0);
	return found;
}

static int by_glob(void)
{
	glob_t all;
	int r = glob(pattern, 0, NULL, &all);

	if (!r)
		globfree(&all);
	return !r;
}

static int by_scandir(void)
{
	struct dirent **names;
	int n = scandir(directory, &names, NULL, alphasort);

	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return n > 2;
}

static int by_fts(void)
{
	char *roots[] = {directory, NULL};
	FTS *all = fts_open(roots, FTS_PHYSICAL, NULL);
	int n = 0;

	while (fts_read(all))
		n++;
	fts_close(all);
	return n > 2;
}

static int by_wordexp(void)
{
	wordexp_t words;
	int r = wordexp(pattern, &words, 0), yes = !r && strcmp(words.we_wordv[0], pattern) != 0;

	wordfree(&words);
	return yes;
}

static int by_mntent(void)
{
	FILE *f = setmntent(file, "r");
	int yes = f && getmntent(f);

	if (f)
		endmntent(f);
	return yes;
}

static void make_mounts(void)
{
	FILE *f = setmntent(file, "w");
	struct mntent line = {"a", "/", "x", "rw", 0, 0};

	addmntent(f, &line);
	endmntent(f);
}

static void make(void)
{
	close(open(file, O_CREAT | O_RDWR, 0600));
}

static void open_streams(void)
{
	int ends[2];

	if (pipe(ends))
		abort();
	in = fdopen(ends[0], "r");
	out = fdopen(ends[1], "w");
}

WAY(glob, unlink(file), make(), POLL(!by_glob()))
WAY(scandir, unlink(file), make(), POLL(!by_scandir()))
WAY(ftw, unlink(file), make(), POLL(!by_ftw()))
WAY(nftw, unlink(file), make(), POLL(!by_nftw()))
WAY(fts, unlink(file), make(), POLL(!by_fts()))
WAY(wordexp, unlink(file), make(), POLL(!by_wordexp()))
WAY(mntent, unlink(file), make_mounts(), POLL(!by_mntent()))
WAY(character, open_streams(), fputwc(L'x', out); fflush(out), fgetwc(in))
WAY(line, open_streams(), fputws(L"x\n", out); fflush(out), fgetws((wchar_t[9]){0}, 9, in))
WAY(number, open_streams(), fwprintf(out, L"%d\n", 7); fflush(out), fwscanf(in, L"%d", &(int){0}))

int main(void)
{
	snprintf(directory, sizeof directory, "/tmp/norn-left-out-%d", getpid());
	mkdir(directory, 0700);
	snprintf(file, sizeof file, "%s/file", directory);
	snprintf(pattern, sizeof pattern, "%s/f*", directory);
	RUN(glob);
	RUN(scandir);
	RUN(ftw);
	RUN(nftw);
	RUN(fts);
	RUN(wordexp);
	RUN(mntent);
	RUN(character);
	RUN(line);
	RUN(number);
	unlink(file);
	rmdir(directory);
	printf("%d\n", seen > 0);
	return 0;
}
