/* SPDX-License-Identifier: MIT */
#include "record/run/program.h"

#include "runtime/sanitizers.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME "libnorn-runtime.so"

/* As execvp looks for it; program itself if it is nowhere. */
static void find_program(char *path, size_t room, const char *program)
{
	const char *at = strchr(program, '/') ? NULL : getenv("PATH");

	for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		size_t length = strcspn(at, ":");

		snprintf(path, room, "%.*s/%s", (int)length, at, program);
		if (!access(path, X_OK))
			return;
	}
	snprintf(path, room, "%s", program);
}

struct image {
	unsigned char *at; /* NULL: it cannot be read */
	size_t size;
	struct stat st;
};

static struct image map_program(const char *program)
{
	struct image image = {0};
	char path[PATH_MAX];

	find_program(path, sizeof(path), program);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return image;
	if (!fstat(fd, &image.st) && S_ISREG(image.st.st_mode) && image.st.st_size > 0) {
		image.size = (size_t)image.st.st_size;
		void *map = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);

		image.at = map == MAP_FAILED ? NULL : map;
	}
	close(fd);
	return image;
}

static void unmap(struct image *image)
{
	if (image->at)
		munmap(image->at, image->size);
}

/* The runtime asks the environment by this name, so it is in every program that has it. */
bool program_has_runtime(const char *program)
{
	static const char name[] = "NORN_RECORD=";
	struct image image = map_program(program);
	bool found = image.at && memmem(image.at, image.size, name, sizeof(name));

	unmap(&image);
	return found;
}

/* A program that has no interpreter has no loader that would load anything. */
static bool is_static(const struct image *image)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)image->at;
	const Elf64_Phdr *headers = (const Elf64_Phdr *)(image->at + head->e_phoff);

	if (head->e_phoff % sizeof(uint64_t) || head->e_phoff > image->size ||
	    (image->size - head->e_phoff) / sizeof(*headers) < head->e_phnum)
		return false;
	for (unsigned i = 0; i < head->e_phnum; i++)
		if (headers[i].p_type == PT_INTERP)
			return false;
	return true;
}

/* Their runtimes have to be loaded first, too, or the program ends at once. */
const char *program_refuses_runtime(const char *program)
{
	struct image image = map_program(program);
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)image.at;
	const char *why = NULL;

	if (!image.at || image.size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG))
		why = NULL;
	else if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64)
		why = "it is for another machine";
	else if (is_static(&image))
		why = "it is linked statically";
	else if (norn_names_sanitizer(image.at, image.size))
		why = "it has a sanitizer";
	else if ((image.st.st_mode & S_ISUID && image.st.st_uid != geteuid()) ||
		 (image.st.st_mode & S_ISGID && image.st.st_gid != getegid()))
		why = "it has more rights than its caller (setuid or setgid)";
	unmap(&image);
	return why;
}

/* Beside norn, or where norn is installed. */
static bool find_runtime(char *path, size_t room)
{
	static const char *const places[] = {RUNTIME, "../lib/norn/" RUNTIME};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return false;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char found[2 * PATH_MAX];

		snprintf(found, sizeof(found), "%s/%s", self, places[i]);
		if (realpath(found, path) && strlen(path) < room)
			return true;
	}
	return false;
}

/* Blanks and colons end a name there, and nothing quotes them. */
void program_preload(void)
{
	const char *others = getenv("LD_PRELOAD");
	char path[PATH_MAX];

	if (!find_runtime(path, sizeof(path)) || strpbrk(path, ": \t\n"))
		return;
	if (!others || !*others) {
		setenv("LD_PRELOAD", path, 1);
		return;
	}
	size_t room = strlen(path) + strlen(others) + 2;
	char *all = malloc(room);

	if (!all)
		return;
	snprintf(all, room, "%s:%s", path, others);
	setenv("LD_PRELOAD", all, 1);
	free(all);
}
