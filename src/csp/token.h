/* SPDX-License-Identifier: MIT */
/* The words of a script, all at once; included files stand where they are included. */
#ifndef CSP_TOKEN_H
#define CSP_TOKEN_H

#include "csp/context.h"

/* clang-format off */
#define CSP_TOKENS(row) \
	row(END, "the end of the script") row(NAME, "a name") row(NUMBER, "a number") \
	row(CHAR, "a character") row(STRING, "a string") row(ASSERT, "assert") \
	row(CHANNEL, "channel") row(DATATYPE, "datatype") row(SUBTYPE, "subtype") \
	row(NAMETYPE, "nametype") row(TRANSPARENT, "transparent") \
	row(EXTERNAL, "external") row(PRINT, "print") row(INCLUDE, "include") \
	row(MODULE, "module") row(INSTANCE, "instance") row(EXPORTS, "exports") \
	row(ENDMODULE, "endmodule") row(TIMED, "Timed") row(LET, "let") \
	row(WITHIN, "within") row(IF, "if") row(THEN, "then") row(ELSE, "else") \
	row(NOT, "not") row(AND, "and") row(OR, "or") row(TRUE, "true") \
	row(FALSE, "false") row(WILD, "_") row(REFINES_T, "[T=") row(REFINES_F, "[F=") \
	row(REFINES_FD, "[FD=") row(REFINES_V, "[V=") row(REFINES_VD, "[VD=") \
	row(REFINES_R, "[R=") row(REFINES_RD, "[RD=") row(INTERLEAVE, "|||") row(INTERNAL, "|~|") \
	row(CLOSE_SYNC, "|]") row(THROW, "|>") row(PROJECT, "|\\") row(PARALLEL, "||") \
	row(CLOSE_ENUM, "|}") row(CLOSE_MAP, "|)") row(BAR, "|") \
	row(EXTERNAL_CHOICE, "[]") row(SLIDE, "[>") row(OPEN_SYNC, "[|") \
	row(OPEN_RENAME, "[[") row(OPEN_SYNC_CHOICE, "[+") row(OPEN_SQUARE, "[") \
	row(CLOSE_RENAME, "]]") row(CLOSE_SQUARE, "]") row(CLOSE_SYNC_CHOICE, "+]") \
	row(CLOSE_SYNC_INTERRUPT, "+\\") row(OPEN_SYNC_INTERRUPT, "/+") \
	row(INTERRUPT, "/\\") row(LAMBDA, "\\") row(OPEN_ENUM, "{|") row(OPEN_SET, "{") \
	row(CLOSE_SET, "}") row(OPEN_MAP, "(|") row(OPEN, "(") row(CLOSE, ")") \
	row(ARROW, "->") row(TIE, "<->") row(FROM, "<-") row(EMPTY, "<>") \
	row(LESS_EQUAL, "<=") row(LESS, "<") row(GREATER_EQUAL, ">=") row(GREATER, ">") \
	row(EQUAL, "==") row(NOT_EQUAL, "!=") row(YIELDS, "=>") row(IS, "=") \
	row(BANG, "!") row(QUERY, "?") row(DOLLAR, "$") row(SEMICOLON, ";") \
	row(GUARD, "&") row(AT_AT, "@@") row(AT, "@") row(COMMA, ",") row(DOTS, "..") \
	row(DOT, ".") row(OF_TYPE, " :: ") row(SCOPE, "::") row(COLON, ":") \
	row(PLUS, "+") row(MINUS, "-") row(TIMES, "*") row(DIVIDE, "/") \
	row(MODULO, "%") row(CONCAT, "^") row(LENGTH, "#")
/* clang-format on */

enum csp_token_kind {
#define CSP_TOKEN_ROW(name, text) T_##name,
	CSP_TOKENS(CSP_TOKEN_ROW)
#undef CSP_TOKEN_ROW
		T_COUNT
};

extern const char *const csp_token_text[T_COUNT];

struct csp_token {
	enum csp_token_kind kind;
	bool first; /* on its line */
	struct csp_pos pos;
	int64_t number;		/* NUMBER, CHAR */
	uint32_t name;		/* NAME; STRING: its bytes as a name */
	const char *from, *end; /* in the text */
};

struct csp_tokens {
	struct csp_token *at; /* the last is END */
	size_t n;
};

/* The words of csp->files.at[file]; path: where to look for included files, or NULL. */
struct csp_tokens csp_tokens(struct csp *csp, uint32_t file, const char *path);

/* A new entry of csp->files, which owns the text. */
uint32_t csp_add_file(struct csp *csp, const char *name, char *text, size_t size);
/* The text of a file, as a new entry of csp->files. */
uint32_t csp_load(struct csp *csp, const char *path, struct csp_pos pos);

#endif
