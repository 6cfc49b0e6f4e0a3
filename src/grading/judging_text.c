// judging_text: what a check found, for people and for programs; see judging.h.
#include <string.h>
#include "compiler_words.h"
#include "exercise_words.h"
#include "judging.h"
#include "shell_word.h"
#include "written.h"

static Language language_of(const Workspace *workspace)
{
    return language_recorded(workspace->language);
}

// What the compiler's words mean, where that is known.
static void print_compiler_means(const char *said, Language language, FILE *out)
{
    Written means;
    Error err;
    bool is_whole = written_begin(&means, &err);
    if (is_whole) {
        compiler_words_print(said, language, means.out);
        is_whole = written_end(&means, &err);
    }
    if (!is_whole || means.length > 0) {
        exercise_say(out, language, EXERCISE_SAYS_COMPILER_MEANS);
        fputs(is_whole ? means.text : err.text, out);
    }
    written_drop(&means);
}

static void print_compiler(const char *said, Language language, FILE *out)
{
    if (!*said)
        return;
    exercise_say(out, language, EXERCISE_SAYS_COMPILER_SAYS);
    for (const char *line = said; *line; line += *line == '\n') {
        size_t bytes = strcspn(line, "\n");
        fprintf(out, "  %.*s\n", (int)bytes, line);
        line += bytes;
    }
    print_compiler_means(said, language, out);
    fputc('\n', out);
}

static void print_untouched(const Judging *judging, const Workspace *workspace, int number,
                            FILE *out)
{
    Arena arena = {0};
    Error err = {.text = ""};
    const char *path = workspace_path(workspace, number, &arena, &err);
    exercise_say(out, workspace->language,
                 judging->file.state == WORKSPACE_MISSING ? EXERCISE_SAYS_CHECK_MISSING
                                                          : EXERCISE_SAYS_CHECK_NEW,
                 path ? path : err.text, workspace->exercises.exercises[number].name);
    arena_finish(&arena);
}

static void print_refused(const Judging *judging, const Workspace *workspace, FILE *out)
{
    print_compiler(judging->plain.said, workspace->language, out);
    fprintf(out, "%s\n", judging_why(judging, workspace->language));
    if (*judging->plain.said)
        exercise_say(out, workspace->language, EXERCISE_SAYS_NOT_COMPILED);
}

static void print_not_judged(const Judging *judging, const Workspace *workspace, int number,
                             FILE *out)
{
    if (judging->verdict.count > 0) {
        verdict_print(&judging->verdict, language_of(workspace), out);
        return;
    }
    exercise_say(out, workspace->language, EXERCISE_SAYS_NOT_JUDGED,
                 workspace->exercises.exercises[number].name,
                 judging_why(judging, workspace->language));
}

void judging_print(const Judging *judging, const Workspace *workspace, int number, FILE *out)
{
    Language language = workspace->language;
    const char *name = workspace->exercises.exercises[number].name;
    const char *folder = *workspace->folder ? workspace->folder : ".";
    char word[SHELL_PATH_ROOM];
    switch (judging->end) {
    case JUDGING_UNTOUCHED:
        print_untouched(judging, workspace, number, out);
        return;
    case JUDGING_NOT_COMPILED:
        print_refused(judging, workspace, out);
        break;
    case JUDGING_NOT_JUDGED:
        print_not_judged(judging, workspace, number, out);
        return;
    case JUDGING_DONE:
        print_compiler(judging->plain.said, language, out);
        verdict_print(&judging->verdict, language_of(workspace), out);
        break;
    }
    if (!judging_passed(judging))
        exercise_say(out, language, EXERCISE_SAYS_HINTS_HELP, name);
    if (!judging_passed(judging) && workspace_header_differs(workspace))
        exercise_say(out, language, EXERCISE_SAYS_OTHER_HEADER, shell_path(folder, word));
    if (*judging->not_chained.text)
        exercise_say(out, language, EXERCISE_SAYS_NOT_CHAINED, judging->not_chained.text);
    if (*judging->not_noted.text)
        exercise_say(out, language, EXERCISE_SAYS_NOT_NOTED, judging->not_noted.text);
}

json_t *judging_json(const Judging *judging, const Exercise *exercise)
{
    static const char *const ends[] = {
        [JUDGING_UNTOUCHED] = "untouched",
        [JUDGING_NOT_COMPILED] = "not-compiled",
        [JUDGING_NOT_JUDGED] = "not-judged",
        [JUDGING_DONE] = "judged",
    };
    json_t *json = json_pack("{s:s, s:s, s:b, s:s, s:s}", "exercise", exercise->name, "end",
                             ends[judging->end], "passed", judging_passed(judging), "digest",
                             judging->file.digest, "compiler_said", judging->plain.said);
    bool good = json != NULL;
    if (good && judging->end != JUDGING_DONE && *judging->why[LANGUAGE_ENGLISH].text)
        good =
            json_object_set_new(json, "why", json_string(judging->why[LANGUAGE_ENGLISH].text)) == 0;
    if (good && *judging->not_chained.text)
        good =
            json_object_set_new(json, "not_chained", json_string(judging->not_chained.text)) == 0;
    if (good && *judging->plain.fence)
        good = json_object_set_new(json, "compiler_fence", json_string(judging->plain.fence)) == 0;
    if (good && judging->record)
        good = json_object_set(json, "verdict", judging->record) == 0;
    if (good)
        return json;
    json_decref(json);
    return NULL;
}

bool judging_passed(const Judging *judging)
{
    return judging->end == JUDGING_DONE && verdict_passed(&judging->verdict);
}

const char *judging_why(const Judging *judging, Language language)
{
    const char *text = judging->why[language_recorded(language)].text;
    return *text ? text : judging->why[LANGUAGE_ENGLISH].text;
}
