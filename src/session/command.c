// Words and keys become Commands; see command.h.
#include "command.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session_words.def"
#include "shown_name.h"
#include "utf8.h"

// Traits as commands.def writes them.
enum {
    CALM = 0,
    STRAYS = COMMAND_STRAYS,
    SCENE = COMMAND_STRAYS | COMMAND_TAUGHT,
    ON_HELP = COMMAND_ON_HELP,
    ON_LIST = COMMAND_ON_LIST,
    SILENT = COMMAND_SILENT,
    TAUGHT = COMMAND_TAUGHT,
    LECTURE = COMMAND_OF_LECTURE,
    PICTURE = COMMAND_OF_PICTURE | COMMAND_ON_HELP,
};

static const CommandInfo commands[] = {
#define COMMAND(name, action, word, argument, names, traits, keys, label, help, korean_label, \
                korean_help) \
    {word, ARGUMENT_##argument, traits, keys, WORDS(label, korean_label), WORDS(help, korean_help)},
#include "commands.def"
#undef COMMAND
};

const CommandInfo *command_info(CommandKind kind)
{
    assert((int)kind >= 0 && kind < COMMAND_COUNT);
    return &commands[kind];
}

const char *command_label(CommandKind kind)
{
    return words_tell(command_info(kind)->label);
}

const char *command_about(CommandKind kind)
{
    return words_tell(command_info(kind)->help);
}

bool command_is(CommandKind kind, CommandTrait trait)
{
    return (command_info(kind)->traits & (unsigned)trait) != 0;
}

const char *command_argument(CommandKind kind)
{
    const char *const arguments[] = {
        [ARGUMENT_NONE] = "",           [ARGUMENT_COUNT] = " [n]",
        [ARGUMENT_NUMBER] = " n",       [ARGUMENT_NAME] = TELL(ARGUMENT_NAME),
        [ARGUMENT_INDEX] = " [i, ...]",
    };
    return arguments[command_info(kind)->argument];
}

// A word is a run of letters, or a single sign ('@'). Outside ASCII it ends at a blank, so that an error quotes
// typed Hangul as a whole.
static size_t word_length(const char *text)
{
    enum { SHOWN_MAX = 40 }; // bytes quoted in an error
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    size_t length = strspn(text, letters);
    uint32_t sign;
    if (length > 0 || (unsigned char)*text < 0x80)
        return length > 0 ? length : utf8_next(text, &sign);
    while (length < SHOWN_MAX && text[length] && !strchr(" \t", text[length]))
        length += utf8_next(text + length, &sign);
    return length;
}

static const char *after_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

static bool read_number(const char **text, ptrdiff_t *number)
{
    const char *start = after_spaces(*text);
    if (*start < '0' || *start > '9')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(start, &end, 10);
    if (errno != 0)
        return false;
    *number = (ptrdiff_t)value;
    *text = after_spaces(end);
    return true;
}

static bool read_index(const char **text, Command *command)
{
    const char *rest = after_spaces(*text);
    bool bracket = *rest == '[';
    rest += bracket;
    while (command->rank < TENSOR_RANK_MAX && read_number(&rest, &command->index[command->rank])) {
        command->rank++;
        if (*rest != ',')
            break;
        rest++;
    }
    if (bracket && *rest++ != ']')
        return false;
    *text = after_spaces(rest);
    return command->rank > 0;
}

