// What a person sees at a terminal, for tests written in shell: sees COLUMNSxROWS SCRIPT.
//
// The script runs in a shell with the program's path (ATTNSCOPE_PROGRAM) as $1. Standard input says what
// the person does, a line each: "type KEYS" (with \r, \t and \e), "wait TEXT", "screen", which prints
// what is there. It ends with 1 where a text never comes.
#include "person.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static Person person;

static void type(char *keys)
{
    static const char signs[][2] = {{'r', '\r'}, {'t', '\t'}, {'e', '\x1b'}};
    char *out = keys;
    for (const char *at = keys; *at; at++) {
        *out = *at;
        for (int i = 0; at[0] == '\\' && i < 3; i++)
            if (at[1] == signs[i][0]) {
                *out = signs[i][1];
                at++;
                break;
            }
        out++;
    }
    *out = '\0';
    person_type(&person, keys);
}

// False, with what is there, where the text does not come.
static bool sees(const char *text)
{
    bool came = person_comes_to_see(&person, text, true);
    if (!came)
        fprintf(stderr, "sees: waited in vain for \"%s\"; the screen is\n%s", text,
                person_sees(&person));
    return came;
}

static bool does(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *rest = strchr(line, ' ');
    if (strncmp(line, "type ", 5) == 0)
        type(rest + 1);
    else if (strncmp(line, "wait ", 5) == 0)
        return sees(rest + 1);
    else if (strcmp(line, "screen") != 0)
        return fprintf(stderr, "sees: what is '%s'?\n", line) < 0;
    else {
        person_watches(&person, 2);
        puts(person_sees(&person));
        fflush(stdout);
    }
    return true;
}

static const char *script;
static int columns, rows;
static bool good = true;

START_TEST(a_person_does_what_is_said)
{
    char line[1024];
    person_sit_down(&person, columns, rows, script);
    while (good && fgets(line, sizeof line, stdin))
        good = does(line);
    person_leave(&person);
}

// What a person does asserts, as a test does.
int main(int count, char *words[])
{
    if (count != 3 || sscanf(words[1], "%dx%d", &columns, &rows) != 2)
        return 2;
    script = words[2];
    Suite *suite = suite_create("sees");
    TCase *cases = tcase_create("sees");
    tcase_add_test(cases, a_person_does_what_is_said);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return good && failed == 0 ? 0 : 1;
}
