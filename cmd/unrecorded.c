/* SPDX-License-Identifier: MIT */
#include "cmd/unrecorded.h"

#include "base/err.h"
#include "cmd/cmd.h"

#include "record/run/program.h"

#include <string.h>

void say_unrecorded(const char *program, const struct launch_result *run)
{
	if (!program_has_runtime(program)) {
		const char *why = program_refuses_runtime(program);

		if (why)
			say("%s was not built by norn cc, and no library that was can be recorded "
			    "in it, "
			    "since %s; nothing was recorded; build it with:",
			    program, why);
		else
			say("%s was not built by norn cc, nor was any library that it has loaded, "
			    "so "
			    "nothing was recorded; build the program, or its libraries, with:",
			    program);
		say("    norn cc -g -o PROGRAM FILE.c…     or, for a project, CC=norn-cc "
		    "CXX=norn-c++ make");
		return;
	}
	if (run->signal)
		say("%s was ended by signal %d (%s) before the recording began", program,
		    run->signal, strsignal(run->signal));
	else
		say("%s ended with exit status %d before the recording began", program,
		    run->status);
	say("    either it could not be loaded (see its messages), or it could not open the "
	    "recording (check ulimit -n and -v, and its privileges)");
}
