// An exercise's folder: exercise.yaml, task.md, hints.md and exercise.c, in this order, with a line
// "----" between them.
#define _GNU_SOURCE // memmem
#include "exercise.h"
#include "fuzz.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void write_folder(const char *data, size_t size)
{
    static const char *const names[] = {"exercise.yaml", "task.md", "hints.md", "exercise.c"};
    static const char between[] = "\n----\n";
    mkdir(fuzz_path("07-x"), 0700);
    for (int i = 0; i < 4; i++) {
        char name[64];
        const char *end = i < 3 ? memmem(data, size, between, sizeof between - 1) : NULL;
        size_t length = end ? (size_t)(end - data) + 1 : size;
        snprintf(name, sizeof name, "07-x/%s", names[i]);
        fuzz_write(name, data, length);
        size_t used = end ? length + sizeof between - 2 : size;
        data += used;
        size -= used;
    }
}

static void check(const Exercise *exercise)
{
    fuzz_must(strcmp(exercise->name, "x") == 0 && exercise->order == 7, "its folder names it");
    fuzz_must(exercise->points >= 1 && exercise->output >= -1, "its points are points");
    fuzz_must(exercise->title && exercise->title[0] && exercise->task[0], "it has a task");
    fuzz_must(exercise->lecture && exercise->page && exercise->lecture_text, "it has a lecture");
    for (int level = 0; level < EXERCISE_HINTS; level++)
        fuzz_must(exercise->hints[level] && exercise->hints[level][0], "it has hints");
    fuzz_must(utf8_valid(exercise->stub, strlen(exercise->stub)), "its stub is a text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Exercise exercise;
    Error err = {.text = ""};
    write_folder(size > 0 ? (const char *)data : "", size);
    if (exercise_open(&exercise, fuzz_path("07-x"), LANGUAGE_KOREAN, &err)) {
        check(&exercise);
        exercise_close(&exercise);
    } else {
        fuzz_refused(&err);
    }
    return 0;
}
