// course.yaml. What is accepted says what its text says: a deadline is the very minute that stands there,
// and nothing that is counted by it leaves its bounds. What is refused is refused at a place in the text.
#include "course_file.h"
#include "fuzz.h"
#include "yaml_tree.h"

#include <ctype.h>
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

// The numbers of the text, whatever stands between them; how many.
static int numbers_of(const char *text, int numbers[7])
{
    int count = 0;
    while (*text && count < 7)
        if (isdigit((unsigned char)*text)) {
            char *rest;
            numbers[count++] = (int)strtol(text, &rest, 10);
            text = rest;
        } else {
            text++;
        }
    return count;
}

static void check_deadline(const CourseFile *course, const char *text)
{
    int numbers[7] = {0}, count = numbers_of(text, numbers);
    const char *dash = strchr(text, '-');
    dash = dash ? strchr(dash + 1, '-') : NULL;
    const char *zone = dash ? strpbrk(dash + 1, "+-") : NULL;
    bool has_zone = zone != NULL;
    bool has_time = count - (has_zone ? 2 : 0) == 5;
    long long day = day_number(numbers[0], numbers[1], numbers[2]);
    fuzz_must(strspn(text, "0123456789-+: TZ") == strlen(text) && numbers[0] >= 1970 && day >= 0,
              "%s names a day", text);
    fuzz_must(has_time || count == (has_zone ? 5 : 3), "%s has a time or none", text);
    long long seconds = has_time ? numbers[3] * 3600 + numbers[4] * 60 : 24 * 3600 - 1;
    fuzz_must(!has_time || (numbers[3] <= 23 && numbers[4] <= 59), "%s is a time of day", text);
    if (has_zone) {
        long long east = numbers[count - 2] * 3600 + numbers[count - 1] * 60;
        seconds += *zone == '-' ? east : -east;
    }
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