static bool read_name(const char **text, char name[COMMAND_NAME_MAX])
{
    size_t length = strlen(*text);
    while (length > 0 && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t'))
        length--;
    if (length == 0 || length >= COMMAND_NAME_MAX)
        return false;
    memcpy(name, *text, length);
    name[length] = '\0';
    *text += strlen(*text);
    return true;
}

static bool read_argument(const char *text, Command *command, Error *err)
{
    static const Words wanted[] = {
        [ARGUMENT_NONE] = WORDS("nothing after it", "아무것도 쓰지 않습니다."),
        [ARGUMENT_COUNT] = WORDS("nothing or a whole number after it", "정수를 쓰거나 비웁니다."),
        [ARGUMENT_NUMBER] = WORDS("a whole number after it", "정수를 씁니다."),
        [ARGUMENT_NAME] = WORDS("a name after it", "이름을 씁니다."),
        [ARGUMENT_INDEX] = WORDS("an index of at most 6 numbers after it, as [0,3,2,1]",
                                 "[0,3,2,1]처럼 숫자 여섯 개까지의 인덱스를 씁니다."),
    };
    const CommandInfo *info = command_info(command->kind);
    const char *rest = text;
    bool good = true;

    command->number = 1;
    if (info->argument == ARGUMENT_NUMBER || (info->argument == ARGUMENT_COUNT && *rest))
        good = read_number(&rest, &command->number);
    else if (info->argument == ARGUMENT_NAME)
        good = read_name(&rest, command->name);
    else if (info->argument == ARGUMENT_INDEX)
        good = read_index(&rest, command);

    if (!good && !*text)
        return error_set(err, TELL(COMMAND_WANTS), info->word, info->word,
                         command_argument(command->kind), command_about(command->kind));
    if (!good || *rest)
        return error_set(err, TELL(COMMAND_TAKES), info->word, words_tell(wanted[info->argument]),
                         text);
    return true;
}

bool command_find(const char *word, CommandKind *kind)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].word, word) == 0) {
            *kind = (CommandKind)i;
            return true;
        }
    return false;
}

bool command_is_formula(const char *words)
{
    const char *start = after_spaces(words);
    size_t length = strcspn(start, " [=");
    const char *behind = after_spaces(start + length);
    CommandKind known;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, start);
    return length > 0 && (*behind == '[' || *behind == '=') && !command_find(word, &known);
}

bool command_parse(const char *words, Command *command, Error *err)
{
    const char *known[COMMAND_COUNT + 1] = {NULL};
    const char *start = after_spaces(words);
    size_t length = word_length(start);
    char word[64];

    *command = (Command){0};
    snprintf(word, sizeof word, "%.*s", (int)length, start);
    if (command_find(word, &command->kind))
        return read_argument(after_spaces(start + length), command, err);
    if (command_is_formula(start)) {
        command->kind = COMMAND_FORMULA;
        return read_argument(start, command, err);
    }
    for (int kind = 0; kind < COMMAND_COUNT; kind++)
        known[kind] = commands[kind].word;
    const char *nearest = nearest_word(word, known);
    return error_set(err, TELL(COMMAND_UNKNOWN), word,
                     nearest ? TELL(DID_YOU_MEAN) : TELL(COMMAND_HELP), nearest ? nearest : "",
                     nearest ? TELL(MEANT_END) : "");
}

static const KeyRow key_rows[] = {
#define COMMAND(name, action, word, argument, names, traits, pressed, ...) \
    {.place = PLACE_STEPPER, .does = COMMAND_##name, .keys = (pressed)},
#include "commands.def"
#undef COMMAND
#define KEYS(where, NAME, pressed) \
    {.place = PLACE_##where, .does = COMMAND_##NAME, .keys = (pressed)},
#include "keymaps.def"
};

static const Keymap key_map = {key_rows, sizeof key_rows / sizeof *key_rows};

const KeyRow *command_key_row(int number)
{
    return number < key_map.count ? &key_rows[number] : NULL;
}

bool command_for_key_in(KeyPlace place, const char *key, Command *command)
{
    int row = keymap_find(key_map, place, 0, key);
    *command = (Command){.number = 1};
    if (row >= 0)
        command->kind = (CommandKind)key_rows[row].does;
    return row >= 0;
}

bool command_for_key(const char *key, Command *command)
{
    return command_for_key_in(PLACE_STEPPER, key, command);
}

const char *command_first_key(CommandKind kind, char text[KEY_NAME_MAX])
{
    const char *keys = command_info(kind)->keys;
    for (int i = 0; !*keys && i < key_map.count; i++)
        if (key_rows[i].place == PLACE_LAYERS && key_rows[i].does == (int)kind)
            keys = key_rows[i].keys;
    return keymap_first(keys, text);
}
