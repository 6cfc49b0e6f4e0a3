// What a stranger's program prints, made fit for a terminal; see worker.h.
#include "worker.h"

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
    enum { LINE_COLUMNS = 320, DOTS_BYTES = 3 };
    char *shorter = malloc(strlen(text) + DOTS_BYTES + 1), *put = text;
    bool good = shorter != NULL;
    for (char *line = text, *end; good && *line; line = end) {
        end = line + strcspn(line, "\n");
        char behind = *end;
        *end = '\0';
        // What is cut out is longer than the dots, so that lines only move towards the beginning.
        bool is_long = utf8_width(line) > LINE_COLUMNS + DOTS_BYTES;
        const char *kept = is_long ? shorter : line;
        if (is_long)
            utf8_shorten(line, LINE_COLUMNS, shorter);
        size_t length = strlen(kept);
        memmove(put, kept, length);
        put += length;
        if (behind) {
            *put++ = behind;
            end++;
        }
    }
    if (good)
        *put = '\0';
    free(shorter);
    return good;
}
