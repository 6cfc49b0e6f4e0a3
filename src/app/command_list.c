// attnscope list and attnscope glossary.
#include <string.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "glossary.h"
#include "lecture.h"
#include "scenario_file.h"
#include "shown_name.h"
#include "utf8.h"
#include "words.h"

// --- list

static int list_scenarios(const AppOptions *options)
{
    Error err = {.text = ""};
    ScenarioList list;
    if (!scenario_list_open(&list, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int width = 0;
    for (int i = 0; i < list.count; i++)
        width = utf8_width(list.entries[i].name) > width ? utf8_width(list.entries[i].name) : width;
    for (int i = 0; i < list.count; i++) {
        const ScenarioEntry *entry = &list.entries[i];
        if (options->format) {
            puts(entry->name);
            continue;
        }
        app_print_lines(stdout, "%s%*s  %-3s  %s\n", entry->name, width - utf8_width(entry->name),
                        "", entry->document ? entry->document : "-",
                        entry->about ? entry->about : "");
    }
    scenario_list_close(&list);
    return APP_DONE;
}

// An unfinished own lecture shows its error in place of its line.
static bool print_lecture(const LectureEntry *entry, bool is_own, Error *err)
{
    enum { COLUMNS = 23 };
    Lecture lecture;
    bool good = lecture_open(&lecture, entry->name, entry->folder, language_written(), err);
    const char *name = is_own ? entry->folder : entry->name;
    int gap = COLUMNS - utf8_width(name);
    bool is_readable = good || (is_own && !err->of_machine);
    if (is_readable) {
        app_print_lines(stdout, "%s%*s  %s\n", name, gap > 0 ? gap : 0, "",
                        good ? lecture.about : err->text);
    }
    lecture_finish(&lecture);
    return is_readable;
}

static int list_lectures(const AppOptions *options)
{
    Error err = {.text = ""};
    LectureList list;
    bool good = lecture_list_open(&list, &err);
    int known = list.count;
    good = good && (options->format || lecture_list_add_own(&list, &err));
    for (int i = 0; good && i < list.count; i++)
        if (options->format)
            puts(list.entries[i].name);
        else
            good = print_lecture(&list.entries[i], i >= known, &err);
    lecture_list_close(&list);
    return app_result(good, &err);
}

static int list_exercises(const AppOptions *options)
{
    static ExerciseList list; // large
    Error err = {.text = ""};
    if (!options->format)
        return app_exercise_list(options);
    bool good = exercise_list_open(&list, LANGUAGE_ENGLISH, &err);
    for (int i = 0; good && i < list.count; i++)
        puts(list.exercises[i].name);
    exercise_list_close(&list);
    return app_result(good, &err);
}

static int list_mistakes(const AppOptions *options)
{
    Language language = language_now();
    int width = 0;
    for (int i = 0; mistake_get(i); i++)
        width = utf8_width(mistake_get(i)->name) > width ? utf8_width(mistake_get(i)->name) : width;
    for (int i = 0; mistake_get(i); i++)
        if (options->format)
            puts(mistake_get(i)->name);
        else
            app_print_lines(stdout, "%-*s  %s\n", width, mistake_get(i)->name,
                            mistake_get(i)->words[language].title);
    return APP_DONE;
}

// --- the command

static const struct {
    const char *name;
    unsigned names;
    int (*list)(const AppOptions *options); // with a format, prints only names
} kinds[] = {
    {"scenarios", APP_NAMES_SCENARIO, list_scenarios},
    {"lectures", APP_NAMES_LECTURE, list_lectures},
    {"exercises", APP_NAMES_EXERCISE, list_exercises},
    {"mistakes", APP_NAMES_MISTAKE, list_mistakes},
};

void app_list_names(unsigned names)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (names & kinds[i].names)
            kinds[i].list(&(AppOptions){.format = "names"});
}

static int list_run(AppOptions *options)
{
    const char *name = options->argument_count > 0 ? options->arguments[0] : kinds[0].name;
    if (options->format && strcmp(options->format, "text") == 0)
        options->format = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0)
            continue;
        if (options->format && strcmp(options->format, "names") != 0)
            return app_fail(APP_MISUSED, TELL(FORMAT_TEXT_NAMES), options->format);
        return kinds[i].list(options);
    }
    return app_fail(APP_MISUSED, TELL(LIST_KNOWS), name);
}

