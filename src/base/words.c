// Messages in the user's language, and Korean particles; see words.h.
#include "words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --- particles

enum { SYLLABLE_FIRST = 0xAC00, SYLLABLE_LAST = 0xD7A3, FINALS = 28, FINAL_RIEUL = 8 };

// The character that ends at `length`, and its start. A broken byte counts as a character.
static uint32_t character_before(const char *text, size_t length, size_t *start)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = length - 1;
    while (at > 0 && length - at < 4 && (bytes[at] & 0xC0) == 0x80)
        at--;
    *start = at;
    size_t size = length - at;
    if (size == 3 && bytes[at] >= 0xE0 && bytes[at] < 0xF0)
        return (uint32_t)(bytes[at] & 0x0F) << 12 | (uint32_t)(bytes[at + 1] & 0x3F) << 6 |
               (bytes[at + 2] & 0x3F);
    if (size == 1)
        return bytes[at];
    return UINT32_MAX;
}

// Closing brackets and quotes, and Markdown's marks, are not read aloud.
static bool is_silent(uint32_t character)
{
    static const uint32_t silent[] = {0x2019, 0x201D, 0x300D, 0x300F, 0x300B, 0x27E7};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (character == silent[i])
            return true;
    return character < 0x80 && character > 0 && strchr(")]}>\"'`*_ ", (int)character);
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_vowel(char letter)
{
    return strchr("aeiou", letter) != NULL;
}

// A letter's Korean name: 엘 and 알 end in ㄹ, 엠 and 엔 in a consonant, 에이 in a vowel.
static JosaEnd end_of_letter(char letter)
{
    return letter == 'l' || letter == 'r'   ? JOSA_RIEUL
           : letter == 'm' || letter == 'n' ? JOSA_CONSONANT
                                            : JOSA_VOWEL;
}

// Final p, t, k, c: 스텝, 아웃풋, but 히트, 마스크. A vowel follows after a long vowel or a consonant.
static JosaEnd end_of_stop(const char *word, size_t length)
{
    char before = word[length - 2], earlier = length > 2 ? word[length - 3] : ' ';
    bool is_short = is_vowel(before) && (!is_vowel(earlier) || before == 'u' || earlier == 'o');
    return is_short ? JOSA_CONSONANT : JOSA_VOWEL;
}

// Words with a silent e: 스케일, 라인, 타임; and 스토어, 셰이프.
static JosaEnd end_of_e(const char *word, size_t length)
{
    char before = word[length - 2], earlier = length > 2 ? word[length - 3] : ' ';
    if (before == 'l' && length > 2)
        return JOSA_RIEUL;
    return (before == 'n' || before == 'm') && is_vowel(earlier) ? JOSA_CONSONANT : JOSA_VOWEL;
}

// A lower-case Latin word as Koreans pronounce it. Spelled names (npz, BLAS) are handled elsewhere.
static JosaEnd end_of_word(const char *word, size_t length)
{
    char last = word[length - 1];
    bool is_ng = last == 'g' && length > 1 && word[length - 2] == 'n';
    if (last == 'l')
        return JOSA_RIEUL;
    if (last == 'm' || last == 'n' || is_ng)
        return JOSA_CONSONANT;
    if (last == 'e')
        return end_of_e(word, length);
    return strchr("ptkc", last) ? end_of_stop(word, length) : JOSA_VOWEL;
}

// The letters that end at `length`: spelled if there is one, all are capitals, or there is no vowel.
static JosaEnd end_of_latin(const char *text, size_t length)
{
    enum { WORD_MAX = 32 };
    char word[WORD_MAX];
    size_t start = length, vowels = 0, capitals = 0;
    while (start > 0 && is_letter(text[start - 1]))
        start--;
    start = length - start < WORD_MAX ? start : length - WORD_MAX;
    size_t size = length - start;
    for (size_t i = 0; i < size; i++) {
        word[i] = (char)tolower((unsigned char)text[start + i]);
        vowels += is_vowel(word[i]) || word[i] == 'y';
        capitals += word[i] != text[start + i];
    }
    if (size == 1 || capitals == size || vowels == 0)
        return end_of_letter(word[size - 1]);
    return end_of_word(word, size);
}

JosaEnd josa_end(const char *text, size_t length)
{
    // 영 일 이 삼 사 오 육 칠 팔 구
    static const JosaEnd digits[] = {JOSA_CONSONANT, JOSA_RIEUL, JOSA_VOWEL,     JOSA_CONSONANT,
                                     JOSA_VOWEL,     JOSA_VOWEL, JOSA_CONSONANT, JOSA_RIEUL,
                                     JOSA_RIEUL,     JOSA_VOWEL};
    while (length > 0) {
        size_t start;
        uint32_t character = character_before(text, length, &start);
        if (character >= SYLLABLE_FIRST && character <= SYLLABLE_LAST) {
            uint32_t final = (character - SYLLABLE_FIRST) % FINALS;
            return final == 0 ? JOSA_VOWEL : final == FINAL_RIEUL ? JOSA_RIEUL : JOSA_CONSONANT;
        }
        if (character >= '0' && character <= '9')
            return digits[character - '0'];
        if (character < 0x80 && is_letter((char)character))
            return end_of_latin(text, length);
        if (!is_silent(character))
            return JOSA_VOWEL;
        length = start;
    }
    return JOSA_VOWEL;
}

// The length of the Hangul here.
static size_t hangul(const char *text)
{
    size_t length = 0;
    while ((unsigned char)text[length] >= 0xEA && (unsigned char)text[length] <= 0xED &&
           text[length + 1] && text[length + 2])
        length += 3;
    return length;
}

void josa_settle(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        size_t closed = *from == '{' ? hangul(from + 1) : 0;
        size_t open = closed && from[1 + closed] == '/' ? hangul(from + closed + 2) : 0;
        if (open == 0 || from[closed + open + 2] != '}') {
            *to++ = *from++;
            continue;
        }
        JosaEnd end = josa_end(text, (size_t)(to - text));
        bool to_side = strncmp(from + 1, "으로", strlen("으로")) == 0;
        bool takes_first = end == JOSA_CONSONANT || (end == JOSA_RIEUL && !to_side);
        size_t length = takes_first ? closed : open;
        const char *particle = takes_first ? from + 1 : from + closed + 2;
        from += closed + open + 3;
        memmove(to, particle, length);
        to += length;
    }
    *to = '\0';
}

