// class_report_html: the page about what a class believes; see class_report.h.
#include <string.h>
#include "class_report.h"
#include "exercise_words.h"
#include "html_style.h"
#include "html_text.h"
#include "scenario_file.h"
#include "words.h"

enum { TO_SAY_MAX = 5 };

static const char own_style[] =
    "table{border-collapse:collapse;margin-bottom:1.5rem}td,th{padding:.2rem "
    ".7rem;text-align:right;"
    "border-bottom:1px solid var(--line)}td:first-child,th:first-child{text-align:left}\n"
    "@media(max-width:30rem){td,th{padding:.2rem .25rem;font-size:.75rem}}\n"
    "section{margin:2rem 0}.bar{display:inline-block;height:.8rem;background:var(--alarm);"
    "vertical-align:middle;margin-right:.5rem}.group{margin:1.2rem 0}\n"
    "pre{overflow:auto;padding:.7rem;background:var(--panel);font-size:.85rem;line-height:1.4}\n";

static const char *word(const Grading *grading, ExerciseWord which)
{
    return exercise_word(grading->language, which);
}

static void element(const Grading *grading, const char *open, const char *text, const char *close)
{
    fputs(open, grading->out);
    html_text(grading->out, text);
    fputs(close, grading->out);
}

static const MistakeWords *words_of(const Grading *grading, const Mistake *mistake)
{
    return &mistake->words[language_beside(grading->language)];
}

// A scenario that shows the mistake; NULL: none of these does.
static const char *scenario_for(const Mistake *mistake)
{
    static const char *const names[] = {"padded-batch", "causal", "four-heads", "sentence"};
    Error err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Scenario scenario;
        ScenarioRequest request = {.what = names[i]};
        if (!scenario_open(&scenario, &request, &err))
            continue;
        bool shows = !mistake_cannot_show(mistake, &scenario);
        scenario_finish(&scenario);
        if (shows)
            return names[i];
    }
    return NULL;
}

// How to see it in the stepper: the mistake beside what is right, or what somebody wrote.
static void put_command(const Grading *grading, const ClassGroup *group, const char *exercise)
{
    FILE *out = grading->out;
    const char *scenario = group->mistake ? scenario_for(group->mistake) : NULL;
    element(grading, "<p>", word(grading, EXERCISE_SAYS_REPORT_OPEN), " <code>");
    if (scenario)
        words_print(out, "attnscope trace %s</code> <code>:compare mistake %s", scenario,
                    group->mistake->name);
    else
        words_print(out, "attnscope init look; attnscope %s %s --dir look",
                    group->compiles ? "step" : "check", exercise);
    fputs("</code>", out);
    if (!scenario) {
        char path[256];
        snprintf(path, sizeof path, "look/exercises/%s.c", exercise);
        fprintf(out, " (");
        html_text(out, word(grading, EXERCISE_SAYS_REPORT_SAVE));
        fprintf(out, " <code>%s</code>)", path);
    }
    fputs("</p>\n", out);
}

static const char *what_of(const Grading *grading, const ClassGroup *group)
{
    return group->is_unexplained && group->count > 1
               ? word(grading, EXERCISE_SAYS_REPORT_EQUAL_UNEXPLAINED)
               : group->what;
}

static void put_group(const Grading *grading, const ClassGroup *group, const char *exercise)
{
    FILE *out = grading->out;
    const ClassReport *report = grading->report;
    fprintf(out, "<div class=\"group\"><h3><span class=\"bar\" style=\"width:%dpx\"></span>%d/%d: ",
            1 + group->count * 200 / report->submissions, group->count, report->submissions);
    if (group->is_numbers && group->count > 1 && !group->is_unexplained)
        element(grading, "", word(grading, EXERCISE_SAYS_REPORT_EQUAL), ": ");
    html_text(out, what_of(grading, group));
    fputs("</h3>\n", out);
    if (group->number)
        element(grading, "<p>", word(grading, EXERCISE_SAYS_REPORT_FOR_EXAMPLE), " ");
    if (group->number)
        element(grading, "", group->number, "</p>\n");
    if (group->property)
        element(grading, "<p>", group->property, "</p>\n");
    if (group->mistake) {
        const MistakeWords *words = words_of(grading, group->mistake);
        element(grading, "<p>", words->title, " ");
        element(grading, "", words->shows, "</p>\n");
    }
    if (report->has_names && group->names)
        element(grading, "<p>", group->names, "</p>\n");
    put_command(grading, group, exercise);
    if (group->example && *group->example) {
        element(grading, "<details><summary>", word(grading, EXERCISE_SAYS_REPORT_EXAMPLE),
                "</summary><pre>");
        element(grading, "", group->example, "</pre></details>");
    }
    fputs("</div>\n", out);
}

static void put_table(const Grading *grading)
{
    static const ExerciseWord heads[] = {
        EXERCISE_SAYS_REPORT_EXERCISE,  EXERCISE_SAYS_REPORT_PASSED,
        EXERCISE_SAYS_REPORT_WRONG,     EXERCISE_SAYS_REPORT_NOT_COMPILED,
        EXERCISE_SAYS_REPORT_NOT_BEGUN, EXERCISE_SAYS_REPORT_NOT_JUDGED};
    FILE *out = grading->out;
    fputs("<table><tr>", out);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        element(grading, "<th>", word(grading, heads[i]), "</th>");
    fputs("</tr>\n", out);
    for (int i = grading->first; i < grading->end; i++) {
        const ClassExercise *row = &grading->report->exercises[i];
        if (!grading_asks(grading, i))
            continue;
        fprintf(out,
                "<tr><td>%s</td><td>%d</td><td>%d</td><td>%d</td><td>%d</td><td>%d</td></tr>\n",
                grading->lessons->exercises[i].name, row->passed,
                row->ended[JUDGING_DONE] - row->passed, row->ended[JUDGING_NOT_COMPILED],
                row->ended[JUDGING_UNTOUCHED], row->ended[JUDGING_NOT_JUDGED]);
    }
    fputs("</table>\n", out);
}

