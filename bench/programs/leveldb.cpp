/* DIRECTORY: a database in it, which three threads write to and read from. */
#include "leveldb/db.h"

#include <string>
#include <thread>
#include <vector>

static void use(leveldb::DB *db, int number)
{
	std::string value;

	for (int i = 0; i < 400; i++) {
		std::string key = "key" + std::to_string((i * 7 + number) % 211);

		db->Put(leveldb::WriteOptions(), key, std::string(100 + i % 50, 'a' + number));
		db->Get(leveldb::ReadOptions(), key, &value);
		if (i % 10 == 9)
			db->Delete(leveldb::WriteOptions(), key);
	}
}

int main(int argc, char **argv)
{
	leveldb::DB *db;
	leveldb::Options options;
	std::vector<std::thread> threads;

	options.create_if_missing = true;
	options.write_buffer_size = 64 << 10; /* so that it is written out, and merged, meanwhile */
	if (argc != 2 || !leveldb::DB::Open(options, argv[1], &db).ok())
		return 2;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(use, db, i);
	for (std::thread &thread : threads)
		thread.join();
	delete db;
	return 0;
}
