#include "counter.h"

#include <sstream>
#include <string>

int longest_word(const char *text)
{
	std::istringstream in(text);
	std::string word;
	int longest = 0;

	while (in >> word)
		if ((int)word.size() > longest)
			longest = (int)word.size();
	return longest;
}
