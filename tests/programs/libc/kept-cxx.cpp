/*
 * What the library of C++ keeps for the process: one thread writes data, then sets a handler, a resource, a
 * locale or a number; the other asks for it, and then reads the data. That is right. The twin is touched on both sides of it, and
 * races.
 *
 * expect: race @before @behind
 */
#include <clocale>
#include <cstdlib>
#include <exception>
#include <ios>
#include <locale>
#include <memory_resource>
#include <new>
#include <sstream>

#include "ways.h"

static int last;

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static void handles(void)
{
	std::abort();
}

WAY(new_handler, , std::set_new_handler(handles), POLL(std::get_new_handler() != handles))
WAY(terminate, , std::set_terminate(handles), POLL(std::get_terminate() != handles))
WAY(resource, , std::pmr::set_default_resource(std::pmr::null_memory_resource()),
    POLL(std::pmr::get_default_resource() != std::pmr::null_memory_resource()))

/* Whether it is this thread that has drawn the last number, too. */
static bool is_next(void)
{
	int number = std::ios_base::xalloc();
	return number == ++last;
}

WAY(word, last = std::ios_base::xalloc(), std::ios_base::xalloc(), POLL(is_next()))

static std::locale made(const char *name)
{
	return std::locale(std::locale::classic(), new std::ctype<char>).combine<std::ctype<char>>(std::locale(name));
}

static bool is_made(void)
{
	return std::locale() != std::locale::classic();
}

WAY(locale, , std::locale::global(made("C")), POLL(!is_made()))
WAY(named, , std::locale::global(std::locale::classic()), POLL(std::locale().name() != "C"))
WAY(stream, , std::locale::global(made("C")), POLL(std::ostringstream().getloc() == std::locale::classic()))
WAY(given_back, , std::locale::global(std::locale::classic()),
    POLL(std::locale::global(std::locale()) != std::locale::classic()))
WAY(characters, , setlocale(LC_ALL, "C.UTF-8"), POLL(MB_CUR_MAX == 1))

int main(void)
{
	RUN(new_handler);
	RUN(terminate);
	RUN(resource);
	RUN(word);
	RUN(locale);
	RUN(named);
	RUN(stream);
	RUN(given_back);
	RUN(characters);
	return seen == 0;
}
