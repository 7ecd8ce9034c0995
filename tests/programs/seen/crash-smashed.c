/*
 * The stack is overwritten, with addresses that cannot be followed; it ends by the signal that it has
 * without Norn.
 *
 * expect: seen-crash @smash
 * status: 134
 * flags: -fstack-protector-all
 */
static volatile int last;

__attribute__((noinline)) static void smash(const char *text)
{
	volatile char place[8]; for (int i = 0; text[i]; i++) place[i] = text[last = i]; } /* @smash */

int main(void)
{
	smash("A text that is so long that it goes over all that stands on the stack behind its place.");
	return 0;
}
