/* SPDX-License-Identifier: MIT */
/*
 * What is written to std::cout, cerr and clog leaves the program, as what is printed does. Any
 * other stream is memory of the program, or calls it back: code without hooks.
 */
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/unseen.h"

extern char _ZSt4cout[] NORN_IF_THERE, _ZSt4cerr[] NORN_IF_THERE, _ZSt4clog[] NORN_IF_THERE;
/* what their buffers are, as long as nobody gave them others: of stdio's streams */
extern const void *_ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE[] NORN_IF_THERE;

struct buffer {
	const void *const *methods;
	char other[56];
	FILE *file;
};

/* As std::basic_ios<char> has it, at the end of a stream. */
struct ios {
	const void *methods;
	int64_t precision, width;
	char other[208];
	const struct buffer *buffer;
};

static const struct ios *ios_of(const char *stream)
{
	const int64_t *methods = *(const int64_t *const *)stream;
	return (const struct ios *)(stream + methods[-3]);
}

/* Where it leads, NULL if that is not known. A width goes back to 0, which somebody may see. */
static FILE *file_of(const char *stream)
{
	if (stream != _ZSt4cout && stream != _ZSt4cerr && stream != _ZSt4clog)
		return NULL;
	const struct ios *ios = ios_of(stream);
	return !ios->width && ios->buffer &&
			       ios->buffer->methods ==
				       _ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE + 2
		       ? ios->buffer->file
		       : NULL;
}

struct call {
	struct norn_channel *channel;
	uint32_t unseen;
	bool leaves;
};

static struct call begin(const void *pc, const void *stream, const void *function, const void *what)
{
	FILE *f = file_of(stream);
	struct call call = {.leaves = f != NULL};
	if (f) {
		call.channel = norn_announce_file(f);
		norn_long_call();
		return call;
	}
	norn_depend_on_all();
	uint64_t given[] = {(uintptr_t)stream, (uintptr_t)what};
	call.unseen = norn_call_from(pc, function, given, what ? 2 : 1);
	return call;
}

static void *end(const void *pc, const struct call *call, void *stream)
{
	if (call->leaves)
		norn_announced(call->channel);
	else
		norn_called_from(pc, call->unseen);
	return stream;
}

#define AROUND(function, what, ...)                                                             \
	do {                                                                                    \
		struct call call_ = begin(NORN_CALLER, stream, (const void *)(function), what); \
		(function)(stream, ##__VA_ARGS__);                                              \
		return end(NORN_CALLER, &call_, stream);                                        \
	} while (0)

#define NUMBER(name, type)                        \
	void *__norn_##name(void *stream, type n) \
	{                                         \
		AROUND(name, NULL, n);            \
	}
#define INTEGER(name) NUMBER(name, long)
#define DOUBLE(name) NUMBER(name, double)
#define FLOAT(name) NUMBER(name, float)
NORN_STREAM_INTEGERS(INTEGER)
NORN_STREAM_DOUBLES(DOUBLE)
NORN_STREAM_FLOATS(FLOAT)

static void *plainly(const void *pc, void *stream, void *(*function)(void *))
{
	struct call call = begin(pc, stream, (const void *)function, NULL);
	function(stream);
	return end(pc, &call, stream);
}

#define NOTHING(name)                                      \
	void *__norn_##name(void *stream)                  \
	{                                                  \
		return plainly(NORN_CALLER, stream, name); \
	}
NORN_STREAM_NOTHING(NOTHING)

#define BYTES(name)                                              \
	void *__norn_##name(void *stream, const char *s, long n) \
	{                                                        \
		norn_see(NORN_CALLER, s, n > 0 ? (size_t)n : 0); \
		AROUND(name, s, s, n);                           \
	}
NORN_STREAM_BYTES(BYTES)

void *__norn__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream, const char *s)
{
	if (s)
		norn_span(NORN_CALLER, s, SIZE_MAX, &norn_nul);
	AROUND(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, s, s);
}

/* std::string: where its characters are, and how many. */
struct norn_string {
	const char *at;
	size_t length;
};

void *
__norn__ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(
	void *stream, const struct norn_string *s)
{
	norn_see(NORN_CALLER, s, sizeof *s);
	norn_see(NORN_CALLER, s->at, s->length);
	AROUND(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE,
	       s, s);
}

/* A function that is called with the stream: of those in the library it is known what they do. */
void *__norn__ZNSolsEPFRSoS_E(void *stream, void *(*function)(void *))
{
	void *(*real)(void *, void *(*)(void *)) = _ZNSolsEPFRSoS_E;
#define KNOWN(name)                                          \
	if (function == (name) || function == __norn_##name) \
		return plainly(NORN_CALLER, stream, name);
	NORN_STREAM_NOTHING(KNOWN)
	uint64_t given[] = {(uintptr_t)stream};
	norn_depend_on_all();
	uint32_t call = norn_call_from(NORN_CALLER, (const void *)real, given, 1);
	real(stream, function);
	norn_called_from(NORN_CALLER, call);
	return stream;
}
