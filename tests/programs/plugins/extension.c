/*
 * A module of Python. racy lets go of the interpreter's lock and then changes what other threads change
 * too; under_mutex does so under a mutex of its own, and under_gil before it lets go.
 */
#include <Python.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, guarded, under;

static PyObject *racy(PyObject *self, PyObject *arguments)
{
	(void)self, (void)arguments;
	Py_BEGIN_ALLOW_THREADS
	usleep(20000);
	counter++; /* @racy */
	usleep(50000);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyObject *under_mutex(PyObject *self, PyObject *arguments)
{
	(void)self, (void)arguments;
	Py_BEGIN_ALLOW_THREADS
	usleep(20000);
	pthread_mutex_lock(&lock);
	guarded++;
	pthread_mutex_unlock(&lock);
	usleep(50000);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyObject *under_gil(PyObject *self, PyObject *arguments)
{
	(void)self, (void)arguments;
	under++;
	Py_BEGIN_ALLOW_THREADS
	usleep(50000);
	Py_END_ALLOW_THREADS
	return PyLong_FromLong(++under);
}

static PyMethodDef methods[] = {{"racy", racy, METH_NOARGS, NULL},
				{"under_mutex", under_mutex, METH_NOARGS, NULL},
				{"under_gil", under_gil, METH_NOARGS, NULL},
				{NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, .m_name = "extension", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_extension(void)
{
	return PyModule_Create(&module);
}
