/*
 * What the library of C++ keeps for the process: one thread writes data, then sets a handler, a resource or a
 * number; the other asks for it, and then reads the data. That is right. The twin is touched on both sides of it, and
 * races.
 *
 * expect: race @before @behind
 */
#include <clocale>
#include <cstdlib>
#include <exception>
#include <ios>
#include <memory_resource>
#include <new>

#include "ways.h"

static int first;

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
WAY(word, first = std::ios_base::xalloc(), std::ios_base::xalloc(), POLL(std::ios_base::xalloc() < first + 2))
WAY(characters, , setlocale(LC_ALL, "C.UTF-8"), POLL(MB_CUR_MAX == 1))

int main(void)
{
	RUN(new_handler);
	RUN(terminate);
	RUN(resource);
	RUN(word);
	RUN(characters);
	return seen == 0;
}
