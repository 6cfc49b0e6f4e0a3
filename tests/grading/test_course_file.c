// course.yaml: what it says, and what is wrong with it, in the place where it stands.
#include <stdio.h>
#include <string.h>
#include "class.h"
#include "scratch.h"
#include "suite.h"

static ExerciseList list;
static CourseFile course;
static Error err;

static void teardown(void)
{
    course_file_close(&course);
    scratch_close();
}

// Reads this text as a course, in the place of the one before.
static bool reads(const char *text)
{
    course_file_close(&course);
    return course_file_read(&course, scratch_write("course.yaml", text, strlen(text)), &list, &err);
}

static int number_of(const char *name)
{
    return exercise_list_find(&list, name, &err);
}

START_TEST(a_course_says_what_counts)
{
    ck_assert_msg(reads("name: Spring\n"
                        "exercises:\n  - {name: score, points: 20}\n  - scale\n"
                        "  - {name: dropout, extra: true}\n"
                        "deadline: 2026-12-01 12:00 Z\nlate: {days: 2, cost: 25}\n"
                        "versions: best\nfence: whole\n"),
                  "%s", err.text);
    ck_assert_str_eq(course.name, "Spring");
    ck_assert(course.exercises[number_of("score")].is_asked);
    ck_assert_double_eq(course.exercises[number_of("score")].points, 20);
    ck_assert_double_eq(course.exercises[number_of("scale")].points, 10);
    ck_assert(course.exercises[number_of("dropout")].is_extra);
    ck_assert(!course.exercises[number_of("softmax")].is_asked);
    ck_assert(course.takes_best && course.needs_fence);
    ck_assert_int_eq(course.deadline, 1796126400); // date -ud '2026-12-01 12:00' +%s
}

START_TEST(a_day_ends_with_its_last_second)
{
    ck_assert(reads("deadline: 2026-12-01 Z\n"));
    ck_assert_int_eq(course.deadline, 1796169599); // date -ud '2026-12-01 23:59:59' +%s
    ck_assert(reads("deadline: 2026-12-01 +09:00\n"));
    ck_assert_int_eq(course.deadline, 1796169599 - 9 * 3600);
}

// As ISO 8601 and RFC 3339 write it; date -ud '2026-12-01 23:59:00' +%s is 1796169540.
static const struct {
    const char *text;
    long long when;
} moments[] = {
    {"2026-12-01T23:59:00Z", 1796169540},      {"\"2026-12-01T23:59:00Z\"", 1796169540},
    {"2026-12-01T23:59Z", 1796169540},         {"2026-12-01t23:59:00z", 1796169540},
    {"2026-12-01 23:59:30Z", 1796169570},      {"2026-12-01T23:59:30.999Z", 1796169570},
    {"2026-12-01T23:59:30,5Z", 1796169570},    {"2026-12-02T08:59:00+09:00", 1796169540},
    {"2026-12-02T08:59:00+0900", 1796169540},  {"2026-12-02T08:59:00 +09", 1796169540},
    {"2026-12-01T18:29:00-05:30", 1796169540}, {"20261201T235900Z", 1796169540},
    {"20261201T2359+0000", 1796169540},        {"2026-12-01T24:00:00Z", 1796169600},
};

START_TEST(a_deadline_is_written_as_others_export_it)
{
    char text[64];
    snprintf(text, sizeof text, "deadline: %s\n", moments[_i].text);
    ck_assert_msg(reads(text), "%s", err.text);
    ck_assert_int_eq(course.deadline, moments[_i].when);
}

START_TEST(days_late_cost_what_is_said)
{
    ck_assert(reads("deadline: 2026-12-01 21:00 +09:00\nlate: {days: 2, cost: 25}\n"));
    long long noon = 1796126400;
    ck_assert_int_eq(course_file_days_late(&course, noon), 0);
    ck_assert_int_eq(course_file_days_late(&course, noon + 1), 1);
    ck_assert_int_eq(course_file_days_late(&course, noon + 86400), 1);
    ck_assert_int_eq(course_file_days_late(&course, noon + 86401), 2);
    ck_assert_double_eq(course_file_part(&course, 0), 1.0);
    ck_assert_double_eq(course_file_part(&course, 2), 0.5);
    ck_assert_double_eq(course_file_part(&course, 3), 0.0);
}

START_TEST(hints_cost_what_is_said)
{
    ck_assert(reads("hint_cost: 15\n"));
    ck_assert_double_eq(course_file_hint_part(&course, 0), 1.0);
    ck_assert_double_eq(course_file_hint_part(&course, 2), 0.7); // 1 - 2 x 0.15
    ck_assert(reads("hint_cost: 40\n"));
    ck_assert_double_eq(course_file_hint_part(&course, 3), 0.0);
    ck_assert(reads("fence: any\n"));
    ck_assert_double_eq(course_file_hint_part(&course, 3), 1.0);
}

