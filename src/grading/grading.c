// Grades the submissions of a class and reports the results; see grading.h.
#define _GNU_SOURCE // strcasestr

#include "grading.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "exercise.h"
#include "fence.h"
#include "grading_internal.h"
#include "json.h"
#include "shown_name.h"
#include "utf8.h"

// --- files that belong to no exercise

// Also "scale.c.txt".
static int may_be_source(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcasestr(entry->d_name, ".c") != NULL;
}

// True if a remark is about the file of that name in the first folder.
static bool is_file(const Grading *grading, const char *named, const char *name)
{
    const char *files = grading->workspace.files;
    size_t length = named && strchr(named, '/') ? strlen(files) : 0;
    return named && strncmp(named, files, length) == 0 && strcmp(named + length, name) == 0;
}

// True if it was judged, or skipped with its own remark.
static bool is_judged(const Grading *grading, const char *name)
{
    int number = exercise_name_find(&grading->workspace.exercises, name);
    for (int i = 0; i < grading->workspace.exercises.count; i++) {
        const WorkspaceOther *other = &grading->workspace.others[i];
        if (is_file(grading, other->name, name) || is_file(grading, other->passed_over, name))
            return true;
    }
    return number >= 0 && !grading->workspace.others[number].name &&
           workspace_is_own(&grading->workspace, number, name);
}

