/* What is in another object of the program, module_…, and in a library, library_…, both with hooks.
 */
#ifdef __cplusplus
extern "C" {
#endif

#define MODULE(name)                            \
	int name##_twice(int n);                \
	int name##_apply(int (*f)(int), int n); \
	void name##_put(int *to, int n);        \
	int name##_get(const int *from);

MODULE(module)
MODULE(library)

#ifdef __cplusplus
}
#endif
