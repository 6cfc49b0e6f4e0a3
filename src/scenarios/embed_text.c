// embed_text: runs while the program is built. Writes a text file as a C array with a final NUL:
// embed_text FILE HEADER ARRAY > out.c
#include <stdio.h>
#include <stdlib.h>

int main(int argument_count, char **arguments)
{
    FILE *file = argument_count == 4 ? fopen(arguments[1], "rb") : NULL;
    if (!file)
        return EXIT_FAILURE;
    printf("#include \"%s\"\n\nconst char %s[] = {", arguments[2], arguments[3]);
    int column = 0;
    for (int byte; (byte = getc(file)) != EOF; column++)
        printf("%s'\\x%02x',", column % 16 == 0 ? "\n    " : " ", (unsigned)byte);
    printf("\n    '\\0'};\n");
    fclose(file);
    return EXIT_SUCCESS;
}
