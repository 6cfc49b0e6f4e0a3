// What a stranger's program prints, made fit for a terminal; see worker.h.
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shown_name.h"
#include "utf8.h"

void worker_words_printable(char *text)
{
    uint32_t character;
    for (size_t length = utf8_next(text, &character); length > 0;
         length = utf8_next(text, &character)) {
        bool is_broken = length == 1 && character == 0xFFFD;
        bool is_control = character_steers(character) && character != '\n' && character != '\t';
        if (is_broken || is_control)
            memset(text, '?', length);
        text += length;
    }
}

bool worker_words_shorten_lines(char *text)
{
    enum { LINE_COLUMNS = 320 };
    size_t length = strlen(text), used = 0;
    char *all = malloc(2 * length + 1), *shorter = malloc(length + 4);
    bool good = all && shorter;
    for (char *line = text, *end; good && *line; line = end) {
        end = line + strcspn(line, "\n");
        char behind = *end;
        *end = '\0';
        utf8_shorten(line, LINE_COLUMNS, shorter);
        used += (size_t)sprintf(all + used, "%s", shorter);
        *end = behind;
        if (behind)
            all[used++] = *end++;
    }
    if (good)
        snprintf(text, length + 1, "%.*s", (int)used, all);
    free(all);
    free(shorter);
    return good;
}
