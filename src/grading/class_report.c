// A class report as a self-contained HTML page: per exercise, how many passed and which mistakes were made. Writes that
// page, and the one about pairs, next to the results.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "compiler_words.h"
#include "exercise.h"
#include "grading.h"
#include "grading_internal.h"
#include "html.h"
#include "input_file.h"
#include "new_file.h"
#include "scenario_file.h"
#include "words.h"

// --- gathering

// People whose work failed in the same way.
typedef struct ClassGroup {
    const Mistake *mistake; // from the bank, or NULL
    const char *what;       // shown if there is no mistake
    const char *number;     // the first wrong number and the right one, or NULL
    const char *property;   // the broken invariant, or NULL
    const char *key;        // identifies the group
    bool is_relation;       // a relation to the right numbers
    bool is_numbers;        // equal wrong numbers
    bool is_kind;           // wrong numbers of one kind, not equal
    bool is_unexplained;    // equal, without an explanation
    bool compiles;
    int count;
    const char *names;   // of all, separated by commas
    const char *example; // one person's code, without comments
    struct ClassGroup *next;
} ClassGroup;

// Counts of an exercise: by JudgingEnd, and how many passed.
typedef struct ClassExercise {
    int ended[4], passed;
    ClassGroup *groups;
} ClassExercise;

// How many submissions have a kind of remark; `last` is the newest of them.
typedef struct ClassNote {
    int count, last;
} ClassNote;

typedef struct ClassReport {
    bool has_names;
    int submissions;
    ClassExercise exercises[EXERCISES_MAX];
    ClassNote notes[SAY_COUNT];
    Arena arena;
} ClassReport;

extern const GradingFormat class_report_format;

// Writes the page to grading->out.
void class_report_write(const Grading *grading);

enum { SOURCE_BYTES_MAX = 1 << 20, EXAMPLE_BYTES_MAX = 4000 };

// --- an example

// The end of the comment or string that starts here; `at` if none does.
static const char *skip(const char *at, bool *is_comment)
{
    const char *end = at;
    *is_comment = at[0] == '/' && (at[1] == '/' || at[1] == '*');
    if (at[0] == '/' && at[1] == '/') {
        end += strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
        const char *found = strstr(at + 2, "*/");
        end = found ? found + 2 : at + strlen(at);
    } else if (*at == '"' || *at == '\'') {
        for (end = at + 1; *end && *end != *at && *end != '\n'; end++)
            end += *end == '\\' && end[1];
        end += *end == *at;
    }
    return end;
}

// Removes comments, in which people write their names.
static char *without_comments(const char *text, Arena *arena, Error *err)
{
    char *out = arena_take(arena, strlen(text) + 2, 1, err), *to = out;
    while (out && *text && to - out < EXAMPLE_BYTES_MAX) {
        bool is_comment;
        const char *end = skip(text, &is_comment);
        end += end == text;
        for (; text < end; text++)
            if (!is_comment &&
                !(*text == '\n' && to - out >= 2 && to[-1] == '\n' && to[-2] == '\n'))
                *to++ = *text;
    }
    return out;
}

static const char *example_of(Grading *grading, int number)
{
    Arena *arena = &grading->report->arena;
    Error err;
    const char *path = workspace_path(&grading->workspace, number, arena, &err);
    const char *text = path ? input_file_text(path, SOURCE_BYTES_MAX, arena, &err) : NULL;
    const char *example = text ? without_comments(text, arena, &err) : NULL;
    return example ? example : "";
}

// --- groups

// The compiler's first error: its kind if known, else its words without the position.
static void describe_compiling(Grading *grading, const Judging *judging, ClassGroup *group)
{
    enum { MEANING_MAX = 512 };
    Arena *arena = &grading->report->arena;
    Error err;
    char meaning[MEANING_MAX];
    size_t length;
    const char *not_compiled = exercise_word(SAY_REPORT_NOT_COMPILED);
    int kind = compiler_words_kind(judging->plain.said, meaning, sizeof meaning);
    if (kind < 0) {
        const char *first = compiler_words_first(judging->plain.said, &length);
        const char *error = strstr(first, "error: ");
        bool is_in_line = error && error < first + length;
        length -= is_in_line ? (size_t)(error - first) : 0;
        snprintf(meaning, sizeof meaning, "%.*s", (int)length, is_in_line ? error : first);
    }
    group->what =
        *meaning ? arena_format(arena, &err, "%s: %s", not_compiled, meaning) : not_compiled;
    group->key = kind < 0 ? group->what : arena_format(arena, &err, "%s: %d", not_compiled, kind);
}

