// stage_code: finds code in the table that list_code.c wrote; see stage_code.h.
#include "stage_code.h"

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

// --- blocks, as their indents tell them

static int indent_of(const StageCode *code, int line)
{
    return (int)strspn(code->lines[line], " ");
}

// Empty lines and comments neither open nor end a block.
static bool is_code(const StageCode *code, int line)
{
    const char *text = code->lines[line] + indent_of(code, line);
    return *text != '\0' && strncmp(text, "//", 2) != 0;
}

int stage_code_around(const StageCode *code, int line)
{
    int inner = indent_of(code, line);
    for (int at = line - 1; at >= 0 && inner > 0; at--) {
        if (!is_code(code, at) || indent_of(code, at) >= inner)
            continue;
        if (code->lines[at][0] != '{')
            return at;
        // The function's header is above its
        // brace; its further lines are
        // indented more.
        inner = 1;
    }
    return -1;
}

static int last_of_block(const StageCode *code, int opening)
{
    int last = opening, outer = indent_of(code, opening);
    for (int at = opening + 1; at < code->count; at++) {
        int indent = indent_of(code, at);
        if (is_code(code, at) && indent <= outer)
            return indent == outer && code->lines[at][outer] == '}' ? at : last;
        if (is_code(code, at))
            last = at;
    }
    return last;
}

bool stage_code_loop(const StageCode *code, int line, int *first, int *last)
{
    for (int at = stage_code_around(code, line); at >= 0; at = stage_code_around(code, at))
        if (strncmp(code->lines[at] + indent_of(code, at), "for (", strlen("for (")) == 0) {
            *first = at;
            *last = last_of_block(code, at);
            return true;
        }
    return false;
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
