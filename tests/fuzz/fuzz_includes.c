// The reader of what a submission asks the compiler to bring in, and of what says where it is. Whatever
// stands before, no #include that leads out is overlooked and no #line is left; a place that is told is one
// of the text; and nothing but such a line is changed.
#include "fuzz.h"
#include "worker_includes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "utf8.h"

// Ends whatever may be open: a string, a comment of a line (which a backslash makes longer), and a
// comment, also one that begins with the first star ("/\" before it).
#define ENDS "\n*/\n*/\n"

static const char leads_out[] = ENDS "#include \"/etc/passwd\"\n";
static const char says_where[] = ENDS "#line 7 \"solution.c\"\n";

// The submission's file in a block of its own size, beside others that have no text here.
static WorkerCopy *copy_of(const uint8_t *data, size_t size, const char *behind)
{
    static WorkerCopy copy = {
        .root = "/nowhere",
        .shown = "anna/",
        .files = {{.path = "exercises/scale.c", .belongs = true},
                  {.path = "exercises/mine.h"},
                  {.path = "exercises/linked.c", .refusal = "is a link that leads out"}},
        .count = 3};
    size_t length = strlen(behind);
    CopyFile *file = &copy.files[0];
    file->bytes = malloc(size + length > 0 ? size + length : 1);
    file->length = size + length;
    fuzz_must(file->bytes != NULL, "there is memory");
    memcpy(file->bytes, size > 0 ? data : (const uint8_t *)"", size);
    memcpy(file->bytes + size, behind, length);
    return &copy;
}

static int count_of(const uint8_t *data, size_t size, char character)
{
    int count = 0;
    for (size_t i = 0; i < size; i++)
        count += data[i] == (uint8_t)character;
    return count;
}

// --- what is asked for

// The line that is told, after it was told in words and as a compiler does; 0: nothing is.
static int refused_line(const WorkerCopy *copy)
{
    static const char begins[] = "anna/exercises/scale.c:";
    static char said[WORKER_TEXT_MAX];
    Error err = {.text = ""};
    if (worker_includes_check(copy, said, &err))
        return 0;
    fuzz_refused(&err);
    fuzz_must(strncmp(said, begins, sizeof begins - 1) == 0 && strstr(said, ": error: "),
              "it is told as a compiler does: %s", said);
    fuzz_must(utf8_valid(said, strlen(said)), "a line is UTF-8: %s", said);
    int line = atoi(said + sizeof begins - 1), own = 0;
    const CopyFile *file = &copy->files[0];
    fuzz_must(line >= 1 && line <= 1 + count_of(file->bytes, file->length, '\n') +
                                       count_of(file->bytes, file->length, '\r'),
              "line %d is one of the text", line);
    fuzz_must(sscanf(err.text, "anna/exercises/scale.c:%d ", &own) == 1 && own == line,
              "both tell the same place: %s", err.text);
    return line;
}

static void check_asked(const uint8_t *data, size_t size)
{
    WorkerCopy *copy = copy_of(data, size, "");
    int line = refused_line(copy);
    free(copy->files[0].bytes);
    copy = copy_of(data, size, leads_out);
    int later = refused_line(copy), last = count_of(copy->files[0].bytes, size, '\n') + 4;
    fuzz_must(later > 0, "what leads out is refused");
    fuzz_must(line == 0 || later == line, "and the first of all that do");
    fuzz_must(line > 0 || later == last || count_of(data, size, '\r') > 0,
              "in its own line, %d, not %d", last, later);
    free(copy->files[0].bytes);
}

// --- what says where it is

// What is changed is blank now, and no end of a line.
static void only_blanked(const uint8_t *before, const CopyFile *after)
{
    for (size_t i = 0; i < after->length; i++)
        fuzz_must(after->bytes[i] == before[i] ||
                      (after->bytes[i] == ' ' && before[i] != '\n' && before[i] != '\r'),
                  "byte %zu is as it was, or blank", i);
}

static void check_placed(const uint8_t *data, size_t size)
{
    WorkerCopy *copy = copy_of(data, size, says_where);
    CopyFile *file = &copy->files[0];
    size_t mark = file->length - strlen("#line 7 \"solution.c\"\n");
    uint8_t *before = malloc(file->length);
    fuzz_must(before != NULL, "there is memory");
    memcpy(before, file->bytes, file->length);
    worker_includes_place(copy);
    only_blanked(before, file);
    for (size_t i = mark; i + 1 < file->length; i++)
        fuzz_must(file->bytes[i] == ' ', "what says where it is is gone");
    memcpy(before, file->bytes, file->length);
    worker_includes_place(copy);
    fuzz_must(memcmp(before, file->bytes, file->length) == 0, "nothing more says where it is");
    free(before);
    free(file->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_asked(data, size);
    check_placed(data, size);
    return 0;
}
