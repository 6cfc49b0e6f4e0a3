// attnscope list: what there is to look at, one line each.
#include "app_exercise.h"

#include <string.h>
#include "lecture_list.h"
#include "scenario_list.h"
#include "utf8.h"

static int list_lectures(void)
{
    Error err = {.text = ""};
    LectureList list;
    bool good = lecture_list_open(&list, &err);
    for (int i = 0; good && i < list.count; i++) {
        Lecture lecture;
        good = lecture_open(&lecture, list.entries[i].name, list.entries[i].folder, "en", &err);
        if (good)
            printf("%-24s %s\n", lecture.name, lecture.about);
        lecture_finish(&lecture);
    }
    lecture_list_close(&list);
    return good ? app_finish_output() : app_fail(APP_FAILED, "%s", err.text);
}

static int list_exercises(const AppOptions *options)
{
    int code = app_exercise_list(options), written = app_finish_output();
    return code == APP_DONE ? written : code;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, "dir lang", &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("list"), stdout);
        return app_finish_output();
    }
    if (options.argument_count > 0 && strcmp(options.arguments[0], "lectures") == 0)
        return list_lectures();
    if (options.argument_count > 0 && strcmp(options.arguments[0], "exercises") == 0)
        return list_exercises(&options);
    if (options.argument_count > 0 && strcmp(options.arguments[0], "mistakes") == 0)
        return app_knows_language(options.lang) ? app_list_mistakes(&options) : APP_MISUSED;
    if (options.argument_count > 0 && strcmp(options.arguments[0], "scenarios") != 0)
        return app_fail(APP_MISUSED,
                        "list knows 'scenarios', 'lectures', 'exercises' and 'mistakes', not '%s'",
                        options.arguments[0]);

    Error err = {.text = ""};
    ScenarioList list;
    if (!scenario_list_open(&list, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int width = 0;
    for (int i = 0; i < list.count; i++)
        width = utf8_width(list.entries[i].name) > width ? utf8_width(list.entries[i].name) : width;
    for (int i = 0; i < list.count; i++) {
        const ScenarioEntry *entry = &list.entries[i];
        printf("%s%*s  %-3s  %s\n", entry->name, width - utf8_width(entry->name), "",
               entry->document ? entry->document : "-", entry->about ? entry->about : "");
    }
    scenario_list_close(&list);
    return app_finish_output();
}

const AppCommand command_list = {
    .name = "list",
    .arguments = "[scenarios|lectures|exercises [--dir DIR]|mistakes] [--lang en|ko]",
    .summary = "the scenarios there are, the lectures, exercises or mistakes",
    .details = "A scenario: name, document, what it shows. A lecture: name, what it is about. An\n"
               "exercise: name, points, how far yours is; \u25b8 is the one to do now. A mistake:\n"
               "name, what it is.\n"
               "  --dir DIR      your workspace [the one you are in]\n",
    .run = run,
};