// True if an earlier requested exercise has the same file.
static bool was_told(const Grading *grading, int number)
{
    const char *name = grading->workspace.others[number].name;
    for (int i = grading->first; i < number; i++) {
        const char *other = grading->workspace.others[i].name;
        if (grading_asks(grading, i) && other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

// The exercise meant by a misspelled name, if it has no file; -1: none.
static int meant(const Grading *grading, const char *name)
{
    WorkspaceFile file;
    Error err;
    int number = exercise_name_near(&grading->workspace.exercises, name);
    bool is_missing = number >= 0 && workspace_look(&grading->workspace, number, &file, &err) &&
                      file.state == WORKSPACE_MISSING;
    return is_missing ? number : -1;
}

// A file that may be misnamed, or (`is_near` false) belongs to no exercise; formats with all remarks get both.
static void report_one(Grading *grading, const char *name, bool is_near, int *count)
{
    Arena arena = {0};
    Error err;
    int number = meant(grading, name);
    const char *end = strrchr(name, '.');
    bool is_other = end && end > name && strcasecmp(end, ".c") == 0 &&
                    (number < 0 || grading->format->has_all_notes);
    if (is_near ? number < 0 : !is_other)
        return;
    char *shown = arena_take(&arena, SHOWN_NAME_GROWTH * strlen(name) + 1, 1, &err);
    const char *what = shown ? shown_name(name, shown) : NULL;
    if (what && is_near)
        what = arena_format(&arena, &err, "%s -> %s.c", shown,
                            grading->workspace.exercises.exercises[number].name);
    bool is_copy = !grading->format->has_all_notes &&
                   exercise_name_find(&grading->workspace.exercises, name) >= 0;
    if (what)
        grading_report_note_of(grading,
                               is_near   ? SAY_GRADE_NEAR
                               : is_copy ? SAY_HANDED_BESIDE
                                         : SAY_GRADE_NO_EXERCISE,
                               what, (*count)++);
    grading->is_whole = grading->is_whole && what;
    arena_finish(&arena);
}

static void report_kind(Grading *grading, struct dirent *entries[], int count, bool is_near)
{
    int shown = 0;
    for (int i = 0; i < count; i++)
        if (!is_judged(grading, entries[i]->d_name))
            report_one(grading, entries[i]->d_name, is_near, &shown);
    grading_report_more(grading, shown);
}

// Which file is used for an exercise without its own, and why no other.
static void report_other(Grading *grading, const WorkspaceOther *other)
{
    Arena arena = {0};
    Error err;
    const char *names[2] = {other->name, other->passed_over ? other->passed_over : ""};
    for (int i = 0; i < 2; i++) {
        char *room = arena_take(&arena, SHOWN_NAME_GROWTH * strlen(names[i]) + 1, 1, &err);
        names[i] = room ? shown_name(names[i], room) : NULL;
    }
    bool is_whole = names[0] && names[1];
    bool is_plain = other->is_own && !other->passed_over; // in its own folder
    GradingNote note = {SAY_HANDED_NAMED, names[0], {names[1]}};
    if (other->passed_over)
        note.word = other->why;
    if (is_whole && !is_plain && grading->format->note)
        grading->format->note(grading, &note);
    grading->is_whole = grading->is_whole && is_whole;
    arena_finish(&arena);
}

// Reports files judged under another name, which may be misnamed, and C files of no exercise. If the machine could not
// look, the results are incomplete.
static void grading_report_files(Grading *grading, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, may_be_source, alphasort);
    if (count < 0 && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
        grading->is_whole = false;
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i) && grading->workspace.others[i].name && !was_told(grading, i))
            report_other(grading, &grading->workspace.others[i]);
    report_kind(grading, entries, count, true);
    report_kind(grading, entries, count, false);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

// --- a class

#define GRADING_FORMAT(x, ...) extern const GradingFormat grading_##x;
#include "grading_formats.def"
#undef GRADING_FORMAT

static const GradingFormat *const formats[] = {
#define GRADING_FORMAT(x, ...) &grading_##x,
#include "grading_formats.def"
#undef GRADING_FORMAT
};

const GradingFormat *grading_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!name || strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

// --- a submission

// The fourth level is a page of the lecture, which costs nothing.
static int hints_of(const Grading *grading, int number)
{
    int level = grading->hints.levels[number];
    return level < EXERCISE_HINTS ? level : EXERCISE_HINTS;
}

// The points of an exercise; none if the machine could not judge it.
static GradingMark mark_of(const Grading *grading, const Judging *judging, int number)
{
    const CourseFileExercise *row = &grading->course.exercises[number];
    bool judged = judging->end != JUDGING_NOT_JUDGED;
    double part = judging->end == JUDGING_DONE && judging->verdict.max > 0
                      ? (double)judging->verdict.points / judging->verdict.max
                      : 0.0;
    part *= course_file_part(&grading->course, grading->days_late) *
            course_file_hint_part(&grading->course, hints_of(grading, number));
    return (GradingMark){part * row->points, judged && !row->is_extra ? row->points : 0.0};
}

static void add_up(Grading *grading, const Judging *judging, int number)
{
    bool judged = judging->end != JUDGING_NOT_JUDGED;
    grading->mark = mark_of(grading, judging, number);
    grading->sum.score += grading->mark.score;
    grading->sum.max += grading->mark.max;
    grading->points += judging->end == JUDGING_DONE ? judging->verdict.points : 0;
    grading->max += judged ? grading->workspace.exercises.exercises[number].points : 0;
    grading->not_judged += !judged;
    if (judging->is_nowhere)
        error_set(&grading->nowhere, "%s", judging_why(judging));
}

static void report_all(Grading *grading, const Submission *submission)
{
    Judging *all = grading_judge(grading, submission);
    for (int i = grading->first; i < grading->end; i++) {
        if (!grading_asks(grading, i))
            continue;
        add_up(grading, &all[i], i);
        if (grading->format->form)
            grading_add(grading, &all[i], i);
        if (grading->format->exercise)
            grading->format->exercise(grading, &all[i], i);
        grading->all_not_judged += all[i].end == JUDGING_NOT_JUDGED && !all[i].is_nowhere;
        judging_finish(&all[i]);
    }
    bool is_nowhere = *grading->nowhere.text != '\0';
    grading->all_nowhere += is_nowhere;
    if (is_nowhere && !grading->format->note) // such formats do not say why there are no points
        fprintf(stderr, "attnscope: %s: %s\n", grading->name, grading->nowhere.text);
}

static bool counts_hints(const Grading *grading, const Submission *submission)
{
    return grading->course.hint_cost > 0 && submission->refusal == SAY_COUNT;
}

static void grading_begin(Grading *grading, const Submission *submission)
{
    Error err;
    grading->name = submission->name;
    grading->days_late = course_file_days_late(&grading->course, submission->when);
    grading->real_days_late = course_file_real_days_late(&grading->course, submission->when);
    grading->hints = (HintFile){.is_there = false};
    if (counts_hints(grading, submission) &&
        !hint_file_read(&grading->hints, &grading->workspace, &err))
        grading->is_whole = false;
    grading->sum = (GradingMark){0, 0};
    grading->points = grading->max = grading->not_judged = 0;
    grading->nowhere.text[0] = '\0';
}

// Reports lateness, the days allowed, and the cost.
static void report_late(Grading *grading)
{
    char late[32], day[16], days[16], part[16];
    const CourseFile *course = &grading->course;
    bool is_allowed = grading->days_late <= course->late_days;
    if (grading->days_late == 0 || !grading->format->note)
        return;
    // Rounded up, so that lateness never looks smaller than it is.
    snprintf(late, sizeof late, "%.1f", ceil(grading->real_days_late * 10) / 10);
    snprintf(day, sizeof day, "%lld", grading->days_late);
    snprintf(days, sizeof days, "%d", course->late_days);
    snprintf(part, sizeof part, "%.4g %%", 100.0 * course_file_part(course, grading->days_late));
    GradingNote note = {SAY_HANDED_TOO_LATE, late, {days}};
    if (is_allowed)
        note = (GradingNote){SAY_HANDED_LATE, late, {day, days, part}};
    else if (course->late_days == 0)
        note.word = SAY_HANDED_LATE_FOR_NOTHING;
    grading->format->note(grading, &note);
}

// The hints that cost points: "score 2, scale 1 (5 % each)".
static void report_hints(Grading *grading, const Submission *submission)
{
    Arena arena = {0};
    Error err;
    const char *text = "";
    if (!counts_hints(grading, submission))
        return;
    for (int i = grading->first; text && i < grading->end; i++)
        if (grading_asks(grading, i) && hints_of(grading, i) > 0)
            text =
                arena_format(&arena, &err, "%s%s%s %d", text, *text ? ", " : "",
                             grading->workspace.exercises.exercises[i].name, hints_of(grading, i));
    if (text && *text)
        text = arena_format(&arena, &err, "%s (%.4g %%)", text, grading->course.hint_cost);
    if (!text)
        grading->is_whole = false;
    else if (*text)
        grading_report_note(grading, SAY_HANDED_HINTS, text);
    else if (!grading->hints.is_there)
        grading_report_note(grading, SAY_HANDED_HINTLESS, HINT_FILE_NAME);
    arena_finish(&arena);
}

static bool report_submission(Grading *grading, const Submission *submission, Error *err)
{
    if (!workspace_open_submission(&grading->workspace, submission->path, &submission->folders,
                                   grading->lessons, err))
        return false;
    Arena arena = {0};
    const char *files =
        arena_format(&arena, err, "%s/%s", submission->path, grading->workspace.files);
    grading_begin(grading, submission);
    if (grading->format->submission)
        grading->format->submission(grading);
    report_all(grading, submission);
    report_late(grading);
    report_hints(grading, submission);
    grading_report_notes(grading, submission->notes);
    if (files && submission->refusal == SAY_COUNT)
        grading_report_files(grading, files);
    if (grading->format->submission_end)
        grading->format->submission_end(grading);
    arena_finish(&arena);
    workspace_close(&grading->workspace);
    fflush(grading->out);
    return files != NULL;
}

// --- all of them

// Columns and exercises must be known before the first row.
static void measure(Grading *grading, const SubmissionList *list)
{
    grading->name_width = 0;
    for (int i = 0; i < list->count; i++) {
        int width = utf8_width(list->all[i].name);
        if (!list->all[i].is_other && width > grading->name_width)
            grading->name_width = width;
    }
    if (grading->name_width > GRADING_NAME_COLUMNS)
        grading->name_width = GRADING_NAME_COLUMNS;
}

static bool find_fence(Grading *grading, Error *err)
{
    char text[WORKER_FENCE_TEXT_MAX];
    bool known = worker_fence(&grading->fence, err);
    if (!known)
        fprintf(stderr, TELL(FENCE_UNKNOWN), err->text);
    bool is_needed = grading->needs_fence || grading->course.needs_fence;
    if (!is_needed || grading->fence.parts == FENCE_WHOLE)
        return true; // if this fails, every exercise reports it
    if (!known)
        return false;
    return error_set(err, TELL(FENCE_NOT_WHOLE), worker_fence_text(grading->fence.text, text));
}

// Formats of platforms have no place for it, but teachers must know.
static void report_fence(const Grading *grading)
{
    char text[WORKER_FENCE_TEXT_MAX];
    bool has_gaps = *grading->fence.text && grading->fence.parts != FENCE_WHOLE;
    if (has_gaps && !grading->format->tells_fence)
        exercise_say(stderr, SAY_GRADE_FENCE, worker_fence_text(grading->fence.text, text));
}

// Child processes return results in a journal, even if none is wanted. Without one, judges in this process; fails if the
// user named a journal.
static bool open_journal(Grading *grading, Error *err)
{
    char path[JOURNAL_PATH_MAX] = "";
    const char *named = grading->journal_path;
    grading->journal = (Journal){.file = -1};
    grading_work_open(grading);
    if (named && strcmp(named, "none") == 0) {
        journal_open_unnamed(&grading->journal, err);
        return true;
    }
    if (named)
        return journal_open(&grading->journal, named, err);
    if (!journal_place(grading->folder, path, err) || !journal_open(&grading->journal, path, err))
        fprintf(stderr, TELL(NOTHING_KEPT), err->text);
    return true;
}

static bool report(Grading *grading, void *context, Error *err)
{
    const SubmissionList *list = context;
    bool good = true;
    grading->all_not_judged = grading->all_nowhere = 0;
    grading->is_whole = true;
    if (grading->format->begin)
        grading->format->begin(grading);
    for (int i = 0; good && i < list->count; i++)
        good = list->all[i].is_other || report_submission(grading, &list->all[i], err);
    if (good && grading->format->end)
        grading->format->end(grading);
    if (good && !grading->is_whole)
        good = error_set(err, TELL(RESULTS_MEMORY));
    return good;
}

// Computes a submission's score without reporting it.
static double worth(Grading *grading, const Submission *submission)
{
    Error err;
    if (!workspace_open_submission(&grading->workspace, submission->path, &submission->folders,
                                   grading->lessons, &err))
        return 0;
    grading_begin(grading, submission);
    Judging *all = grading_judge(grading, submission);
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i)) {
            add_up(grading, &all[i], i);
            judging_finish(&all[i]);
        }
    workspace_close(&grading->workspace);
    return grading->sum.score;
}