// What is known of numbers without a mistake or relation.
static ExerciseWord kind_of(const VerdictTest *test)
{
    static const ExerciseWord words[VERDICT_KINDS] = {
        [VERDICT_KIND_NAN] = SAY_REPORT_NAN,
        [VERDICT_KIND_INFINITE] = SAY_REPORT_INFINITE,
        [VERDICT_KIND_FINITE] = SAY_REPORT_FINITE,
        [VERDICT_KIND_SHAPE] = SAY_REPORT_SHAPE,
        [VERDICT_KIND_UNWRITTEN] = SAY_REPORT_UNWRITTEN,
        [VERDICT_KIND_ADDED] = SAY_REPORT_ADDED,
    };
    bool has_words = test->kind != VERDICT_KIND_NONE && test->kind != VERDICT_KIND_NUMBER;
    return has_words ? words[test->kind] : SAY_REPORT_UNEXPLAINED;
}

// If inputs differ per person, equal numbers are chance: groups by what is known of them, or else one group each.
static void number_alike(Grading *grading, ClassGroup *group)
{
    Error err;
    const char *own = group->is_unexplained && !group->property ? grading->name : group->property;
    group->key = arena_format(&grading->report->arena, &err, "%s\n%s", group->what, own ? own : "");
    group->is_numbers = false;
    group->is_kind = true;
    group->is_unexplained = false;
}

// Groups by equal numbers, with what is known of them and the numbers as example.
static void describe_numbers(Grading *grading, const VerdictTest *test, ClassGroup *group)
{
    Arena *arena = &grading->report->arena;
    const char *property = verdict_in_language(test->property);
    ExerciseWord kind = kind_of(test);
    Error err;
    group->is_numbers = test->where != NULL;
    group->is_unexplained = group->is_numbers && kind == SAY_REPORT_UNEXPLAINED;
    group->number = grading_number(test, arena);
    // One number may agree by chance, above all a whole one.
    group->key =
        arena_format(arena, &err, "%s\n%lld %.17g", group->number, test->wrong, test->worst);
    group->property = property ? arena_text(arena, property, &err) : NULL;
    group->what = exercise_word(kind);
    if (grading->course.seeds)
        number_alike(grading, group);
}

// The key of a failure: the mistake, or the numbers.
static ClassGroup describe(Grading *grading, const Judging *judging)
{
    Arena *arena = &grading->report->arena;
    Error err;
    const VerdictTest *test = verdict_first_failure(&judging->verdict);
    ClassGroup group = {.what = "", .compiles = judging->end == JUDGING_DONE};
    if (judging->end != JUDGING_DONE || !test)
        describe_compiling(grading, judging, &group);
    else if (test->mistakes[0] && (group.mistake = mistake_find(test->mistakes[0])) != NULL)
        group.what = group.mistake->name;
    else if (test->why[LANGUAGE_ENGLISH])
        group.what = arena_text(arena, grading_why(grading, judging, arena), &err);
    else if (verdict_in_language(test->relation)) {
        group.is_relation = true;
        group.what = arena_text(arena, verdict_in_language(test->relation), &err);
    } else {
        describe_numbers(grading, test, &group);
    }
    group.what = group.what ? group.what : "";
    group.key = group.key ? group.key : group.what;
    return group;
}

