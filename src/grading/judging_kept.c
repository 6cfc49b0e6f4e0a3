// judging_kept: see judging_kept.h.
#include "judging_kept.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "input_file.h"
#include "judging_arguments.h"
#include "worker.h"

// Whether the words from `at` to `end` have this one.
static bool has_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (; at + length <= end; at++) {
        bool begins = !isalnum((unsigned char)at[-1]) && at[-1] != '_';
        bool ends = !isalnum((unsigned char)at[length]) && at[length] != '_';
        if (begins && ends && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

// Whether what stands before a ; = or [ defines a variable that outlives a call.
static bool is_kept(const char *at, const char *end, bool is_outside)
{
    static const char *const others[] = {"const", "typedef", "extern", "return", "enum"};
    bool has_two = false;
    for (const char *blank = at; blank < end; blank++)
        has_two = has_two || (isspace((unsigned char)*blank) && isalpha((unsigned char)blank[1]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has_word(at, end, others[i]))
            return false;
    return has_two && isalpha((unsigned char)*at) && (is_outside || has_word(at, end, "static"));
}

// "5: static float root": the line, and its words with one blank between them.
static void write_kept(const char *text, const char *at, const char *end,
                       char kept[JUDGING_KEPT_MAX])
{
    int line = 1;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    for (const char *before = text; before < at; before++)
        line += *before == '\n';
    size_t used = (size_t)snprintf(kept, JUDGING_KEPT_MAX, "%d: ", line);
    for (; at < end && used + 1 < JUDGING_KEPT_MAX; at++) {
        bool is_blank = isspace((unsigned char)*at);
        if (!is_blank || !isspace((unsigned char)at[-1]))
            kept[used++] = is_blank ? ' ' : *at;
    }
    kept[used] = '\0';
}

// `text` begins with a blank that is not the file's, so that every word has something before it. Of each piece
// between ; { and } what stands before its first = [ or ( says what it is.
static bool find_kept(const char *text, char kept[JUDGING_KEPT_MAX])
{
    int depth = 0;
    for (const char *start = text; *start;) {
        start += strspn(start, " \t\r\n");
        const char *at = start + strcspn(start, ";=[({}");
        if (*at && strchr(";=[", *at) && is_kept(start, at, depth == 0)) {
            write_kept(text, start, at, kept);
            return true;
        }
        at += strcspn(at, ";{}");
        depth += (*at == '{') - (*at == '}');
        start = at + (*at != '\0');
    }
    return false;
}

bool judging_kept(const char *source, char kept[JUDGING_KEPT_MAX])
{
    size_t room = strlen(source) + 2;
    char *text = malloc(room);
    if (text)
        snprintf(text, room, " %s", source);
    bool found = text && judging_keep_code(text + 1) && find_kept(text, kept);
    free(text);
    return found;
}

bool judging_kept_of(const Workspace *workspace, int number, char kept[JUDGING_KEPT_MAX])
{
    enum { SOURCE_MAX = 1 << 20 };
    Error err;
    Arena arena = {0};
    char found[JUDGING_KEPT_MAX];
    const char *path = workspace_path(workspace, number, &arena, &err);
    const char *source = path ? input_file_text(path, SOURCE_MAX, &arena, &err) : NULL;
    bool is_found = source && judging_kept(source, found);
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (is_found) {
        snprintf(kept, JUDGING_KEPT_MAX, "%.60s:%.90s", slash ? slash + 1 : path, found);
        worker_words_printable(kept);
    }
    arena_finish(&arena);
    return is_found;
}
