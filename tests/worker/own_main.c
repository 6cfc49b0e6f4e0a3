// Brings a main along.
#include "score.c"

int main(void)
{
    return 0;
}
