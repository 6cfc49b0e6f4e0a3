// hints.txt, which goes with what somebody hands in. Whatever it holds, a line of ours in it counts, and
// a hint that is noted is there and takes none away.
#include "fuzz.h"
#include "workspace.h"

#include <stdlib.h>
#include <string.h>

static const char line[] = "\nscale 2\n";

static Workspace workspace;
static int scale;

static void begin(void)
{
    Error err = {.text = ""};
    if (workspace.folder)
        return;
    fuzz_must(exercise_list_open(&workspace.exercises, LANGUAGE_ENGLISH, &err),
              "there are exercises: %s", err.text);
    scale = exercise_list_find(&workspace.exercises, "scale", &err);
    workspace.folder = strdup(fuzz_path(""));
    workspace.files = "";
}

static HintFile read_all(void)
{
    HintFile hints;
    Error err = {.text = ""};
    fuzz_must(hint_file_read(&hints, &workspace, &err), "it is read: %s", err.text);
    for (int i = 0; i < EXERCISES_MAX; i++)
        fuzz_must(hints.levels[i] >= 0 && (i < workspace.exercises.count || !hints.levels[i]),
                  "a hint is one of an exercise");
    return hints;
}

// The scale's second hint is there now, and all else is as it was.
static void has_second(const HintFile *before)
{
    HintFile after = read_all();
    fuzz_must(after.is_there, "there is a file");
    for (int i = 0; i < workspace.exercises.count; i++) {
        int least = i == scale && before->levels[i] < 2 ? 2 : before->levels[i];
        fuzz_must(after.levels[i] == least, "exercise %d has hint %d, not %d", i, least,
                  after.levels[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error err = {.text = ""};
    begin();
    char *longer = malloc(size + sizeof line);
    fuzz_must(longer != NULL, "there is memory");
    memcpy(longer, size > 0 ? data : (const uint8_t *)"", size);
    memcpy(longer + size, line, sizeof line - 1);
    fuzz_write(HINT_FILE_NAME, data, size);
    HintFile before = read_all();
    fuzz_must(before.is_there == (size <= HINT_FILE_BYTES_MAX), "it is there unless too large");
    if (size + sizeof line - 1 <= HINT_FILE_BYTES_MAX) {
        fuzz_write(HINT_FILE_NAME, longer, size + sizeof line - 1);
        has_second(&before);
    }
    fuzz_write(HINT_FILE_NAME, data, size);
    fuzz_must(hint_file_note(&workspace, scale, 2, &err), "it is noted: %s", err.text);
    has_second(&before);
    free(longer);
    return 0;
}
