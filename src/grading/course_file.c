// A course's rules, and the time limits of submissions; see class.h.
#include "class.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "class_words.def"
#include "digest.h"
#include "grading.h"
#include "grading_internal.h"
#include "input_file.h"
#include "place.h"
#include "yaml_tree.h"

// --- budgets

enum {
    COMPILE_SECONDS = 8,
    COMPILE_LEAST = 1,
    TIME_LIMIT = 2500,
    TIME_LIMIT_LEAST = 500,
    SHARE_LEAST = BUDGET_PROGRAMS * (COMPILE_LEAST * 1000 + TIME_LIMIT_LEAST),
};

Budget budget_open(void)
{
    return (Budget){.compile_seconds = COMPILE_SECONDS, .time_limit = TIME_LIMIT};
}

static int at_most(int number, long most)
{
    return number < most ? number : (int)most;
}

bool budget_share(Budget *budget)
{
    long left = BUDGET_SECONDS * 1000L - budget->spent;
    if (left < SHARE_LEAST)
        return false;
    left /= BUDGET_PROGRAMS;
    budget->compile_seconds = at_most(budget->compile_seconds, (left - TIME_LIMIT_LEAST) / 1000);
    budget->time_limit = at_most(budget->time_limit, left - budget->compile_seconds * 1000L);
    return true;
}

static int half(int number, int least)
{
    return number / 2 > least ? number / 2 : least;
}

void budget_spend(Budget *budget, long compiled, long ran)
{
    bool compiled_slowly = compiled >= BUDGET_PROGRAMS * budget->compile_seconds * 500L;
    bool ran_slowly = ran >= BUDGET_PROGRAMS * budget->time_limit / 2L;
    budget->spent += compiled + ran;
    if (compiled_slowly)
        budget->compile_seconds = half(budget->compile_seconds, COMPILE_LEAST);
    if (ran_slowly)
        budget->time_limit = half(budget->time_limit, TIME_LIMIT_LEAST);
}

// --- the file

enum { SECONDS_A_DAY = 24 * 60 * 60, DAYS_MAX = 366, EAST_HOURS_MAX = 14 };

void course_file_open(CourseFile *course, const ExerciseList *list)
{
    *course = (CourseFile){.name = ""};
    for (int i = 0; i < list->count; i++)
        course->exercises[i] =
            (CourseFileExercise){.is_asked = true, .points = list->exercises[i].points};
}

static bool read_exercise(CourseFile *course, const YamlNode *node, const ExerciseList *list,
                          Error *err)
{
    static const char *const allowed[] = {"name", "points", "extra", NULL};
    const YamlNode *name = yaml_get(node, "name"), *points = yaml_get(node, "points"),
                   *extra = yaml_get(node, "extra");
    Error unknown;
    if (node->kind == YAML_SCALAR)
        name = node;
    else if (!yaml_only(node, allowed, err))
        return false;
    if (!name || name->kind != YAML_SCALAR)
        return yaml_error(node, err, TELL(COURSE_EXERCISE));
    int number = exercise_list_find(list, name->text, &unknown);
    if (number < 0)
        return yaml_error(name, err, "%s", unknown.text);
    CourseFileExercise *exercise = &course->exercises[number];
    if (exercise->is_asked)
        return yaml_error(name, err, TELL(COURSE_TWICE), name->text);
    exercise->is_asked = true;
    exercise->points = list->exercises[number].points;
    if (points && !yaml_number(points, &exercise->points, err))
        return false;
    if (!(exercise->points > 0 && exercise->points <= 1e6))
        return yaml_error(points, err, TELL(COURSE_POINTS));
    return !extra || yaml_boolean(extra, &exercise->is_extra, err);
}

static bool read_exercises(CourseFile *course, const YamlNode *node, const ExerciseList *list,
                           Error *err)
{
    if (!node)
        return true;
    if (node->kind != YAML_LIST || node->count == 0)
        return yaml_error(node, err, TELL(COURSE_LIST));
    for (int i = 0; i < list->count; i++)
        course->exercises[i].is_asked = false;
    for (const YamlNode *one = node->first; one; one = one->next)
        if (!read_exercise(course, one, list, err))
            return false;
    return true;
}

