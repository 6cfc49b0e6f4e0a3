// attnscope --version, until the commands arrive.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--version") == 0) {
        printf("attnscope " ATTNSCOPE_VERSION "\n");
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: attnscope --version\n");
    return 2;
}