START_TEST(seeds_are_each_persons_own)
{
    ck_assert(reads("seeds: plum\n"));
    long long anna = course_file_seed(&course, "anna", 1),
              bert = course_file_seed(&course, "bert", 1);
    ck_assert(anna != bert && anna >= 0 && bert >= 0);
    ck_assert(course_file_seed(&course, "anna", 1) == anna);
    ck_assert(reads("seeds: pear\n"));
    ck_assert(course_file_seed(&course, "anna", 1) != anna);
    course_file_close(&course);
    course_file_open(&course, &list);
    ck_assert_int_eq(course_file_seed(&course, "anna", 7), 7);
}

static const struct {
    const char *text, *place, *words;
} wrong[] = {
    {"exercises: [skore]\n", ":1:13:", "score"},
    {"exercises: [score, score]\n", ":1:20:", "twice"},
    {"exercises: []\n", ":1:12:", "a list"},
    {"exercises:\n  - {name: score, points: -1}\n", ":2:27:", "above 0"},
    {"exercises:\n  - {name: score, wieght: 1}\n", ":2:19:", "wieght"},
    {"exercises:\n  - {points: 1}\n", ":2:5:", "needs a name"},
    {"deadline: tomorrow\n", ":1:11:", "2026-12-01 23:59"},
    {"deadline: 2026121\n", ":1:11:", "2026-12-01 23:59"},
    {"deadline: 20261201T2:5\n", ":1:11:", "2026-12-01 23:59"},
    {"deadline: 2026-13-01\n", ":1:11:", "a day"},
    {"deadline: 2027-02-29\n", ":1:11:", "a day"},
    {"deadline: 26-12-01 23:59\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01 -1:30 Z\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01 12:00 CET\n", ":1:11:", "time zone"},
    {"deadline: 2026-02-30T12:00:00Z\n", ":1:11:", "a day"},
    {"deadline: 2026-13-01T12:00:00Z\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T25:00:00Z\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T24:01:00Z\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:60:00Z\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:00:61Z\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:00:00.Z\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:00:00+25:00\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:00:00+14:30\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:00:00+09:60\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:00:00+\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:00:00Z+09:00\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12\n", ":1:11:", "a day"},
    {"deadline: 2026-1201\n", ":1:11:", "a day"},
    {"deadline: 2026-12-01T12:0000Z\n", ":1:11:", "a day"},
    {"late: {days: 3, cost: 10}\n", ":1:1:", "needs a deadline"},
    {"deadline: 2026-12-01\nlate: {days: 3, cost: 101}\n", ":2:23:", "from 0 to 100"},
    {"deadline: 2026-12-01\nlate: 3\n", ":2:7:", "needs both"},
    {"versions: first\n", ":1:11:", "best or last"},
    {"fence: high\n", ":1:8:", "whole or any"},
    {"seeds: ''\n", ":1:8:", "secret"},
    {"hint_cost: much\n", ":1:12:", "number"},
    {"hint_cost: 101\n", ":1:12:", "from 0 to 100"},
    {"hint_cost: -1\n", ":1:12:", "percentage"},
    {"dedline: 2026-12-01\n", ":1:1:", "deadline"},
    {"- score\n", ":1:1:", "a map"},
};

START_TEST(what_is_wrong_has_its_place)
{
    ck_assert(!reads(wrong[_i].text));
    ck_assert_msg(strstr(err.text, wrong[_i].place) && strstr(err.text, wrong[_i].words), "%s",
                  err.text);
}

int main(void)
{
    Suite *suite = suite_create("course");
    TCase *tests = tcase_create("course");
    Error unread;
    if (!exercise_list_open(&list, LANGUAGE_ENGLISH, &unread))
        return 1;
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, scratch_open, teardown);
    tcase_add_test(tests, a_course_says_what_counts);
    tcase_add_test(tests, a_day_ends_with_its_last_second);
    tcase_add_loop_test(tests, a_deadline_is_written_as_others_export_it, 0,
                        sizeof moments / sizeof *moments);
    tcase_add_test(tests, days_late_cost_what_is_said);
    tcase_add_test(tests, hints_cost_what_is_said);
    tcase_add_test(tests, seeds_are_each_persons_own);
    tcase_add_loop_test(tests, what_is_wrong_has_its_place, 0, sizeof wrong / sizeof *wrong);
    return suite_run(suite);
}
