// bench_class: how long a teacher waits for a class: everything judged for the first time, nothing
// found in a cache, and the same results told again. The class is made for it, and gone afterwards.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "input_file.h"
#include "judging.h"
#include "bench_words.h"

enum { SOLUTION_BYTES_MAX = 1 << 16, WRONG_EVERY = 4 };

// The roots of every fourth person are none: some of what is judged is wrong, as in any class.
static const char wrong_root[] = "#include <math.h>\n#define\tsqrtf(x) (x)\n";

static bool write_text(const char *path, const char *before, const char *text, int person,
                       Error *err)
{
    FILE *out = fopen(path, "we");
    bool written = out && fprintf(out, "%s%s// %d\n", before, text, person) > 0;
    if (out && fclose(out) != 0)
        written = false;
    return written || error_set(err, TELL(BENCH_UNWRITTEN), path);
}

// What one person hands in: solutions that nobody else has to the letter.
static bool hand_in(const char *folder, const ExerciseList *list, int exercises, int person,
                    Error *err)
{
    Arena arena = {0};
    const char *own = arena_format(&arena, err, "%s/person%03d", folder, person);
    bool good = own && mkdir(own, 0700) == 0;
    for (int i = 0; good && i < exercises; i++) {
        const Exercise *exercise = &list->exercises[i];
        unsigned char *bytes;
        size_t length;
        const char *from = arena_format(&arena, err, "%s/solution.c", exercise->folder);
        const char *to = arena_format(&arena, err, "%s/%s.c", own, exercise->name);
        good = from && to && input_file_all(from, SOLUTION_BYTES_MAX, &arena, &bytes, &length, err);
        char *text = good ? arena_format(&arena, err, "%.*s", (int)length, (char *)bytes) : NULL;
        good =
            text && write_text(to, person % WRONG_EVERY == 0 ? wrong_root : "", text, person, err);
    }
    arena_finish(&arena);
    return good;
}

// The course asks for the first exercises.
static bool write_course(const char *folder, const ExerciseList *list, int exercises, Error *err)
{
    char path[TEMPORARY_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/course.yaml", folder);
    FILE *out = fopen(path, "we");
    bool written = out && fputs("exercises:\n", out) >= 0;
    for (int i = 0; written && i < exercises; i++)
        written = fprintf(out, "  - %s\n", list->exercises[i].name) > 0;
    if (out && fclose(out) != 0)
        written = false;
    return written || error_set(err, TELL(BENCH_UNWRITTEN), path);
}

static bool make_class(const char *folder, BenchClass *result, Error *err)
{
    ExerciseList list;
    if (!exercise_list_open(&list, LANGUAGE_ENGLISH, err))
        return false;
    if (result->exercises > list.count)
        result->exercises = list.count;
    bool good = (mkdir(folder, 0700) == 0 || error_set(err, TELL(BENCH_UNWRITTEN), folder)) &&
                write_course(folder, &list, result->exercises, err);
    for (int i = 0; good && i < result->submissions; i++)
        good = hand_in(folder, &list, result->exercises, i, err);
    exercise_list_close(&list);
    return good;
}

bool bench_class(const char *program, BenchClass *result, Error *err)
{
    Temporary folder;
    char class[TEMPORARY_PATH_MAX + 8];
    char name[] = "attnscope", grade[] = "grade";
    char *arguments[] = {name, grade, class, NULL};
    if (!judging_folder(&folder, err))
        return false;
    snprintf(class, sizeof class, "%s/class", folder.path);
    setenv("XDG_CACHE_HOME", folder.path, 1);
    setenv("XDG_STATE_HOME", folder.path, 1);
    bool good = make_class(class, result, err) &&
                bench_run_to_end(program, arguments, &result->seconds, err) &&
                bench_run_to_end(program, arguments, &result->again, err);
    temporary_drop(&folder);
    return good;
}
