/*
 * A breakpoint that nobody waits for.
 *
 * expect: seen-crash @trap
 * status: 133
 */
int main(void)
{
	__builtin_debugtrap(); /* @trap */
	return 0;
}
