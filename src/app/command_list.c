// attnscope list: what there is to look at, one line each.
#include "app_exercise.h"

#include <string.h>
#include "lecture_list.h"
#include "scenario_list.h"
#include "utf8.h"
#include "app_words.h"

static int list_scenarios(const AppOptions *options)
{
    Error err = {.text = ""};
    ScenarioList list;
    (void)options;
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

// A lecture of somebody's own may be half written: what is wrong takes the place of its line.
static bool print_lecture(const LectureEntry *entry, bool is_own, Error *err)
{
    enum { COLUMNS = 24 };
    Lecture lecture;
    bool good = lecture_open(&lecture, entry->name, entry->folder, language_written(), err);
    const char *name = is_own ? entry->folder : entry->name;
    int gap = COLUMNS - utf8_width(name);
    if (good || (is_own && !err->of_machine))
        printf("%s%*s %s\n", name, gap > 0 ? gap : 0, "", good ? lecture.about : err->text);
    lecture_finish(&lecture);
    return good || (is_own && !err->of_machine);
}

static int list_lectures(const AppOptions *options)
{
    Error err = {.text = ""};
    LectureList list;
    (void)options;
    bool good = lecture_list_open(&list, &err);
    int known = list.count;
    good = good && lecture_list_add_own(&list, &err);
    for (int i = 0; good && i < list.count; i++)
        good = print_lecture(&list.entries[i], i >= known, &err);
    lecture_list_close(&list);
    return good ? app_finish_output() : app_fail(APP_FAILED, "%s", err.text);
}

static int list_exercises(const AppOptions *options)
{
    int code = app_exercise_list(options), written = app_finish_output();
    return code == APP_DONE ? written : code;
}

// --- names alone, one a line: for other programs

static bool name_scenarios(Error *err)
{
    ScenarioList list;
    bool good = scenario_list_open(&list, err);
    for (int i = 0; good && i < list.count; i++)
        puts(list.entries[i].name);
    scenario_list_close(&list);
    return good;
}

static bool name_lectures(Error *err)
{
    LectureList list;
    bool good = lecture_list_open(&list, err);
    for (int i = 0; good && i < list.count; i++)
        puts(list.entries[i].name);
    lecture_list_close(&list);
    return good;
}

static bool name_exercises(Error *err)
{
    static ExerciseList list; // large
    bool good = exercise_list_open(&list, LANGUAGE_ENGLISH, err);
    for (int i = 0; good && i < list.count; i++)
        puts(list.exercises[i].name);
    exercise_list_close(&list);
    return good;
}

static bool name_mistakes(Error *err)
{
    (void)err;
    for (int i = 0; mistake_get(i); i++)
        puts(mistake_get(i)->name);
    return true;
}

// --- the command

typedef struct Kind {
    const char *name;
    int (*list)(const AppOptions *options);
    bool (*name_all)(Error *err);
} Kind;

static const Kind kinds[] = {
    {"scenarios", list_scenarios, name_scenarios},
    {"lectures", list_lectures, name_lectures},
    {"exercises", list_exercises, name_exercises},
    {"mistakes", app_list_mistakes, name_mistakes},
};

// The first for NULL; NULL after a sentence.
static const Kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!name || strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    app_fail(APP_MISUSED, TELL(LIST_KNOWS), name);
    return NULL;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_list.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(&command_list, stdout);
        return app_finish_output();
    }
    const Kind *kind = find_kind(options.argument_count > 0 ? options.arguments[0] : NULL);
    const char *format = options.format ? options.format : "text";
    if (!kind)
        return APP_MISUSED;
    if (strcmp(format, "text") == 0)
        return kind->list(&options);
    if (strcmp(format, "names") != 0)
        return app_fail(APP_MISUSED, TELL(FORMAT_TEXT_NAMES), format);
    Error err = {.text = ""};
    return kind->name_all(&err) ? app_finish_output() : app_fail(APP_FAILED, "%s", err.text);
}

const AppCommand command_list = {
    .name = "list",
    .arguments = "[scenarios|lectures|exercises [--dir DIR]|mistakes] [--lang en|ko]\n"
                 "               [--format names]",
    .summary = WORDS("List the scenarios, lectures, exercises or mistakes",
                     "시나리오, 강의, 연습문제, 실수의 목록"),
    .details = WORDS(
        "A scenario: name, document, what it shows. A lecture: name, subject. An exercise:\n"
        "name, points, your progress; \u25b8 marks the current one. A mistake: name, what it is.\n"
        "  --dir DIR      your workspace [the current one]\n"
        "  --format names only the names, one per line, for scripts\n",
        "시나리오: 이름, 문서, 무엇을 보여 주는지. 강의: 이름, 무엇에 대한 것인지. 연습문제:\n"
        "이름, 점수, 어디까지 했는지. ▸는 지금 할 연습문제입니다. 실수: 이름, 무엇인지.\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --format names 이름만 한 줄에 하나씩, 프로그램용\n"),
    .options = "dir lang format",
    .words = "scenarios lectures exercises mistakes",
    .formats = "text names",
    .run = run,
};
