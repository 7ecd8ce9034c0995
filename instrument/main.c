/* SPDX-License-Identifier: MIT */
/* norn-instrument IN.bc -o OUT.bc: puts the hooks of runtime/hooks.h into a module. */
#include "base/err.h"
#include "base/output.h"
#include "instrument/aligned.h"
#include "instrument/attributes.h"
#include "instrument/ignored.h"
#include "instrument/mark.h"
#include "instrument/module.h"
#include "instrument/openmp.h"
#include "instrument/scan.h"
#include "instrument/weave.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>

#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: norn-instrument [--stat] [--no-stacks] [--marked] [--events FILE]... IN.bc -o "
	"OUT.bc\n"
	"       norn-instrument --mark [--marked] [--events FILE]... IN.bc -o OUT.bc\n"
	"       norn-instrument --orders FILE\n"
	"\n"
	"Inserts Norn's hooks into a module of LLVM 14 (bitcode or assembly). norn cc calls it.\n"
	"\n"
	"  -o OUT.bc      write the result to OUT.bc\n"
	"  --events FILE  read what functions do; norn-events(5)\n"
	"  --atomic NAME  the body of this function is an atomic region\n"
	"  --ignore FILE  with --mark: the functions on this list get no hooks\n"
	"  --models FILE  the same for Norn's own files; a user's file overrides them\n"
	"  --mark         only prepare the module, so that the optimiser adds no reads, and put\n"
	"                 in the events of the user's files\n"
	"  --marked       hook only functions with the attribute sanitize_thread; with --mark,\n"
	"                 they have it already\n"
	"  --orders       exit with 1 if the code of an ELF file may order threads, because it "
	"has\n"
	"                 atomic instructions or system calls, and with 0 if not; norn record\n"
	"                 uses this\n"
	"  --no-stacks    no hooks for the stacks of events: make bench measures what they cost\n"
	"  --stat         print what was hooked, skipped and left alone to standard error\n"
	"  --help         print this help\n";

struct options {
	const char *in, *out;
	bool stat, no_stacks, mark, marked, help, orders;
	struct ignore ignore;
};

static int parse(int argc, char **argv, struct options *options, struct events *events,
		 struct err *err)
{
	for (int i = 1; i < argc; i++) {
		bool models = !strcmp(argv[i], "--models");
		if (!strcmp(argv[i], "--help")) {
			options->help = true;
		} else if (!strcmp(argv[i], "--orders")) {
			options->orders = true;
		} else if (!strcmp(argv[i], "--stat")) {
			options->stat = true;
		} else if (!strcmp(argv[i], "--no-stacks")) {
			options->no_stacks = true;
		} else if (!strcmp(argv[i], "--mark")) {
			options->mark = true;
		} else if (!strcmp(argv[i], "--marked")) {
			options->marked = true;
		} else if (!strcmp(argv[i], "-o") && i + 1 < argc) {
			options->out = argv[++i];
		} else if ((models || !strcmp(argv[i], "--events")) && i + 1 < argc) {
			if (events_load(events, argv[++i], models, err) < 0)
				return err->code;
		} else if (!strcmp(argv[i], "--atomic") && i + 1 < argc) {
			if (events_add_atomic(events, argv[++i], err) < 0)
				return err->code;
		} else if (!strcmp(argv[i], "--ignore") && i + 1 < argc) {
			if (ignore_load(&options->ignore, argv[++i], err) < 0)
				return err->code;
		} else if (argv[i][0] == '-') {
			return err_set(err, ERR_USAGE,
				       "%s: no such option, or its value is missing", argv[i]);
		} else if (options->in) {
			return err_set(err, ERR_USAGE, "%s: only one module at a time", argv[i]);
		} else {
			options->in = argv[i];
		}
	}
	if (options->help)
		return 0;
	if (options->orders && options->in)
		return 0;
	if (!options->in || !options->out)
		return err_set(err, ERR_USAGE, "give a module and -o OUT.bc");
	return 0;
}