// The largest group that is not told yet: of two people or more, with a mistake, a relation or numbers.
static const ClassGroup *next_to_say(const Grading *grading, const ClassGroup *told[], int count,
                                     int *exercise)
{
    const ClassGroup *most = NULL;
    for (int i = grading->first; i < grading->end; i++)
        for (const ClassGroup *group = grading->report->exercises[i].groups; group;
             group = group->next) {
            bool is_told =
                !group->mistake && !group->is_relation && !group->is_numbers && !group->is_kind;
            for (int j = 0; j < count; j++)
                is_told = is_told || told[j] == group;
            if (!is_told && group->count > 1 && (!most || group->count > most->count)) {
                most = group;
                *exercise = i;
            }
        }
    return most;
}

static void put_to_say(const Grading *grading)
{
    const ClassGroup *told[TO_SAY_MAX];
    int count = 0, exercise = 0;
    element(grading, "<h2>", word(grading, EXERCISE_SAYS_REPORT_TO_SAY), "</h2>\n<ol>\n");
    for (const ClassGroup *group;
         count < TO_SAY_MAX && (group = next_to_say(grading, told, count, &exercise)) != NULL;
         told[count++] = group) {
        fprintf(grading->out, "<li>%s, %d/%d: ", grading->lessons->exercises[exercise].name,
                group->count, grading->report->submissions);
        const MistakeWords *words = group->mistake ? words_of(grading, group->mistake) : NULL;
        html_text(grading->out, words ? words->title : what_of(grading, group));
        if (words)
            element(grading, " ", words->mend, "");
        if (group->number)
            element(grading, " (", group->property ? group->property : group->number, ")");
        fputs("</li>\n", grading->out);
    }
    fputs("</ol>\n", grading->out);
    if (count == 0)
        element(grading, "<p>", word(grading, EXERCISE_SAYS_REPORT_NOTHING), "</p>\n");
}

// What is told of single submissions, as far as it tells nobody's name: how many it holds of.
static void put_notes(const Grading *grading)
{
    static const struct {
        ExerciseWord word, shown; // where its own words are about one submission
    } rows[] = {{EXERCISE_SAYS_HANDED_LATE, EXERCISE_SAYS_REPORT_LATE},
                {EXERCISE_SAYS_HANDED_TOO_LATE, EXERCISE_SAYS_REPORT_TOO_LATE},
                {EXERCISE_SAYS_HANDED_LATE_FOR_NOTHING, EXERCISE_SAYS_REPORT_TOO_LATE},
                {EXERCISE_SAYS_HANDED_HINTS, EXERCISE_SAYS_REPORT_HINTS},
                {EXERCISE_SAYS_HANDED_HINTLESS, EXERCISE_SAYS_REPORT_HINTLESS},
                {EXERCISE_SAYS_HANDED_OTHER, EXERCISE_SAYS_REPORT_OTHER}};
    enum { NOTE_MAX = 1024 };
    const char *any = "\u2026";
    bool is_first = true;
    for (int which = 0; which < EXERCISE_SAYS_COUNT; which++) {
        ExerciseWord shown = (ExerciseWord)which;
        char text[NOTE_MAX];
        if (grading->report->notes[which].count == 0)
            continue;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            shown = (int)rows[i].word == which ? rows[i].shown : shown;
        words_format(text, sizeof text, word(grading, shown), any, any, any, any);
        if (is_first)
            element(grading, "<h2>", word(grading, EXERCISE_SAYS_REPORT_NOTES), "</h2>\n<ul>\n");
        is_first = false;
        fprintf(grading->out, "<li>%d/%d: ", grading->report->notes[which].count,
                grading->report->submissions);
        element(grading, "", text, "</li>\n");
    }
    if (!is_first)
        fputs("</ul>\n", grading->out);
}

void class_report_write(const Grading *grading)
{
    FILE *out = grading->out;
    const char *title =
        *grading->course.name ? grading->course.name : word(grading, EXERCISE_SAYS_REPORT_TITLE);
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n",
            language_name(grading->language));
    fputs("<meta name=\"viewport\" content=\"width=device-width\">\n", out);
    element(grading, "<title>", title, "</title>\n");
    fprintf(out, "<style>%s%s</style></head>\n<body>\n", html_style, own_style);
    element(grading, "<h1>", title, "</h1>\n");
    char submissions[64];
    words_format(submissions, sizeof submissions, word(grading, EXERCISE_SAYS_REPORT_SUBMISSIONS),
                 grading->report->submissions);
    element(grading, "<p>", submissions, "</p>\n");
    if (grading->course.seeds)
        element(grading, "<p>", word(grading, EXERCISE_SAYS_REPORT_SEEDS), "</p>\n");
    put_to_say(grading);
    put_table(grading);
    put_notes(grading);
    for (int i = grading->first; i < grading->end; i++) {
        if (!grading->report->exercises[i].groups)
            continue;
        element(grading, "<section><h2>", grading->lessons->exercises[i].name, "</h2>\n");
        for (const ClassGroup *group = grading->report->exercises[i].groups; group;
             group = group->next)
            put_group(grading, group, grading->lessons->exercises[i].name);
        fputs("</section>\n", out);
    }
    fputs("</body></html>\n", out);
}
