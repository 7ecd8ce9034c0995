/* SPDX-License-Identifier: MIT */
/*
 * Names that the program gives its threads: for reports alone. The file `names` has one for each
 * thread, at the place that its number says, so that the last one counts and it does not grow with
 * each change. That a name is missing matters to nobody: no error stops the recording.
 */
#include "runtime/files.h"
#include "runtime/pthread/threads.h"
#include "runtime/real.h"
#include "runtime/run.h"
#include "runtime/sys.h"

#include <fcntl.h>
#include <string.h>

static void write_name(uint32_t number, const char *name)
{
	char slot[LOG_NAME] = {0};
	memcpy(slot, name, strnlen(name, sizeof slot - 1));
	long fd = norn_file_open("names", -1, O_WRONLY | O_CREAT);
	if (fd < 0)
		return;
	norn_file_write(fd, slot, sizeof slot, (uint64_t)number * sizeof slot);
	norn_sys_close(fd);
}

void norn_name_self(const char *name)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	write_name(me->number, name);
	norn_leave(me);
}

int NORN_WRAPPER(pthread_setname_np)(pthread_t thread, const char *name)
{
	struct norn_self *me = &norn_self;
	int result = NORN_REAL(pthread_setname_np)(thread, name);
	if (result != 0 || !norn_enter(me))
		return result;
	uint32_t number = norn_thread_number(thread);
	if (number)
		write_name(number - 1, name);
	norn_leave(me);
	return result;
}