static void keep_message(LLVMDiagnosticInfoRef info, void *message)
{
	char *text = LLVMGetDiagInfoDescription(info);
	snprintf(message, 400, "%s", text);
	LLVMDisposeMessage(text);
}

static int read_module(LLVMContextRef context, const char *path, LLVMModuleRef *module,
		       struct err *err)
{
	LLVMMemoryBufferRef buffer;
	char *message = NULL, diagnosis[400] = "";
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
		err_set(err, ERR_SYSTEM, "%s: %s", path, message);
		LLVMDisposeMessage(message);
		return err->code;
	}
	LLVMContextSetDiagnosticHandler(context, keep_message, diagnosis);
	/* Takes the buffer, whatever comes of it. */
	bool failed = LLVMParseIRInContext(context, buffer, module, &message);
	LLVMContextSetDiagnosticHandler(context, NULL, NULL);
	if (!failed)
		return 0;
	err_set(err, ERR_INPUT, "%s: not a module of LLVM 14 (clang-14 -emit-llvm): %s", path,
		*diagnosis ? diagnosis : message);
	LLVMDisposeMessage(message);
	return err->code;
}

static int write_module(LLVMModuleRef module, const char *path, struct err *err)
{
	struct output *out = output_open(path, OUTPUT_REPLACE, err);
	if (!out)
		return err->code;
	LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module);
	output_bytes(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
	LLVMDisposeMemoryBuffer(buffer);
	return output_close(out, err);
}

static void print_counts(const struct module *module)
{
#define COUNT_ROW(name, text) fprintf(stderr, "%8lu  %s\n", module->counts.name, text);
	MODULE_COUNTS(COUNT_ROW)
#undef COUNT_ROW
}

/* For the optimiser: nothing is read that the source does not read. */
static void make_ready(LLVMModuleRef llvm, bool marked)
{
	if (!marked)
		mark_functions(llvm);
	aligned_raise(llvm);
}

static int work(LLVMContextRef context, const struct options *options, struct events *events,
		struct err *err)
{
	LLVMModuleRef llvm;
	struct module module = {.events = *events, .no_stacks = options->no_stacks};
	int result = read_module(context, options->in, &llvm, err);
	if (result)
		return result;
	/* In the first step, which may be the only one: the optimiser knows no simd any more. */
	if (options->mark || !options->marked) {
		openmp_tell_left_out(llvm);
		openmp_name_regions(llvm);
	}
	bool marked = options->marked;
	if (options->mark && options->ignore.lines.n) {
		if (!marked)
			mark_functions(llvm);
		ignored_unmark(llvm, &options->ignore);
		marked = true;
	}
	result = weave_module(llvm, events, marked, err);
	if (!result && options->mark)
		make_ready(llvm, marked);
	else if (options->marked)
		attributes_exempt(llvm);
	if (!result && !options->mark)
		result = module_instrument(&module, llvm, err);
	if (!result)
		result = write_module(llvm, options->out, err);
	if (!result && options->stat)
		print_counts(&module);
	module_release(&module);
	LLVMDisposeModule(llvm);
	return result;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	struct err err = {0};
	struct events events = {0};
	int result = parse(argc, argv, &options, &events, &err);
	if (!result && options.help) {
		fputs(usage, stdout);
		return 0;
	}
	if (!result && options.orders) {
		result = scan_orders(options.in, &err);
		if (result >= 0)
			return result;
	}
	LLVMContextRef context = LLVMContextCreate();
	if (!result)
		result = work(context, &options, &events, &err);
	LLVMContextDispose(context);
	ignore_release(&options.ignore);
	if (!result)
		return 0;
	fprintf(stderr, "norn-instrument: %s%s%s\n", result == ERR_INTERNAL ? options.in : "",
		result == ERR_INTERNAL ? ": " : "", err.message);
	if (result == ERR_USAGE)
		fputs("norn-instrument: see norn-instrument --help\n", stderr);
	return err_exit_status(result);
}
