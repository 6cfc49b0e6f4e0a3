// stage_code: finding code in the table that list_code.c wrote; see stage_code.h.
#include "stage_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const StageCode *stage_code(const char *stage)
{
    for (int i = 0; i < stage_code_count; i++)
        if (strcmp(stage_codes[i].stage, stage) == 0)
            return &stage_codes[i];
    return NULL;
}

int stage_code_function(const StageCode *code, const char *name)
{
    size_t length = strlen(name);
    for (int line = 0; line < code->count; line++) {
        const char *text = code->lines[line];
        const char *open =
            strncmp(text, "static ", strlen("static ")) == 0 ? strchr(text, '(') : NULL;
        bool is_it = open && (size_t)(open - text) > length &&
                     strncmp(open - length, name, length) == 0 &&
                     strchr(" *", open[-(ptrdiff_t)length - 1]) != NULL;
        if (is_it)
            return line;
    }
    return -1;
}

int stage_code_line(const StageCode *code, const char *piece, int from)
{
    for (int i = 0; i < code->count; i++) {
        int line = (from + i) % code->count;
        if (strstr(code->lines[line], piece))
            return line;
    }
    return -1;
}
