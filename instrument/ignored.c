/* SPDX-License-Identifier: MIT */
#include "instrument/ignored.h"

#include "instrument/mark.h"
#include "instrument/weave_parts.h"

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *to, size_t *size, int *status);

/* DIRECTORY/FILE of the function, or FILE alone; false: nobody says where it stands. */
static bool file_of(LLVMValueRef function, char *path, size_t room)
{
	LLVMMetadataRef program = LLVMGetSubprogram(function);
	LLVMMetadataRef file = program ? LLVMDIScopeGetFile(program) : NULL;
	unsigned n, m;

	if (!file)
		return false;
	const char *directory = LLVMDIFileGetDirectory(file, &n);
	const char *name = LLVMDIFileGetFilename(file, &m);
	bool absolute = !n || (m && *name == '/');

	snprintf(path, room, "%.*s%s%.*s", absolute ? 0 : (int)n, directory, absolute ? "" : "/",
		 (int)m, name);
	return true;
}

static bool is_ignored(LLVMValueRef function, const struct ignore *ignore)
{
	char path[4096], *name = weave_name(function);
	char *readable = strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, NULL);
	bool known = file_of(function, path, sizeof(path));
	bool ignored = ignore_has(ignore, name, readable, known ? path : NULL);

	free(readable);
	mem_free(name);
	return ignored;
}

void ignored_unmark(LLVMModuleRef module, const struct ignore *ignore)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && is_ignored(f, ignore))
			mark_remove_from(f);
}
