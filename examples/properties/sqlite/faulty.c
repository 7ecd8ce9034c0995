/*
 * One thread runs a statement of SQLite, and another one gives it back. Nothing makes the second
 * wait for the first: it may give the statement back before it was run.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

static sqlite3 *db;
static sqlite3_stmt *statement;
static int rows;

static void *reader(void *unused)
{
	sqlite3_bind_int(statement, 1, 20);
	if (sqlite3_step(statement) == SQLITE_ROW)
		rows += sqlite3_column_int(statement, 0);
	sqlite3_reset(statement);
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (sqlite3_open(":memory:", &db) ||
	    sqlite3_prepare_v2(db, "SELECT 1 + ?", -1, &statement, NULL))
		return 1;
	pthread_create(&thread, NULL, reader, NULL);
	usleep(50000);
	sqlite3_finalize(statement); /* it may be in use */
	pthread_join(thread, NULL);
	sqlite3_close(db);
	printf("%d\n", rows);
	return 0;
}
