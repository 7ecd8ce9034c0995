/* Recursion: each activation has positions of its own. */
#include <stdio.h>

static int board[12], solutions, calls;

static int ackermann(int m, int n)
{
	calls++;
	return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int fits(int row, int column)
{
	for (int i = 0; i < row; i++)
		if (board[i] == column || board[i] - column == row - i ||
		    column - board[i] == row - i)
			return 0;
	return 1;
}

static void place(int row, int n)
{
	if (row == n) {
		solutions++;
		return;
	}
	for (int column = 0; column < n; column++) {
		int old = board[row];
		if (fits(row, column)) {
			board[row] = column;
			place(row + 1, n);
			board[row] = old;
		}
	}
}

int main(void)
{
	place(0, 6);
	int a = ackermann(2, 5);
	printf("%d %d %d\n", solutions, a, calls);
	return 0;
}
