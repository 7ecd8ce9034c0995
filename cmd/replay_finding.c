/* SPDX-License-Identifier: MIT */
#include "cmd/replay_finding.h"

#include "base/digest.h"
#include "cmd/cmd.h"
#include "report/read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const char *a, size_t length, const char *b, const char *c, const char *d)
{
	size_t room = length + strlen(b) + strlen(c) + strlen(d) + 1;
	char *text = mem_alloc(room);

	snprintf(text, room, "%.*s%s%s%s", (int)length, a, b, c, d);
	return text;
}

/* As it was named, which may be from another directory; or in the directory of the report. */
static char *find_trace(const char *report, const char *trace)
{
	const char *name = strrchr(trace, '/'), *end = strrchr(report, '/');
	size_t length = end ? (size_t)(end - report) + 1 : 0;
	char *beside;

	if (cmd_is_file(trace))
		return text_of(trace, strlen(trace), "", "", "");
	beside = text_of(report, length, name ? name + 1 : trace, "", "");
	if (cmd_is_file(beside))
		return beside;
	mem_free(beside);
	return NULL;
}

static int check_digest(const struct reported *r, const char *trace, const char *report,
			struct err *err)
{
	char digest[DIGEST_TEXT];

	if (!r->digest)
		return 0;
	if (digest_file(trace, digest, err) < 0)
		return err->code;
	if (strcmp(digest, r->digest) != 0)
		return err_set(err, ERR_INPUT,
			       "%s is not the trace of %s: predict again, or name the right "
			       "trace with --trace",
			       trace, report);
	return 0;
}

static int spell_reported(struct reported *r, const char *trace, struct err *err)
{
	struct reader *reader = reader_open(trace, NULL, err);
	int code = reader ? reported_spell(r, reader, err) : err->code;

	reader_close(reader);
	return code;
}

static int read_reported(struct asked_finding *f, const char *report, const char *number,
			 const char *trace, struct err *err)
{
	struct reported r;
	int code = reported_read(&r, report, strtoull(number, NULL, 10), err);

	if (!code)
		f->trace = find_trace(report, trace ? trace : r.trace);
	if (!code && !f->trace)
		code = err_set(err, ERR_INPUT,
			       "%s, the trace of %s, does not exist: name the trace with --trace",
			       trace ? trace : r.trace, report);
	if (!code)
		code = check_digest(&r, f->trace, report, err);
	if (!code)
		code = spell_reported(&r, f->trace, err);
	f->name = text_of(report, strlen(report), "#", number, "");
	witness_copy(&f->witness, &r.witness);
	reported_release(&r);
	return code;
}

static int read_numbered(struct asked_finding *f, const char *finding, const char *mark,
			 const char *trace, struct err *err)
{
	char *file = text_of(finding, (size_t)(mark - finding), "", "", "");
	const char *number = mark + 1;
	int code = 0;

	if (!isdigit((unsigned char)*number) || number[strspn(number, "0123456789")]) {
		code = err_set(err, ERR_USAGE, "%s: # needs a number after it", finding);
	} else if (report_is_json(file)) {
		code = read_reported(f, file, number, trace, err);
	} else if (trace) {
		code = err_set(err, ERR_USAGE, "%s: --trace needs a report", finding);
	} else {
		f->trace = text_of(file, strlen(file), "", "", "");
		f->name = text_of(file, strlen(file), ".", number, ".witness");
		code = witness_read_file(&f->witness, f->name, err);
	}
	mem_free(file);
	return code;
}

int asked_finding_read(struct asked_finding *f, const char *finding, const char *witness,
		       const char *trace, struct err *err)
{
	const char *mark = strrchr(finding, '#');

	*f = (struct asked_finding){0};
	if (mark && witness)
		return err_set(err, ERR_USAGE, "use either %s or --witness", finding);
	if (mark)
		return read_numbered(f, finding, mark, trace, err);
	if (!witness)
		return err_set(err, ERR_USAGE,
			       "no finding: use %s#1 for the first finding of norn run or of a "
			       "report, or --witness FILE",
			       finding);
	if (trace)
		return err_set(err, ERR_USAGE, "%s: --trace needs a report", finding);
	f->trace = text_of(finding, strlen(finding), "", "", "");
	f->name = text_of(witness, strlen(witness), "", "", "");
	return witness_read_file(&f->witness, witness, err);
}

int asked_recorded_read(struct asked_finding *f, const char *trace)
{
	*f = (struct asked_finding){.trace = text_of(trace, strlen(trace), "", "", "")};
	return 0;
}

void asked_finding_release(struct asked_finding *f)
{
	mem_free(f->trace);
	mem_free(f->name);
	witness_release(&f->witness);
}
