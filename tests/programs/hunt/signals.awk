# SPDX-License-Identifier: MIT
# A random program of three threads that wait for signals, with time limits and without, try locks and semaphores,
# whose outcome shows in what it prints: awk -v seed=N -f signals.awk
function any(n) { return int(rand() * n) }
function section(what) { return "pthread_mutex_lock(&m); " what " pthread_mutex_unlock(&m);" }
function signals()
{
	return any(3) ? "pthread_cond_signal(&c);" : "pthread_cond_broadcast(&c);"
}
function waits(kind)
{
	kind = any(4)
	if (kind == 0)
		return section("pthread_cond_wait(&c, &m); r += 2;")
	if (kind == 1)
		return section("if (!ready) { pthread_cond_wait(&c, &m); r += 2; }")
	if (kind == 2)
		return section("r += pthread_cond_timedwait(&c, &m, &until) ? 3 : 2;")
	return section("while (!ready) { pthread_cond_wait(&c, &m); r += 2; }")
}
function other(kind)
{
	kind = any(5)
	if (kind == 0)
		return "if (!pthread_mutex_trylock(&m)) { r += 10; pthread_mutex_unlock(&m); }"
	if (kind == 1)
		return "if (!sem_" (any(2) ? "trywait(&s)" : "timedwait(&s, &until)") ") r += 10;"
	if (kind == 2)
		return "sem_post(&s);"
	if (kind == 3)
		return signals()
	return section(signals())
}
BEGIN {
	srand(seed)
	print "#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n#include <time.h>"
	print "static int ready;\nstatic sem_t s;\nstatic struct timespec until;"
	print "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
	both = any(2)
	print "static void *one(void *r0)\n{\n\tlong r = 0;\n\t" waits() "\n\treturn (void *)r;\n}"
	print "static void *two(void *r0)\n{\n\tlong r = 0;\n\t" (both ? waits() : other()) "\n\treturn (void *)r;\n}"
	print "int main(void)\n{\n\tpthread_t a, b;\n\tlong r = 0;\n\tvoid *ra, *rb;"
	print "\tclock_gettime(CLOCK_REALTIME, &until);\n\tuntil.tv_sec += 1000;\n\tsem_init(&s, 0, 0);"
	print "\tpthread_create(&a, 0, one, 0);\n\tpthread_create(&b, 0, two, 0);"
	print "\t" (any(2) ? section("ready = 1; " signals()) : both ? signals() : other()) (any(2) ? "\n\t" signals() : "")
	print "\tpthread_join(a, &ra);\n\tpthread_join(b, &rb);"
	print "\tprintf(\"%ld %ld %ld\\n\", r, (long)ra, (long)rb);\n\treturn 0;\n}"
}