// A number with at most so many digits, within limits.
static bool take_number(const char **at, int figures, int low, int high, int *number)
{
    *number = 0;
    int taken = 0;
    for (; taken < figures && isdigit((unsigned char)**at); taken++)
        *number = 10 * *number + (*(*at)++ - '0');
    return taken > 0 && *number >= low && *number <= high;
}

static bool take_mark(const char **at, char mark)
{
    bool is_there = **at == mark;
    *at += is_there;
    return is_there;
}

// "2026-12-01" or "20261201", a valid date.
static bool take_day(const char **at, struct tm *when)
{
    int year, month;
    const char *start = *at;
    bool good = take_number(at, 4, 1970, 9999, &year);
    bool has_dashes = take_mark(at, '-');
    good = good && take_number(at, 2, 1, 12, &month) && (!has_dashes || take_mark(at, '-')) &&
           take_number(at, 2, 1, 31, &when->tm_mday);
    if (!good || (!has_dashes && *at - start != 8))
        return false;
    when->tm_year = year - 1900;
    when->tm_mon = month - 1;
    struct tm day = *when;
    timegm(&day);
    return day.tm_mday == when->tm_mday; // mktime turns November 31 into December 1
}

// ":30", or "30" in the form without colons; not ":5".
static bool take_part(const char **at, bool has_colons, int *part)
{
    if (has_colons && !take_mark(at, ':'))
        return false;
    const char *start = *at;
    return take_number(at, 2, 0, 59, part) && *at - start == 2;
}

// "23:59", "23:59:00", "23:59:00.000", also without colons; 24:00 is the end of the day.
static bool take_time(const char **at, struct tm *when)
{
    if (!take_number(at, 2, 0, 24, &when->tm_hour))
        return false;
    bool has_colons = **at == ':';
    when->tm_sec = 0;
    if (!take_part(at, has_colons, &when->tm_min))
        return false;
    bool has_seconds = **at == ':' || isdigit((unsigned char)**at);
    if (has_seconds && !take_part(at, has_colons, &when->tm_sec))
        return false;
    if (has_seconds &&
        (take_mark(at, '.') || take_mark(at, ','))) { // fractions of a second are ignored
        size_t figures = strspn(*at, "0123456789");
        if (figures == 0)
            return false;
        *at += figures;
    }
    return when->tm_hour < 24 || (when->tm_min == 0 && when->tm_sec == 0);
}

// The time zone: "Z", "+09:00", "+0900", "+09"; nothing means local time. Returns false for anything else.
static bool take_clock(const char **at, bool *is_given, int *east)
{
    int hours = 0, minutes = 0;
    char sign = **at;
    *is_given = sign != '\0';
    *east = 0;
    if (!*is_given || take_mark(at, 'Z') || take_mark(at, 'z'))
        return true;
    if (!take_mark(at, '+') && !take_mark(at, '-'))
        return false;
    if (!take_number(at, 2, 0, EAST_HOURS_MAX, &hours))
        return false;
    if (**at && !take_part(at, **at == ':', &minutes))
        return false;
    *east = (sign == '-' ? -60 : 60) * (hours * 60 + minutes);
    return hours < EAST_HOURS_MAX || minutes == 0;
}

// "2026-12-01", "2026-12-01 23:59", and ISO 8601 as calendars export it: "2026-12-01T23:59:00Z".
static bool read_deadline(CourseFile *course, const YamlNode *node, Error *err)
{
    struct tm when = {.tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1};
    bool has_clock = false;
    int east = 0;
    if (!node)
        return true;
    const char *at = node->kind == YAML_SCALAR ? node->text : "";
    bool good = take_day(&at, &when);
    bool has_time = take_mark(&at, 'T') || take_mark(&at, 't') ||
                    (*at == ' ' && isdigit((unsigned char)at[strspn(at, " ")]));
    at += has_time ? strspn(at, " ") : 0;
    good = good && (!has_time || take_time(&at, &when));
    at += strspn(at, " ");
    good = good && take_clock(&at, &has_clock, &east);
    if (!good || *at)
        return yaml_error(node, err, TELL(COURSE_DEADLINE));
    course->deadline = has_clock ? (long long)timegm(&when) - east : (long long)mktime(&when);
    course->has_deadline = true;
    return true;
}