// Of a person's submissions the best counts; of equal ones the newest.
static void take_best(Grading *grading, SubmissionList *list)
{
    for (int i = 0; i < list->count; i++) {
        Submission *best = &list->all[i];
        if (best->is_other)
            continue;
        double most = worth(grading, best);
        for (int j = 0; j < list->count; j++) {
            Submission *other = &list->all[j];
            double value = j != i && strcmp(other->person, list->all[i].person) == 0
                               ? worth(grading, other)
                               : 0;
            if (value > most) {
                most = value;
                best->is_other = true;
                other->is_other = false;
                best = other;
            }
        }
    }
}

// --course, or course.yaml next to the submissions.
static bool open_course(Grading *grading, Error *err)
{
    char path[PLACE_PATH_MAX];
    const ExerciseList *list = &grading->workspace.exercises;
    snprintf(path, sizeof path, "%s/course.yaml", grading->folder);
    course_file_open(&grading->course, list);
    if (grading->course_path)
        return course_file_read(&grading->course, grading->course_path, list, err);
    return access(path, F_OK) != 0 || course_file_read(&grading->course, path, list, err);
}

static bool begin_all(Grading *grading, SubmissionList *list, Arena *arena, Error *err)
{
    const ExerciseList *exercises = &grading->workspace.exercises;
    int one = 0;
    grading->first = grading->only ? exercise_list_find(exercises, grading->only, err) : 0;
    grading->end = grading->only ? grading->first + 1 : exercises->count;
    if (grading->first < 0)
        return false;
    grading->judged = arena_take(arena, (size_t)grading->end, sizeof *grading->judged, err);
    if (!grading->judged || !open_course(grading, err) || !find_fence(grading, err) ||
        !submissions_open(list, grading->folder, grading->lessons, err))
        return false;
    for (int i = 0; i < list->count; i++)
        one += !list->all[i].is_other;
    if (grading->format->is_for_one && one != 1) // a platform that grades one at a time
        return error_set(err, TELL(FORMAT_ONE), grading->format->name, grading->folder, one);
    return open_journal(grading, err);
}

