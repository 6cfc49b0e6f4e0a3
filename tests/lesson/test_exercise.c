// Exercises as they are written: a folder becomes a value, and what is wrong is said with its place.
#include "exercise.h"

#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Exercise exercise;
static Error err;

#define FACTS "points: 10\nstage: mask\nwhen: causal\noutput: 1\n"
#define TASK "# A title\n\nThe task.\n\nMore.\n"
#define HINTS \
    "## 1\n\nFirst.\n\n## 2\nSecond\n" \
    "\n```c\n## not a heading\n```\n## 3\nThird\n\n## Lecture\n\n02-two#scale\n\nLook there.\n"

// Writes a file of the exercise's folder.
static void put(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "exercises/09-scale/%s", name);
    scratch_write(path, text, strlen(text));
}

static void open_scratch(void)
{
    scratch_open();
    scratch_folder("exercises");
    scratch_folder("exercises/09-scale");
    setenv("ATTNSCOPE_LESSONS", scratch_path("."), 1);
    put("exercise.yaml", FACTS);
    put("exercise.c", "int stub;\n");
    put("task.md", TASK);
    put("hints.md", HINTS);
}

static bool reads(Language language)
{
    err = (Error){.text = ""};
    return exercise_open(&exercise, scratch_path("exercises/09-scale"), language, &err);
}

// A file with this text is refused; the sentence begins with the place, after the folder's name.
static void refuses(const char *name, const char *text, const char *place, const char *word)
{
    put(name, text);
    ck_assert_msg(!reads(LANGUAGE_ENGLISH), "it was read");
    const char *at = strstr(err.text, "09-scale/");
    ck_assert_msg(at && strncmp(at + 9, place, strlen(place)) == 0, "%s", err.text);
    ck_assert_msg(strstr(err.text, word) != NULL, "%s", err.text);
}

TEST(a_folder_becomes_an_exercise)
{
    ck_assert_msg(reads(LANGUAGE_ENGLISH), "%s", err.text);
    ck_assert_str_eq(exercise.name, "scale");
    ck_assert_int_eq(exercise.order, 9);
    ck_assert_int_eq(exercise.points, 10);
    ck_assert_str_eq(exercise.stage, "mask");
    ck_assert_int_eq(exercise.when, EXERCISE_CAUSAL);
    ck_assert_int_eq(exercise.output, 1);
    ck_assert_str_eq(exercise.title, "A title");
    ck_assert_str_eq(exercise.task, "The task.\n\nMore.");
    ck_assert_str_eq(exercise.hints[0], "First.");
    ck_assert_str_eq(exercise.hints[1], "Second\n\n```c\n## not a heading\n```");
    ck_assert_str_eq(exercise.hints[2], "Third");
    ck_assert_str_eq(exercise.lecture, "02-two");
    ck_assert_str_eq(exercise.page, "scale");
    ck_assert_str_eq(exercise.lecture_text, "Look there.");
    ck_assert_str_eq(exercise.stub, "int stub;\n");
    exercise_close(&exercise);
}

TEST(what_may_be_left_out)
{
    put("exercise.yaml", "points: 3\n");
    ck_assert_msg(reads(LANGUAGE_ENGLISH), "%s", err.text);
    ck_assert_ptr_null(exercise.stage);
    ck_assert_int_eq(exercise.when, EXERCISE_ALWAYS);
    ck_assert_int_eq(exercise.output, -1);
    exercise_close(&exercise);
}

TEST(korean_where_it_is_written_in_it)
{
    put("task.ko.md", "# 제목\n\n과제.\n");
    ck_assert_msg(reads(LANGUAGE_KOREAN), "%s", err.text);
    ck_assert_str_eq(exercise.title, "제목");
    ck_assert_str_eq(exercise.hints[0], "First.");
    exercise_close(&exercise);
    ck_assert(reads(LANGUAGE_ENGLISH));
    ck_assert_str_eq(exercise.title, "A title");
    exercise_close(&exercise);
}

TEST(what_is_wrong_is_said_with_its_place)
{
    refuses("task.md", "A title\n", "task.md:1:", "# Title");
    refuses("task.md", "# A title\n\n\n", "task.md:2:", "the task after");
    refuses("task.md", "\xff\n", "task.md:", "UTF-8");
    put("task.md", TASK);
    refuses("hints.md", "## 1\na\n## 2\nb\n## 2\nc\n", "hints.md:5:", "## 2");
    refuses("hints.md", "## 1\na\n\n## 4\nb\n", "hints.md:4:", "## 4");
    refuses("hints.md", "## 1\n\n## 2\nb\n", "hints.md:1:", "nothing");
    refuses("hints.md", "## 1\na\n## 2\nb\n## 3\nc\n", "hints.md:", "## Lecture");
    refuses("hints.md", "## 1\na\n## 2\nb\n## Lecture\nx#y\n", "hints.md:", "## 3 is missing");
    refuses("hints.md", "## Lecture\nsee there\n", "hints.md:2:", "LECTURE#PAGE");
    put("hints.md", HINTS);
    refuses("exercise.yaml", "stage: mask\n", "exercise.yaml:1:", "points");
    refuses("exercise.yaml", "points: many\n", "exercise.yaml:1:9:", "whole number");
    refuses("exercise.yaml", "points: 3\nstages: a\n", "exercise.yaml:2:1:", "stage");
    refuses("exercise.yaml", "points: 3\nwhen: never\n", "exercise.yaml:2:7:", "causal");
}

TEST(the_list_is_in_the_order_of_the_numbers)
{
    ExerciseList list;
    static const char *const files[] = {"exercise.yaml", "exercise.c", "task.md", "hints.md"};
    static const char *const texts[] = {FACTS, "int stub;\n", TASK, HINTS};
    scratch_folder("exercises/10-causal-mask");
    scratch_folder("exercises/2-first");
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "exercises/10-causal-mask/%s", files[i]);
        scratch_write(path, texts[i], strlen(texts[i]));
        snprintf(path, sizeof path, "exercises/2-first/%s", files[i]);
        scratch_write(path, texts[i], strlen(texts[i]));
    }
    ck_assert_msg(exercise_list_open(&list, LANGUAGE_ENGLISH, &err), "%s", err.text);
    ck_assert_int_eq(list.count, 3);
    ck_assert_str_eq(list.exercises[0].name, "first");
    ck_assert_str_eq(list.exercises[2].name, "causal-mask");
    static const char *const means[] = {"causal-mask", "10", "10-causal-mask", "causal_mask.c",
                                        "exercises/causal-mask.c"};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        ck_assert_msg(exercise_list_find(&list, means[i], &err) == 2, "%s", means[i]);
    ck_assert_int_eq(exercise_list_find(&list, "09", &err), 1);
    ck_assert_int_eq(exercise_list_find(&list, "9-causal-mask", &err), -1);
    ck_assert_int_eq(exercise_list_find(&list, "scael", &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "did you mean 'scale'?"));
    exercise_list_close(&list);
}

TEST(a_broken_exercise_is_said_and_not_left_out)
{
    ExerciseList list;
    put("task.md", "no title\n");
    ck_assert(!exercise_list_open(&list, LANGUAGE_ENGLISH, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "09-scale/task.md:1:"));
}

SUITE_WITH("exercise", open_scratch, scratch_close)
