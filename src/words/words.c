// words: see words.h.
#include "words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "josa.h"

const char *words_tell(Words words)
{
    return words.in[language_now()];
}

static WordsCommand *language_to_say;

void words_ask_commands(WordsCommand *asked)
{
    language_to_say = asked;
}

void words_settle(char *text, size_t room)
{
    static const char program[] = "attnscope ", option[] = "--lang ";
    josa_settle(text);
    for (char *at = text; language_to_say && (at = strstr(at, program)) != NULL;) {
        at += strlen(program);
        const char *language = language_to_say(at, strspn(at, "abcdefghijklmnopqrstuvwxyz"));
        size_t longer = language ? strlen(option) + strlen(language) + 1 : 0;
        if (!language || strlen(text) + longer >= room)
            continue;
        memmove(at + longer, at, strlen(at) + 1);
        memcpy(at, option, strlen(option));
        memcpy(at + strlen(option), language, strlen(language));
        at[longer - 1] = ' ';
    }
}

// A letter that was cut in two goes.
static void end_whole(char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    unsigned char first = start > 0 ? (unsigned char)text[start - 1] : 0;
    size_t wants = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (start > 0 && wants > 1 && length - start + 1 < wants)
        text[start - 1] = '\0';
}

char *words_format(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && room > 0 && (size_t)length >= room)
        end_whole(text, room - 1);
    words_settle(text, room);
    return text;
}

// What most texts fit into, so that they need no memory: it may be what is missing.
enum { USUAL_ROOM = 8192 };

int words_vprint(FILE *out, const char *format, va_list arguments)
{
    enum { COMMANDS = 8, LANGUAGE_BYTES = 16 }; // that a text may name, and what each may grow by
    char usual[USUAL_ROOM];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t room = (size_t)length + COMMANDS * LANGUAGE_BYTES + 1;
    char *text = length < 0 ? NULL : room <= sizeof usual ? usual : malloc(room);
    if (!text)
        return -1;
    vsnprintf(text, room, format, arguments);
    words_settle(text, room);
    length = fputs(text, out) < 0 ? -1 : length;
    if (text != usual)
        free(text);
    return length;
}

int words_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = words_vprint(out, format, arguments);
    va_end(arguments);
    return length;
}