static bool judge_and_report(Grading *grading, Error *err)
{
    SubmissionList list = {.count = 0};
    Arena arena = {0};
    bool good = begin_all(grading, &list, &arena, err), has_others = false;
    if (good) {
        Workspace whole = grading->workspace; // stays open while others are opened
        list.example = grading->first;
        grading_report_odd(list.notes);
        report_fence(grading);
        measure(grading, &list);
        grading_work(grading, &list);
        for (int i = 0; good && i < list.count; i++) { // no child process may have looked at it
            has_others |= list.all[i].is_other;
            if (!list.all[i].is_other || grading->course.takes_best)
                good = submission_look(&list, &list.all[i], err);
        }
        if (good && grading->course.takes_best && has_others)
            take_best(grading, &list);
        good = good && submissions_note_others(&list, err) && report(grading, &list, err) &&
               grading_pages(grading, report, &list, err);
        journal_close(&grading->journal);
        grading->workspace = whole;
    }
    submissions_close(&list);
    arena_finish(&arena);
    return good;
}

bool grading_run(Grading *grading, Error *err)
{
    ExerciseList lessons;
    if (!exercise_list_open(&lessons, language_written(), err))
        return false;
    grading->lessons = &lessons;
    bool good = workspace_open_submission(&grading->workspace, grading->folder,
                                          &(WorkspaceFolders){NULL, false}, &lessons, err) &&
                judge_and_report(grading, err);
    course_file_close(&grading->course);
    workspace_close(&grading->workspace);
    exercise_list_close(&lessons);
    return good;
}

