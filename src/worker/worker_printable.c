// What a stranger's program prints, made fit for a terminal; see worker.h.
#include "worker.h"

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