static bool read_late(CourseFile *course, const YamlNode *node, Error *err)
{
    static const char *const allowed[] = {"days", "cost", NULL};
    int64_t days = 0;
    const YamlNode *given = node ? yaml_get(node, "days") : NULL,
                   *cost = node ? yaml_get(node, "cost") : NULL;
    if (!node)
        return true;
    if (node->kind != YAML_MAP || !given || !cost)
        return yaml_error(node, err, TELL(COURSE_LATE));
    if (!course->has_deadline)
        return yaml_key_error(node, err, TELL(COURSE_LATE_ALONE));
    if (!yaml_only(node, allowed, err) || !yaml_integer(given, 0, DAYS_MAX, &days, err) ||
        !yaml_number(cost, &course->late_cost, err))
        return false;
    course->late_days = (int)days;
    return (course->late_cost >= 0 && course->late_cost <= 100) ||
           yaml_error(cost, err, TELL(COURSE_COST));
}

static bool read_hint_cost(CourseFile *course, const YamlNode *node, Error *err)
{
    if (!node)
        return true;
    if (!yaml_number(node, &course->hint_cost, err))
        return false;
    return (course->hint_cost >= 0 && course->hint_cost <= 100) ||
           yaml_error(node, err, TELL(COURSE_HINT_COST));
}

// One of two words; otherwise sets err, with both.
static bool read_word(const YamlNode *node, const char *yes, const char *no, bool *value,
                      Error *err)
{
    if (!node)
        return true;
    const char *text = node->kind == YAML_SCALAR ? node->text : "";
    *value = strcmp(text, yes) == 0;
    return *value || strcmp(text, no) == 0 ||
           yaml_error(node, err, TELL(COURSE_EITHER), node->key, yes, no);
}

static bool read_tree(CourseFile *course, const YamlNode *root, const ExerciseList *list,
                      Error *err)
{
    static const char *const allowed[] = {"name",     "exercises", "deadline", "late", "hint_cost",
                                          "versions", "seeds",     "fence",    NULL};
    const YamlNode *name = yaml_get(root, "name"), *seeds = yaml_get(root, "seeds");
    if (root->kind != YAML_MAP)
        return yaml_error(root, err, TELL(COURSE_MAP));
    if (!yaml_only(root, allowed, err))
        return false;
    if (name && name->kind != YAML_SCALAR)
        return yaml_error(name, err, TELL(COURSE_NAME));
    if (seeds && (seeds->kind != YAML_SCALAR || !*seeds->text))
        return yaml_error(seeds, err, TELL(COURSE_SEEDS));
    course->name = name ? name->text : "";
    course->seeds = seeds ? seeds->text : NULL;
    return read_exercises(course, yaml_get(root, "exercises"), list, err) &&
           read_deadline(course, yaml_get(root, "deadline"), err) &&
           read_late(course, yaml_get(root, "late"), err) &&
           read_hint_cost(course, yaml_get(root, "hint_cost"), err) &&
           read_word(yaml_get(root, "versions"), "best", "last", &course->takes_best, err) &&
           read_word(yaml_get(root, "fence"), "whole", "any", &course->needs_fence, err);
}

bool course_file_read(CourseFile *course, const char *path, const ExerciseList *list, Error *err)
{
    course_file_open(course, list);
    course->is_given = true;
    const YamlNode *root = yaml_read_file(path, &course->arena, err);
    bool good = root && read_tree(course, root, list, err);
    if (!good)
        course_file_close(course);
    return good;
}

void course_file_close(CourseFile *course)
{
    arena_finish(&course->arena);
}