// --- text: a table with a row per submission, then why exercises failed

enum { CELL_USUAL = 3, CELL_OF_COURSE = 6, COLUMNS = 88, WHAT_COLUMNS = 120, ALIKE_MAX = 3 };

// The width of an exercise's column: points may be fractions.
static int cell(const Grading *grading)
{
    return grading->course.is_given ? CELL_OF_COURSE : CELL_USUAL;
}

static void pad_to(const Grading *grading, const char *text)
{
    const char *head = exercise_word(SAY_GRADE_HEAD);
    int width = utf8_width(head) > grading->name_width ? utf8_width(head) : grading->name_width;
    utf8_print(grading->out, text, width);
}

// The name in rows and remarks, with a limited width.
static const char *name_of(Grading *grading, Arena *arena)
{
    Error err;
    char *name = arena_take(arena, strlen(grading->name) + 4, 1, &err);
    if (name)
        utf8_shorten(grading->name, GRADING_NAME_COLUMNS, name);
    return grading_kept(grading, name);
}

static void begin(Grading *grading)
{
    grading_notes_begin(grading);
    json_whole_begin();
    grading->list = json_array(); // submissions without hints.txt
    grading->tested = 0;          // number of submissions
    pad_to(grading, exercise_word(SAY_GRADE_HEAD));
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i))
            fprintf(grading->out, "%*d", cell(grading), i + 1);
    fprintf(grading->out, "  %s\n", exercise_word(SAY_GRADE_POINTS));
}

static void submission(Grading *grading)
{
    Arena arena = {0};
    grading->tested++;
    grading->entry = json_array(); // pairs: exercise, why it failed
    pad_to(grading, name_of(grading, &arena));
    arena_finish(&arena);
}

