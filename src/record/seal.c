/* SPDX-License-Identifier: MIT */
#include "record/seal.h"

#include "record/inputs.h"

#include <blake2.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_SIZE 32
#define SEAL_SIZE 32
#define SEAL_KEY "seal"

/* The key */

static bool state_directory(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const struct passwd *user = home && *home == '/' ? NULL : getpwuid(geteuid());
	int length;

	if (user)
		home = user->pw_dir;
	if (state && *state == '/')
		length = snprintf(path, size, "%s/norn", state);
	else if (home && *home == '/')
		length = snprintf(path, size, "%s/.local/state/norn", home);
	else
		return false;
	return length > 0 && (size_t)length < size;
}

static void make_directories(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
}

/* A key that others can read or have put there is none. */
static bool read_key(const char *path, uint8_t *key)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return false;
	bool good = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    !(st.st_mode & 077) && st.st_size == KEY_SIZE &&
		    read(fd, key, KEY_SIZE) == KEY_SIZE;

	close(fd);
	return good;
}

/* The file appears with all of its bytes, and the first one stays if two are made at a time. */
static void make_key(char *directory, const char *path)
{
	char temporary[PATH_MAX + 16];
	uint8_t key[KEY_SIZE];

	make_directories(directory);
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd < 0)
		return;
	if (getrandom(key, sizeof(key), 0) == KEY_SIZE && write(fd, key, KEY_SIZE) == KEY_SIZE &&
	    !link(temporary, path))
		fsync(fd);
	close(fd);
	unlink(temporary);
}

static bool find_key(uint8_t *key, bool make)
{
	char directory[PATH_MAX - 8], path[PATH_MAX];

	if (!state_directory(directory, sizeof(directory)))
		return false;
	snprintf(path, sizeof(path), "%s/key", directory);
	if (read_key(path, key))
		return true;
	if (make)
		make_key(directory, path);
	return make && read_key(path, key);
}

/* The digest */

static bool is_sealed(const char *key)
{
	static const char *const keys[] = {"argument",	  "directory", "input",
					   "environment", "module",    INPUTS_KEY};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static void add_text(blake2b_state *state, const char *text)
{
	blake2b_update(state, (const uint8_t *)text, strlen(text) + 1);
}

/* The home may be that of several machines. */
static void add_machine(blake2b_state *state)
{
	char id[64] = "";
	int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ssize_t length = read(fd, id, sizeof(id) - 1);

		id[length > 0 ? length : 0] = '\0';
		close(fd);
	}
	add_text(state, id);
}

static bool seal_text(const struct symbols *symbols, bool make, char text[2 * SEAL_SIZE + 1])
{
	uint8_t key[KEY_SIZE], seal[SEAL_SIZE];
	blake2b_state state;

	if (!find_key(key, make) || blake2b_init_key(&state, SEAL_SIZE, key, KEY_SIZE) < 0)
		return false;
	add_machine(&state);
	for (size_t i = 0; i < symbols->metas.n; i++) {
		if (!is_sealed(symbols->metas.at[i].key))
			continue;
		add_text(&state, symbols->metas.at[i].key);
		add_text(&state, symbols->metas.at[i].value);
	}
	blake2b_final(&state, seal, SEAL_SIZE);
	for (size_t i = 0; i < SEAL_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", seal[i]);
	return true;
}

void seal_add(struct symbols *symbols)
{
	char text[2 * SEAL_SIZE + 1];

	if (symbols_meta(symbols, "argument", 0) && seal_text(symbols, true, text))
		symbols_add_meta(symbols, SEAL_KEY, strlen(SEAL_KEY), text, strlen(text));
}

bool seal_is_ours(const struct symbols *symbols)
{
	const char *seal = symbols_meta(symbols, SEAL_KEY, 0);
	char text[2 * SEAL_SIZE + 1];

	return seal && seal_text(symbols, false, text) && !strcmp(seal, text);
}