long long course_file_seed(const CourseFile *course, const char *person, long long seed)
{
    char digest[DIGEST_TEXT_MAX], first[13];
    Arena arena = {0};
    Error err;
    if (!course->seeds)
        return seed;
    const char *text = arena_format(&arena, &err, "%s\n%s\n%lld", course->seeds, person, seed);
    snprintf(first, sizeof first, "%s", text ? bytes_digest(text, strlen(text), digest) : "0");
    arena_finish(&arena);
    return strtoll(first, NULL, 16); // 48 bits, also valid for --seed
}

long long course_file_days_late(const CourseFile *course, long long when)
{
    long long late = when - course->deadline;
    return course->has_deadline && late > 0 ? (late + SECONDS_A_DAY - 1) / SECONDS_A_DAY : 0;
}

double course_file_real_days_late(const CourseFile *course, long long when)
{
    double late = (double)(when - course->deadline) / SECONDS_A_DAY;
    return course->has_deadline && late > 0 ? late : 0;
}

double course_file_part(const CourseFile *course, long long days_late)
{
    double part = 1.0 - (double)days_late * course->late_cost / 100.0;
    if (days_late > course->late_days)
        return 0.0;
    return part > 0.0 ? part : 0.0;
}

double course_file_hint_part(const CourseFile *course, int hints)
{
    double part = 1.0 - (double)hints * course->hint_cost / 100.0;
    return part > 0.0 ? part : 0.0;
}

// --- grade --init

enum { FILE_BYTES_MAX = 1 << 20 };

// Creates the folders of a file.
static bool make_folders(char *path, Error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!made)
            error_number(err, errno, TELL(INIT_UNMADE), path, error_reason(errno));
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_file(const char *path, mode_t mode, const void *bytes, size_t length, Error *err)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool good = file >= 0 && write(file, bytes, length) == (ssize_t)length;
    if (!good && errno == EEXIST)
        error_set(err, TELL(INIT_THERE), path);
    else if (!good)
        error_unwritten(err, errno, path);
    if (file >= 0 && close(file) != 0 && good)
        good = error_unwritten(err, errno, path);
    return good;
}

// "755 setup.sh", "644 .github/workflows/classroom.yml classroom.yml"
static bool write_listed(const char *line, const char *from, const char *folder, Error *err)
{
    char name[256], source[256] = "";
    unsigned mode;
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    if (sscanf(line, "%o %255s %255s", &mode, name, source) < 2)
        return true;
    const char *path = arena_format(&arena, err, "%s/%s", from, *source ? source : name);
    char *to = arena_format(&arena, err, "%s/%s", folder, name);
    bool good = path && to && input_file_all(path, FILE_BYTES_MAX, &arena, &bytes, &length, err) &&
                make_folders(to, err) && write_file(to, (mode_t)mode, bytes, length, err);
    if (good)
        printf("%s\n", to);
    arena_finish(&arena);
    return good;
}

static const char platforms[] = // each with a blank behind it
#define GRADING_PLATFORM(x, ...) #x " "
#include "grading_platforms.def"
#undef GRADING_PLATFORM
    ;

static bool is_platform(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = platforms; *at; at += strcspn(at, " ") + 1)
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

bool grading_init(const char *platform, const char *folder, Error *err)
{
    char from[PLACE_PATH_MAX], name[64];
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    snprintf(name, sizeof name, "platforms/%s", platform);
    if (!is_platform(platform))
        return error_set(err, TELL(INIT_PLATFORM), platforms, platform);
    if (!place_find(PLACE_LESSONS, name, from, err))
        return false;
    const char *list = arena_format(&arena, err, "%s/files.txt", from);
    bool good = list && input_file_all(list, FILE_BYTES_MAX, &arena, &bytes, &length, err);
    char *text = good ? arena_format(&arena, err, "%.*s", (int)length, (const char *)bytes) : NULL;
    char *rest = NULL;
    good = text != NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && good;
         line = strtok_r(NULL, "\n", &rest))
        good = write_listed(line, from, folder, err);
    arena_finish(&arena);
    return good;
}
