// The list of commands: a word, a key and a line of help each, and how words become commands.
#include "command.h"

#include "suite.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

static Error err;

TEST(every_command_has_a_word_and_a_line_of_help)
{
    for (int kind = 0; kind < COMMAND_COUNT; kind++) {
        const CommandInfo *info = command_info((CommandKind)kind);
        ck_assert_str_ne(info->word, "");
        for (int language = 0; language < LANGUAGES; language++) {
            const char *help = info->help.in[language];
            ck_assert_str_ne(help, "");
            // the help page has 50 columns left for it at 80 columns
            ck_assert_msg(utf8_width(help) <= 50, "%s: %s", info->word, help);
        }
        // and 18 for the word and what it takes
        const char *argument = command_argument((CommandKind)kind);
        ck_assert_msg(strlen(info->word) + strlen(argument) <= 18, "%s%s", info->word, argument);
        for (int other = 0; other < kind; other++)
            ck_assert_str_ne(info->word, command_info((CommandKind)other)->word);
    }
}

TEST(every_key_means_one_command_and_finds_it)
{
    char seen[256][KEY_NAME_MAX];
    int count = 0;
    for (int kind = 0; kind < COMMAND_COUNT; kind++) {
        const CommandInfo *info = command_info((CommandKind)kind);
        char keys[64];
        snprintf(keys, sizeof keys, "%s", info->keys);
        for (char *key = strtok(keys, " "); key; key = strtok(NULL, " ")) {
            Command command;
            ck_assert(info->argument == ARGUMENT_NONE || info->argument == ARGUMENT_COUNT);
            ck_assert_msg(command_for_key(key, &command) && (int)command.kind == kind, "%s", key);
            ck_assert_int_eq(command.number, 1);
            for (int other = 0; other < count; other++)
                ck_assert_str_ne(seen[other], key);
            ck_assert_int_lt(count, (int)(sizeof seen / sizeof *seen));
            snprintf(seen[count++], KEY_NAME_MAX, "%s", key);
        }
    }
    Command command;
    ck_assert(!command_for_key("F11", &command));
    ck_assert(!command_for_key("", &command));
    ck_assert(!command_for_key("n Space", &command));
}

TEST(words_become_commands)
{
    Command command;
    ck_assert(command_parse("next", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_NEXT);
    ck_assert_int_eq(command.number, 1);
    ck_assert(command_parse("  down 25 ", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_DOWN);
    ck_assert_int_eq(command.number, 25);
    ck_assert(command_parse("goto project q ", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_GOTO);
    ck_assert_str_eq(command.name, "project q");
    ck_assert(command_parse("@[0, 3,2,1]", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_ELEMENT);
    ck_assert_int_eq(command.rank, 4);
    ck_assert_int_eq(command.index[1], 3);
    ck_assert_int_eq(command.index[3], 1);
    ck_assert(command_parse("@ 7", &command, &err));
    ck_assert_int_eq(command.rank, 1);
    ck_assert_int_eq(command.index[0], 7);
}

TEST(words_that_are_no_command_are_refused_with_the_nearest_one)
{
    static const char *const refused[][2] = {
        {"nxet", "unknown command \"nxet\"; did you mean \"next\"?"},
        {"banana", "unknown command \"banana\" (\"help\" lists all commands)"},
        {"한국어", "unknown command \"한국어\" (\"help\" lists all commands)"},
        {"", "unknown command \"\" (\"help\" lists all commands)"},
        {"next score", "\"next\" takes nothing or a whole number after it, not \"score\""},
        {"first 2", "\"first\" takes nothing after it, not \"2\""},
        {"pick", "\"pick\" needs an argument. pick n: an index on the marked axis: pick 3"},
        {"pick -1", "\"pick\" takes a whole number after it, not \"-1\""},
        {"down 99999999999999999999",
         "\"down\" takes nothing or a whole number after it, not \"99999999999999999999\""},
        {"goto",
         "\"goto\" needs an argument. goto name: a step by its name or number: goto score, goto 5"},
        {"@[0,1", "\"@\" takes an index of at most 6 numbers after it, as [0,3,2,1], not \"[0,1\""},
        {"@[1,2,3,4,5,6,7]",
         "\"@\" takes an index of at most 6 numbers after it, as [0,3,2,1], not "
         "\"[1,2,3,4,5,6,7]\""},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Command command;
        ck_assert(!command_parse(refused[i][0], &command, &err));
        ck_assert_str_eq(err.text, refused[i][1]);
    }
}

SUITE("command")