static void count_in(Grading *grading, ClassExercise *exercise, const Judging *judging, int number)
{
    Arena *arena = &grading->report->arena;
    Error err;
    ClassGroup group = describe(grading, judging), **at = &exercise->groups;
    while (*at && strcmp((*at)->key, group.key) != 0)
        at = &(*at)->next;
    if (!*at) {
        group.example = example_of(grading, number);
        ClassGroup *kept = arena_take(arena, 1, sizeof *kept, &err);
        if (!kept) {
            grading->is_whole = false;
            return;
        }
        *kept = group;
        *at = kept;
    }
    ClassGroup *found = *at;
    found->count++;
    const char *names = found->names
                            ? arena_format(arena, &err, "%s, %s", found->names, grading->name)
                            : arena_text(arena, grading->name, &err);
    found->names = names ? names : "";
}

static void sort(ClassGroup **groups)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (ClassGroup **at = groups; *at && (*at)->next; at = &(*at)->next) {
            ClassGroup *one = *at, *other = one->next;
            if (one->count >= other->count)
                continue;
            one->next = other->next;
            other->next = one;
            *at = other;
            moved = true;
        }
    }
}

// --- the report as a format

static void submission(Grading *grading)
{
    grading->report->submissions++;
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    ClassExercise *counted = &grading->report->exercises[number];
    bool passed = judging_passed(judging);
    counted->ended[judging->end]++;
    counted->passed += passed;
    if (!passed && (judging->end == JUDGING_DONE || judging->end == JUDGING_NOT_COMPILED))
        count_in(grading, counted, judging, number);
}

static void note(Grading *grading, const GradingNote *given)
{
    ClassNote *counted = &grading->report->notes[given->word];
    counted->count += counted->last != grading->report->submissions;
    counted->last = grading->report->submissions;
}

static void end(Grading *grading)
{
    for (int i = grading->first; i < grading->end; i++)
        sort(&grading->report->exercises[i].groups);
    class_report_write(grading);
}

const GradingFormat class_report_format = {
    .name = "report",
    .submission = submission,
    .exercise = exercise,
    .note = note,
    .has_all_notes = true,
    .end = end,
};

// --- the page

enum { TO_SAY_MAX = 5 };

static const char own_style[] =
    "table{border-collapse:collapse;margin-bottom:1.5rem}td,th{padding:.2rem "
    ".7rem;text-align:right;"
    "border-bottom:1px solid var(--line)}td:first-child,th:first-child{text-align:left}\n"
    "@media(max-width:30rem){td,th{padding:.2rem .25rem;font-size:.75rem}}\n"
    "section{margin:2rem 0}.bar{display:inline-block;height:.8rem;background:var(--alarm);"
    "vertical-align:middle;margin-right:.5rem}.group{margin:1.2rem 0}\n"
    "pre{overflow:auto;padding:.7rem;background:var(--panel);font-size:.85rem;line-height:1.4}\n";

static const MistakeWords *words_of(const Mistake *mistake)
{
    return &mistake->words[language_now()];
}

// A scenario that shows the mistake, or NULL.
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

// The command to see it in the stepper: the mistake next to the right run, or a person's function.
static void put_command(const Grading *grading, const ClassGroup *group, const char *exercise)
{
    FILE *out = grading->out;
    const char *scenario = group->mistake ? scenario_for(group->mistake) : NULL;
    html_element(grading->out, "<p>", exercise_word(SAY_REPORT_OPEN), " <code>");
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
        html_text(out, exercise_word(SAY_REPORT_SAVE));
        fprintf(out, " <code>%s</code>)", path);
    }
    fputs("</p>\n", out);
}

static const char *what_of(const ClassGroup *group)
{
    return group->is_unexplained && group->count > 1 ? exercise_word(SAY_REPORT_EQUAL_UNEXPLAINED)
                                                     : group->what;
}