// --- messages

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

// Drops a truncated character.
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

char *text_add(char *text, size_t room, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
    return text;
}

bool text_ends(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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

// Enough for most texts without allocating: memory may be what is missing.
enum { USUAL_ROOM = 8192 };

int words_vprint(FILE *out, const char *format, va_list arguments)
{
    enum { COMMANDS = 8, LANGUAGE_BYTES = 16 }; // per text: commands, and growth of each
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

// --- the language

static Language chosen = LANGUAGE_ENGLISH;

static const char *const names[LANGUAGE_COLUMNS] = {
    [LANGUAGE_ENGLISH] = "en",
    [LANGUAGE_KOREAN] = "ko",
    [LANGUAGE_MARKED] = "marked",
};

void language_choose(Language language)
{
    chosen = language;
}

Language language_now(void)
{
    return chosen;
}

Language language_written(void)
{
    return language_recorded(chosen);
}

Language language_beside(Language written)
{
    return chosen == LANGUAGE_MARKED ? LANGUAGE_MARKED : written;
}

Language language_recorded(Language language)
{
    return language == LANGUAGE_MARKED ? LANGUAGE_ENGLISH : language;
}

int language_named(const char *name)
{
    for (int i = 0; name && i < LANGUAGE_COLUMNS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *language_name(Language language)
{
    return names[language];
}

// The language of a locale's name up to one of `ends`: "ko_KR.UTF-8"; -1: not ours.
static int of_locale(const char *name, size_t length)
{
    for (int i = 0; i < LANGUAGES; i++) {
        size_t own = strlen(names[i]);
        if (length >= own && strncmp(name, names[i], own) == 0 &&
            (length == own || strchr("_.@", name[own])))
            return i;
    }
    return -1;
}

// The first known language of "de:ko:en".
static int of_list(const char *list)
{
    int found = -1;
    while (list && *list && found < 0) {
        size_t length = strcspn(list, ":");
        found = of_locale(list, length);
        list += length + (list[length] == ':');
    }
    return found;
}

// The locale's name, or "". An empty variable counts as unset.
static const char *locale(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = getenv(variables[i]);
        if (name && *name)
            return name;
    }
    return "";
}

Language language_of_environment(void)
{
    int found = language_named(getenv("ATTNSCOPE_LANG"));
    const char *name = locale();
    bool plain = strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0; // as in gettext
    if (found < 0 && !plain)
        found = of_list(getenv("LANGUAGE"));
    if (found < 0)
        found = of_locale(name, strlen(name));
    return found < 0 ? LANGUAGE_ENGLISH : (Language)found;
}
