// The file that keeps how far somebody has come. Whatever it holds, what is understood of it outlives
// every note; and noting the same again changes nothing.
#include "fuzz.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

static void note(const char *path)
{
    Error err = {.text = ""};
    const ProgressLine check = {
        .name = "scale", .key = "0123456789abcdef", .number = 7, .passed = true};
    fuzz_must(progress_note(path, "01-idea", "first", PAGE_LATER, &err) &&
                  progress_note_check(path, &check, &err) &&
                  progress_note_hint(path, "scale", 2, &err),
              "notes are kept: %s", err.text);
}

static void nothing_is_lost(const Progress *before, const Progress *after)
{
    for (const ProgressLine *line = before->lines; line; line = line->next)
        if (line->kind == PROGRESS_PAGE)
            fuzz_must(progress_mark(after, line->name, line->key) >=
                          progress_mark(before, line->name, line->key),
                      "the mark of %s, %s is kept", line->name, line->key);
        else if (line->kind == PROGRESS_CHECK)
            fuzz_must(!progress_has_passed(before, line->name) ||
                          progress_has_passed(after, line->name),
                      "%s stays passed", line->name);
        else if (line->kind == PROGRESS_HINT)
            fuzz_must(progress_hint(after, line->name) >= progress_hint(before, line->name),
                      "the hint of %s is kept", line->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Progress before, after;
    Error err = {.text = ""};
    const char *path = fuzz_write("progress", data, size), *other = fuzz_path("other");
    if (!progress_read(&before, path, &err)) {
        fuzz_refused(&err);
        progress_finish(&before);
        return 0;
    }
    note(path);
    fuzz_must(progress_read(&after, path, &err), "what was noted is read: %s", err.text);
    nothing_is_lost(&before, &after);
    fuzz_must(progress_hint(&after, "scale") >= 2 && progress_has_passed(&after, "scale") &&
                  progress_mark(&after, "01-idea", "first") >= PAGE_LATER,
              "what was noted is there");
    size_t length;
    char *bytes = fuzz_read(path, &length);
    fuzz_write("other", bytes, length);
    note(path);
    fuzz_same_files(path, other);
    free(bytes);
    progress_finish(&after);
    progress_finish(&before);
    return 0;
}