static void put_group(const Grading *grading, const ClassGroup *group, const char *exercise)
{
    FILE *out = grading->out;
    const ClassReport *report = grading->report;
    fprintf(out, "<div class=\"group\"><h3><span class=\"bar\" style=\"width:%dpx\"></span>%d/%d: ",
            1 + group->count * 200 / report->submissions, group->count, report->submissions);
    if (group->is_numbers && group->count > 1 && !group->is_unexplained)
        html_element(grading->out, "", exercise_word(SAY_REPORT_EQUAL), ": ");
    html_text(out, what_of(group));
    fputs("</h3>\n", out);
    if (group->number)
        html_element(grading->out, "<p>", exercise_word(SAY_REPORT_FOR_EXAMPLE), " ");
    if (group->number)
        html_element(grading->out, "", group->number, "</p>\n");
    if (group->property)
        html_element(grading->out, "<p>", group->property, "</p>\n");
    if (group->mistake) {
        const MistakeWords *words = words_of(group->mistake);
        html_element(grading->out, "<p>", words->title, " ");
        html_element(grading->out, "", words->shows, "</p>\n");
    }
    if (report->has_names && group->names)
        html_element(grading->out, "<p>", group->names, "</p>\n");
    put_command(grading, group, exercise);
    if (group->example && *group->example) {
        html_element(grading->out, "<details><summary>", exercise_word(SAY_REPORT_EXAMPLE),
                     "</summary><pre>");
        html_element(grading->out, "", group->example, "</pre></details>");
    }
    fputs("</div>\n", out);
}

