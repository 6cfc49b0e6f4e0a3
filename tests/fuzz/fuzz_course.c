// course.yaml. What is accepted says what its text says: a deadline is the very minute that stands there,
// and nothing that is counted by it leaves its bounds. What is refused is refused at a place in the text.
#include "class.h"
#include "fuzz.h"
#include "yaml_tree.h"

#include <oniguruma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ExerciseList list;

// Once, by a clock that tells a time without a zone as one of Greenwich.
static void begin(void)
{
    Error err;
    if (list.count > 0)
        return;
    setenv("TZ", "UTC0", 1);
    fuzz_must(exercise_list_open(&list, LANGUAGE_ENGLISH, &err), "there are exercises: %s",
              err.text);
}

// --- refusals

// "PATH:LINE:COLUMN: " lies in the text, whose lines may end as YAML's do.
static void check_place(const Error *err, const char *path, const uint8_t *data, size_t size)
{
    int line, column, lines = 1;
    size_t length = strlen(path);
    if (strncmp(err->text, path, length) != 0 ||
        sscanf(err->text + length, ":%d:%d: ", &line, &column) != 2)
        return;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n' || data[i] == '\r' || data[i] == 0x85 || data[i] == 0xA8 ||
                 data[i] == 0xA9;
    fuzz_must(line >= 1 && line <= lines, "%s is one of %d lines", err->text, lines);
    fuzz_must(column >= 1 && (size_t)column <= size + 1, "%s is a column", err->text);
}

// --- the deadline

// Days since 1970 of a day of the Gregorian calendar, counted one by one; -1: there is no such day.
static long long day_number(int year, int month, int day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    long long days = 0;
    bool leaps = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1 || day > lengths[month - 1] + (leaps && month == 2))
        return -1;
    for (int y = 1970; y < year; y++)
        days += (y % 4 == 0 && y % 100 != 0) || y % 400 == 0 ? 366 : 365;
    for (int m = 1; m < month; m++)
        days += lengths[m - 1] + (leaps && m == 2);
    return days + day - 1;
}

// ISO 8601 as a pattern, and which of its parentheses holds what.
static const char form[] = "^([0-9]{4})-?([0-9]{1,2})-?([0-9]{1,2})"
                           "([Tt ] *([0-9]{1,2}):?([0-9]{2})(:?([0-9]{2})([.,][0-9]+)?)?)? *"
                           "([Zz]|([+-])([0-9]{1,2})(:?([0-9]{2}))?)?$";
enum {
    YEAR = 1,
    MONTH = 2,
    DAY = 3,
    TIME = 4,
    HOUR = 5,
    MINUTE = 6,
    SECOND = 8,
    SIGN = 11,
    EAST_HOUR = 12,
    EAST_MINUTE = 14
};

// 0 where nothing stands there.
static int number_of(const char *text, const OnigRegion *found, int group)
{
    int number = 0;
    for (int at = found->beg[group]; at >= 0 && at < found->end[group]; at++)
        number = number * 10 + (text[at] - '0');
    return number;
}

static int seconds_of(const char *text, const OnigRegion *found, int hour, int minute)
{
    return number_of(text, found, hour) * 3600 + number_of(text, found, minute) * 60;
}

// Where the parts of a time are; the caller frees it. NULL: this is not a time.
static OnigRegion *find_parts(const char *text)
{
    static regex_t *pattern;
    const OnigUChar *begin = (const OnigUChar *)text, *end = begin + strlen(text);
    OnigRegion *found = onig_region_new();
    if (!pattern)
        onig_new(&pattern, (const OnigUChar *)form, (const OnigUChar *)form + strlen(form),
                 ONIG_OPTION_NONE, ONIG_ENCODING_ASCII, ONIG_SYNTAX_POSIX_EXTENDED, NULL);
    if (found && onig_match(pattern, begin, end, begin, found, ONIG_OPTION_NONE) >= 0)
        return found;
    onig_region_free(found, 1);
    return NULL;
}

static void check_deadline(const CourseFile *course, const char *text)
{
    OnigRegion *found = find_parts(text);
    fuzz_must(found, "%s is a time", text);
    long long day = day_number(number_of(text, found, YEAR), number_of(text, found, MONTH),
                               number_of(text, found, DAY));
    fuzz_must(number_of(text, found, YEAR) >= 1970 && day >= 0, "%s names a day", text);
    bool has_time = found->beg[TIME] >= 0;
    long long seconds = 24 * 3600 - 1;
    if (has_time)
        seconds = seconds_of(text, found, HOUR, MINUTE) + number_of(text, found, SECOND);
    fuzz_must(seconds <= 24 * 3600 && number_of(text, found, MINUTE) <= 59 &&
                  number_of(text, found, SECOND) <= 59,
              "%s is a time of day", text);
    int east = seconds_of(text, found, EAST_HOUR, EAST_MINUTE);
    fuzz_must(east <= 14 * 3600 && number_of(text, found, EAST_MINUTE) <= 59,
              "%s is a clock of the earth", text);
    seconds += found->beg[SIGN] >= 0 && text[found->beg[SIGN]] == '-' ? east : -east;
    onig_region_free(found, 1);
    fuzz_must(course->deadline == day * 86400 + seconds, "%s is %lld, not %lld", text,
              day * 86400 + seconds, course->deadline);
}

// --- what is counted by it

static void check_parts(const CourseFile *course)
{
    double before = 1.0, hint_before = 1.0;
    for (int days = 0; days < 400; days++) {
        double part = course_file_part(course, days), hint = course_file_hint_part(course, days);
        fuzz_must(part >= 0.0 && part <= before && hint >= 0.0 && hint <= hint_before,
                  "later counts no more: %g, %g at %d", part, hint, days);
        before = part;
        hint_before = hint;
    }
    fuzz_must(course_file_days_late(course, course->deadline) == 0, "in time is in time");
    fuzz_must(course_file_days_late(course, course->deadline + 1) == course->has_deadline,
              "and a second later is late");
    fuzz_must(course_file_seed(course, "anna", 3) >= 0, "a seed is one that --seed takes");
}

static void check(const CourseFile *course, const char *path)
{
    Arena arena = {0};
    Error err;
    const YamlNode *root = yaml_read_file(path, &arena, &err), *deadline = NULL;
    int asked = 0;
    for (int i = 0; i < list.count; i++) {
        const CourseFileExercise *exercise = &course->exercises[i];
        asked += exercise->is_asked;
        fuzz_must(exercise->points > 0.0 && exercise->points <= 1e6, "points are points");
    }
    fuzz_must(asked > 0 && course->is_given && course->name, "something is asked for");
    fuzz_must(!course->seeds || course->seeds[0], "what seeds are made of is something");
    deadline = root ? yaml_get(root, "deadline") : NULL;
    fuzz_must(course->has_deadline == (deadline != NULL), "it has a deadline where it says one");
    if (deadline)
        check_deadline(course, deadline->text);
    check_parts(course);
    arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static CourseFile course;
    Error err = {.text = ""};
    begin();
    const char *path = fuzz_write("course.yaml", data, size);
    if (!course_file_read(&course, path, &list, &err)) {
        fuzz_refused(&err);
        check_place(&err, path, data, size);
        return 0;
    }
    check(&course, path);
    course_file_close(&course);
    return 0;
}
