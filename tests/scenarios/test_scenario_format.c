// The page of the scenario format: `attnscope help scenario`, in both languages.
#include "scenario_file.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>
#include "stage.h"
static const char *english(void)
{
    return scenario_format.in[LANGUAGE_ENGLISH];
}

// But for the lines that begin with '@', in whose places options are told of.
static void check_page(const char *name, const char *shown)
{
    char path[1024], line[256];
    int lines = 0;
    snprintf(path, sizeof path, "%s/%s", test_file("../src/scenarios"), name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    for (bool after_options = false; fgets(line, sizeof line, file); lines++) {
        bool options = line[0] == '@';
        bool is_empty = line[0] == '\n';
        const char *found = after_options ? strstr(shown, is_empty ? "\n\n" : line) : shown;
        if (found && after_options && is_empty)
            found++;
        ck_assert_msg(options || (found && strncmp(found, line, strlen(line)) == 0), "%s", line);
        shown = options ? shown : found + strlen(line);
        after_options = options;
    }
    fclose(file);
    ck_assert_int_gt(lines, 100);
    ck_assert_str_eq(shown, "");
}

TEST(the_page_in_the_program_is_the_page_in_the_source)
{
    check_page("scenario_format.txt", english());
    check_page("scenario_format.ko.txt", scenario_format.in[LANGUAGE_KOREAN]);
}

// Where the next line with a key begins ("  heads: 8", "    - q_proj  ..."), and how much of it is the
// key; NULL: there is none. Keys stand left of the column of words.
static const char *next_key(const char *at, size_t *length)
{
    for (; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t blanks = strspn(at, " -");
        *length = blanks + strspn(at + blanks, "abcdefghijklmnopqrstuvwxyz_");
        bool is_item = blanks > 0 && at[blanks - 1] == ' ' && memchr(at, '-', blanks);
        if (blanks <= 6 && *length > blanks && (at[*length] == ':' || is_item))
            return at;
    }
    return NULL;
}

TEST(the_page_has_the_same_keys_in_korean)
{
    size_t length, own;
    int keys = 0;
    const char *ours = next_key(english(), &length);
    const char *other = next_key(scenario_format.in[LANGUAGE_KOREAN], &own);
    for (; ours && other; keys++) {
        ck_assert_msg(length == own && strncmp(ours, other, own) == 0, "%.40s is not %.40s", ours,
                      other);
        ours = next_key(ours + length, &length);
        other = next_key(other + own, &own);
    }
    ck_assert_int_gt(keys, 60);
    ck_assert_ptr_null(ours);
    ck_assert_ptr_null(other);
}

TEST(the_page_tells_of_every_option_that_has_a_name)
{
    const StageOption *option;
    int named = 0;
    char line[64];
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        if (!option->section)
            continue;
        snprintf(line, sizeof line, "\n  %s: ", option->name);
        const char *section = strcmp(option->section, "model") == 0 ? "\nmodel:" : "\nattention:";
        const char *begins = strstr(english(), section);
        ck_assert_ptr_nonnull(begins);
        ck_assert_msg(strstr(begins, line) != NULL, "%s%s", section, line);
        named++;
    }
    ck_assert_int_ge(named, 6);
    for (const char *at = english(); *at; at += strcspn(at, "\n") + 1)
        ck_assert_msg(strcspn(at, "\n") <= 89, "%.90s", at);
}

SUITE("scenario_format")
