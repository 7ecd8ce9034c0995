# SPDX-License-Identifier: MIT
# A random program of two threads, whose outcome shows in what it prints: awk -v seed=N -f random.awk
function any(n) { return int(rand() * n) }
function variable() { return substr("xyz", 1 + any(3), 1) }
function change()
{
	if (any(2))
		return "atomic_store(&" variable() ", " any(3) ");"
	return "atomic_fetch_add(&" variable() ", 1);"
}
function step(kind)
{
	kind = any(waits ? 11 : 10)
	if (kind == 0)
		return change()
	if (kind == 1)
		return "if (atomic_load(&" variable() ") == " any(3) ") { " change() " }"
	if (kind == 2)
		return "pthread_mutex_lock(&m); if (p == " any(2) ") p += " 1 + any(2) "; pthread_mutex_unlock(&m);"
	if (kind == 3)
		return "if (!pthread_mutex_trylock(&m)) { p++; pthread_mutex_unlock(&m); } else { " change() " }"
	if (kind == 4)
		return "if (!sem_trywait(&s)) { p++; } else { " change() " }"
	if (kind == 7)
		return "if (rand() % 3 == " any(3) ") { " change() " }"
	if (kind == 8)
		return "if (pthread_mutex_destroy(&d)) { " change() " }"
	if (kind == 9)
		return "pthread_mutex_lock(&d); " change() " pthread_mutex_unlock(&d);"
	if (kind == 10)
		return "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);"
	if (kind == 5)
		return "sem_post(&s);"
	return "assert(atomic_load(&" variable() ") < 4);"
}
function steps(n, text)
{
	for (n = 1 + any(2); n > 0; n--)
		text = text "\t" step() "\n"
	return text
}
function show(name, value, text)
{
	for (value = 0; value < 4; value++)
		text = text (value ? "\telse " : "\t") "if (" name " == " value ") puts(\"" name value "\");\n"
	return text
}
BEGIN {
	srand(seed)
	print "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <semaphore.h>\n#include <stdlib.h>"
	print "static atomic_int x, y, z;\nstatic int p;\nstatic pthread_t t;\nstatic sem_t s;\nstatic int ready;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;"
	print "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;"
	waits = 1
	print "static void *other(void *unused)\n{\n" steps() "\treturn unused;\n}"
	waits = 0
	wakes = any(2) ? "signal" : "broadcast"
	print "int main(void)\n{\n\tsem_init(&s, 0, " any(2) ");\n\tpthread_create(&t, 0, other, 0);\n" steps() "\tpthread_mutex_lock(&m);\n\tready = 1;\n\tpthread_cond_" wakes "(&c);\n\tpthread_mutex_unlock(&m);\n\tpthread_join(t, 0);"
	print show("x") show("y") show("z") show("p") "\treturn 0;\n}"
}
