/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include "base/mem.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define PIECE ((size_t)1 << 18)

int digest_file(const char *path, char text[DIGEST_TEXT], struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	XXH3_state_t *state = XXH3_createState();
	char *piece = mem_alloc(PIECE);
	ssize_t got = -1;

	XXH3_64bits_reset(state);
	while (fd >= 0 && (got = read(fd, piece, PIECE)) > 0)
		XXH3_64bits_update(state, piece, (size_t)got);
	int error = errno;

	snprintf(text, DIGEST_TEXT, "%016llx", (unsigned long long)XXH3_64bits_digest(state));
	XXH3_freeState(state);
	mem_free(piece);
	if (fd >= 0)
		close(fd);
	return got < 0 ? err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(error)) : 0;
}