const AppCommand command_list = {
    .name = "list",
    .arguments = "[scenarios|lectures|exercises [--dir DIR]|mistakes] [--lang en|ko] "
                 "[--format names]",
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
    .run = list_run,
};

// --- glossary

enum { COLUMNS = 80, TERM_BYTES = 256 };

static Language other_than(Language language)
{
    return language == LANGUAGE_KOREAN ? LANGUAGE_ENGLISH : LANGUAGE_KOREAN;
}

static int list_all(void)
{
    enum { NAME_COLUMNS = 24 };
    Language first = language_written(), second = other_than(first);
    for (int i = 0; glossary_term(i); i++) {
        const GlossaryTerm *term = glossary_term(i);
        const char *name = term->name.in[first], *other = term->name.in[second];
        printf("%s%*s%s%*s%s\n", name, NAME_COLUMNS - utf8_width(name), "", other,
               term->torch[0] ? NAME_COLUMNS - utf8_width(other) : 0, "", term->torch);
    }
    return APP_DONE;
}

static void print_where(const char *text, const char *names)
{
    char line[TERM_BYTES];
    if (names[0])
        printf("  %s\n", words_format(line, sizeof line, text, names));
}

static int show(const GlossaryTerm *term)
{
    printf("%s (%s)\n", words_tell(term->name), term->name.in[other_than(language_now())]);
    prose_print(words_tell(term->about), "  ", COLUMNS, stdout);
    print_where(TELL(GLOSSARY_TORCH), term->torch);
    print_where(TELL(GLOSSARY_DOCUMENTS), term->documents);
    return APP_DONE;
}

static int refuse(const char *name)
{
    char text[2 * TERM_BYTES];
    const char *nearest = glossary_nearest(name);
    if (nearest)
        words_format(text, sizeof text, TELL(GLOSSARY_MEANT), name, nearest);
    else
        words_format(text, sizeof text, TELL(GLOSSARY_UNKNOWN), name);
    return app_fail(APP_MISUSED, "%s", text);
}

// A term of several words needs no quotes.
static const char *asked(const AppOptions *options, char name[TERM_BYTES])
{
    name[0] = '\0';
    for (int i = 0; i < options->argument_count; i++)
        text_add(name, TERM_BYTES, "%s%s", i > 0 ? " " : "", options->arguments[i]);
    return name;
}

static int glossary_run(AppOptions *options)
{
    char name[TERM_BYTES];
    if (options->argument_count == 0)
        return list_all();
    const GlossaryTerm *term = glossary_find(asked(options, name));
    return term ? show(term) : refuse(name);
}

const AppCommand command_glossary = {
    .name = "glossary",
    .arguments = "[TERM] [--lang en|ko]",
    .summary = WORDS("Look up a term in English and Korean", "이 분야의 용어, 영어와 한국어로"),
    .details = WORDS(
        "Without a term, lists all terms and their PyTorch names. TERM may be in either\n"
        "language: glossary dot product. In the stepper, E explains the terms on the screen.\n"
        "  --lang en|ko   the language [the locale's]\n",
        "용어를 쓰지 않으면 전부, PyTorch에서 부르는 이름과 함께 보여 줍니다. 용어는 어느 언어로 "
        "써도\n"
        "됩니다: glossary 내적. 단계별 화면에서 E를 누르면 화면에 나온 용어를 풀이합니다.\n"
        "  --lang en|ko   언어 [로캘의 언어]\n"),
    .options = "lang",
    .run = glossary_run,
};