static void write_cell(const Grading *grading, const Judging *judging)
{
    const VerdictTest *failure = verdict_first_failure(&judging->verdict);
    switch (judging->end) {
    case JUDGING_UNTOUCHED:
        fprintf(grading->out, "%*s", cell(grading), "~");
        return;
    case JUDGING_NOT_COMPILED:
        fprintf(grading->out, "%*s", cell(grading), "C");
        return;
    case JUDGING_NOT_JUDGED:
        fprintf(grading->out, "%*s", cell(grading), "?");
        return;
    case JUDGING_DONE:
        break;
    }
    if (failure && failure->end == VERDICT_BROKEN && judging->verdict.points == 0)
        fprintf(grading->out, "%*s", cell(grading), "!");
    else
        fprintf(grading->out, "%*.*g", cell(grading), 4, grading->mark.score);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    Arena arena = {0};
    const char *why = grading_why(grading, judging, &arena);
    write_cell(grading, judging);
    if (*why && !judging->is_nowhere) // otherwise a remark says it once
        json_array_append_new(grading->entry,
                              json_pack("{s:s, s:s, s:b}", "exercise",
                                        grading->workspace.exercises.exercises[number].name, "why",
                                        why, "closed", judging->is_closed));
    arena_finish(&arena);
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

// Unreadable files are alike whatever their names.
static bool is_alike(const json_t *one, const json_t *other)
{
    bool both_closed = json_is_true(json_object_get(one, "closed")) &&
                       json_is_true(json_object_get(other, "closed"));
    return both_closed || strcmp(text_of(one, "why"), text_of(other, "why")) == 0;
}

// The number of rows from `at` on with the same reason; 0 if an earlier row covered it.
static int count_alike(const json_t *rows, size_t at)
{
    const json_t *one = json_array_get(rows, at);
    int count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        count += is_alike(one, json_array_get(rows, i));
    for (size_t i = 0; i < at && count > ALIKE_MAX; i++)
        if (is_alike(one, json_array_get(rows, i)))
            return 0;
    return count;
}

// One line for equal reasons: "kim  24 files cannot be read: change their mode".
static void write_alike(Grading *grading, const json_t *row, int count)
{
    char number[16];
    FILE *out = grading->notes.out;
    snprintf(number, sizeof number, "%d", count);
    if (json_is_true(json_object_get(row, "closed"))) {
        exercise_say(out, SAY_FILES_CLOSED, number);
    } else {
        exercise_say(out, SAY_GRADE_ALIKE, count, text_of(row, "exercise"));
        fprintf(out, ": %s", text_of(row, "why"));
    }
    fputc('\n', out);
}

// Prints why a submission's exercises failed, before its remarks.
static void write_whys(Grading *grading)
{
    json_t *rows = grading->entry;
    Arena arena = {0};
    for (size_t i = 0; grading->notes.out && i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        int count = count_alike(rows, i);
        if (count == 0)
            continue;
        fprintf(grading->notes.out, "%s  ", name_of(grading, &arena));
        if (count > ALIKE_MAX)
            write_alike(grading, row, count);
        else
            fprintf(grading->notes.out, "%s: %s\n", text_of(row, "exercise"), text_of(row, "why"));
    }
    json_array_clear(rows);
    arena_finish(&arena);
}

// A missing hints.txt matters if others have one; if nobody has, it is reported once.
static void write_hintless(Grading *grading)
{
    size_t count = json_array_size(grading->list);
    bool is_nobody = count > 1 && count == (size_t)grading->tested;
    if (is_nobody)
        exercise_say(grading->out, SAY_HANDED_ALL_HINTLESS, HINT_FILE_NAME);
    for (size_t i = 0; i < count && !is_nobody; i++) {
        fprintf(grading->out, "%s  ", json_string_value(json_array_get(grading->list, i)));
        exercise_say(grading->out, SAY_HANDED_HINTLESS, HINT_FILE_NAME);
        fputc('\n', grading->out);
    }
    if (is_nobody)
        fputc('\n', grading->out);
}

static void note(Grading *grading, const GradingNote *note)
{
    write_whys(grading);
    if (note->word == SAY_HANDED_HINTLESS) {
        Arena names = {0};
        json_array_append_new(grading->list, json_string(name_of(grading, &names)));
        arena_finish(&names);
        return;
    }
    if (!grading->notes.out)
        return;
    Arena arena = {0};
    Error err;
    char *shorter = arena_take(&arena, strlen(note->what) + 4, 1, &err);
    if (shorter)
        utf8_shorten(note->what, WHAT_COLUMNS, shorter);
    fprintf(grading->notes.out, "%s  ", name_of(grading, &arena));
    GradingNote shown = *note;
    shown.what = shorter ? shorter : note->what;
    grading_note(grading, &shown);
    arena_finish(&arena);
}

static void submission_end(Grading *grading)
{
    write_whys(grading);
    json_decref(grading->entry);
    fprintf(grading->out, "  %.6g/%.6g\n", grading->sum.score, grading->sum.max);
}

// The legend of columns: "1 pad  5 project", wrapped.
static void name_columns(const Grading *grading)
{
    int column = 0;
    for (int i = grading->first; i < grading->end; i++) {
        const char *name = grading->lessons->exercises[i].name;
        int width = snprintf(NULL, 0, "%d %s", i + 1, name);
        if (!grading_asks(grading, i))
            continue;
        const char *before = column == 0 ? "" : column + 2 + width > COLUMNS ? "\n" : "  ";
        column = *before == ' ' ? column + 2 + width : width;
        fprintf(grading->out, "%s%d %s", before, i + 1, name);
    }
    fputc('\n', grading->out);
}

static void end(Grading *grading)
{
    char fence[WORKER_FENCE_TEXT_MAX];
    fputc('\n', grading->out);
    name_columns(grading);
    exercise_say(grading->out, SAY_GRADE_LEGEND);
    if (*grading->fence.text && grading->fence.parts != FENCE_WHOLE)
        exercise_say(grading->out, SAY_GRADE_FENCE, worker_fence_text(grading->fence.text, fence));
    const char *notes = grading_notes_end(grading);
    if (*notes || json_array_size(grading->list) > 0)
        fprintf(grading->out, "\n%s", notes);
    write_hintless(grading);
    Error err;
    grading->is_whole = grading->is_whole && json_whole(&err);
    json_decref(grading->list);
    grading_notes_drop(grading);
}

const GradingFormat grading_text = {
    .name = "text",
    .tells_fence = true,
    .begin = begin,
    .submission = submission,
    .exercise = exercise,
    .note = note,
    .submission_end = submission_end,
    .end = end,
};