static void put_table(const Grading *grading)
{
    static const ExerciseWord heads[] = {SAY_REPORT_EXERCISE,  SAY_REPORT_PASSED,
                                         SAY_REPORT_WRONG,     SAY_REPORT_NOT_COMPILED,
                                         SAY_REPORT_NOT_BEGUN, SAY_REPORT_NOT_JUDGED};
    FILE *out = grading->out;
    fputs("<table><tr>", out);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        html_element(grading->out, "<th>", exercise_word(heads[i]), "</th>");
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

// The largest group not shown yet: of two or more people, with a mistake, a relation or numbers.
static const ClassGroup *next_to_say(const Grading *grading, const ClassGroup *said[], int count,
                                     int *exercise)
{
    const ClassGroup *most = NULL;
    for (int i = grading->first; i < grading->end; i++)
        for (const ClassGroup *group = grading->report->exercises[i].groups; group;
             group = group->next) {
            bool is_said =
                !group->mistake && !group->is_relation && !group->is_numbers && !group->is_kind;
            for (int j = 0; j < count; j++)
                is_said = is_said || said[j] == group;
            if (!is_said && group->count > 1 && (!most || group->count > most->count)) {
                most = group;
                *exercise = i;
            }
        }
    return most;
}

static void put_to_say(const Grading *grading)
{
    const ClassGroup *said[TO_SAY_MAX];
    int count = 0, exercise = 0;
    html_element(grading->out, "<h2>", exercise_word(SAY_REPORT_TO_SAY), "</h2>\n<ol>\n");
    for (const ClassGroup *group;
         count < TO_SAY_MAX && (group = next_to_say(grading, said, count, &exercise)) != NULL;
         said[count++] = group) {
        fprintf(grading->out, "<li>%s, %d/%d: ", grading->lessons->exercises[exercise].name,
                group->count, grading->report->submissions);
        const MistakeWords *words = group->mistake ? words_of(group->mistake) : NULL;
        html_text(grading->out, words ? words->title : what_of(group));
        if (words)
            html_element(grading->out, " ", words->mend, "");
        if (group->number)
            html_element(grading->out, " (", group->property ? group->property : group->number,
                         ")");
        fputs("</li>\n", grading->out);
    }
    fputs("</ol>\n", grading->out);
    if (count == 0)
        html_element(grading->out, "<p>", exercise_word(SAY_REPORT_NOTHING), "</p>\n");
}

// Remarks about single submissions that reveal no name, and how many submissions each applies to.
static void put_notes(const Grading *grading)
{
    static const struct {
        ExerciseWord word, shown; // shown: the wording for the report
    } rows[] = {{SAY_HANDED_LATE, SAY_REPORT_LATE},
                {SAY_HANDED_TOO_LATE, SAY_REPORT_TOO_LATE},
                {SAY_HANDED_LATE_FOR_NOTHING, SAY_REPORT_TOO_LATE},
                {SAY_HANDED_HINTS, SAY_REPORT_HINTS},
                {SAY_HANDED_HINTLESS, SAY_REPORT_HINTLESS},
                {SAY_HANDED_OTHER, SAY_REPORT_OTHER}};
    enum { NOTE_MAX = 1024 };
    const char *any = "\u2026";
    bool is_first = true;
    for (int which = 0; which < SAY_COUNT; which++) {
        ExerciseWord shown = (ExerciseWord)which;
        char text[NOTE_MAX];
        if (grading->report->notes[which].count == 0)
            continue;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            shown = (int)rows[i].word == which ? rows[i].shown : shown;
        words_format(text, sizeof text, exercise_word(shown), any, any, any, any);
        if (is_first)
            html_element(grading->out, "<h2>", exercise_word(SAY_REPORT_NOTES), "</h2>\n<ul>\n");
        is_first = false;
        fprintf(grading->out, "<li>%d/%d: ", grading->report->notes[which].count,
                grading->report->submissions);
        html_element(grading->out, "", text, "</li>\n");
    }
    if (!is_first)
        fputs("</ul>\n", grading->out);
}

void class_report_write(const Grading *grading)
{
    FILE *out = grading->out;
    const char *title =
        *grading->course.name ? grading->course.name : exercise_word(SAY_REPORT_TITLE);
    html_page_begin(out, language_name(language_written()), title, own_style);
    char submissions[64];
    words_format(submissions, sizeof submissions, exercise_word(SAY_REPORT_SUBMISSIONS),
                 grading->report->submissions);
    html_element(grading->out, "<p>", submissions, "</p>\n");
    if (grading->course.seeds)
        html_element(grading->out, "<p>", exercise_word(SAY_REPORT_SEEDS), "</p>\n");
    put_to_say(grading);
    put_table(grading);
    put_notes(grading);
    for (int i = grading->first; i < grading->end; i++) {
        if (!grading->report->exercises[i].groups)
            continue;
        html_element(grading->out, "<section><h2>", grading->lessons->exercises[i].name, "</h2>\n");
        for (const ClassGroup *group = grading->report->exercises[i].groups; group;
             group = group->next)
            put_group(grading, group, grading->lessons->exercises[i].name);
        fputs("</section>\n", out);
    }
    fputs("</body></html>\n", out);
}

// --- both pages

// A page that all results go to.
typedef struct Page {
    Grading *grading;
    const GradingFormat *format;
    GradingReport *report_class;
    void *list;
} Page;

static bool write_page(const void *what, FILE *out, Error *err)
{
    const Page *page = what;
    Grading *grading = page->grading;
    FILE *usual = grading->out;
    grading->format = page->format;
    grading->out = out;
    bool written = page->report_class(grading, page->list, err);
    grading->out = usual;
    return written;
}

static bool report(Grading *grading, GradingReport *report_class, void *list, Error *err)
{
    if (!grading->report_path)
        return true;
    grading->report = calloc(1, sizeof *grading->report);
    if (!grading->report)
        return error_machine(err, TELL(REPORT_MEMORY));
    grading->report->has_names = grading->report_has_names;
    const Page page = {grading, &class_report_format, report_class, list};
    bool good = new_file_write(grading->report_path, write_page, &page, err);
    arena_finish(&grading->report->arena);
    free(grading->report);
    return good;
}

static bool pair_up(Grading *grading, GradingReport *report_class, void *list, Error *err)
{
    if (!grading->pairs_path)
        return true;
    grading->pairs = calloc(1, sizeof *grading->pairs);
    if (!grading->pairs)
        return error_machine(err, TELL(PAIRS_MEMORY));
    const Page page = {grading, &class_pairs_format, report_class, list};
    bool good = new_file_write(grading->pairs_path, write_page, &page, err);
    arena_finish(&grading->pairs->arena);
    free(grading->pairs->texts);
    free(grading->pairs);
    return good;
}

bool grading_pages(Grading *grading, GradingReport *report_class, void *list, Error *err)
{
    return report(grading, report_class, list, err) && pair_up(grading, report_class, list, err);
}
