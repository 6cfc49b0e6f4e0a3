// The reader of what a submission asks the compiler to bring in, and of what says where it is. Whatever
// stands before, no #include that leads out is overlooked and no #line is left; a place that is told is one
// of the text; and nothing but such a line is changed.
#include "fuzz.h"
#include "worker_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "utf8.h"

// Ends whatever may be open: a string, a comment of a line (which a backslash makes longer), and a
// comment, also one that begins with the first star ("/\" before it).
#define ENDS "\n*/\n*/\n"

static const char leads_out[] = ENDS "#include \"/etc/passwd\"\n";
static const char says_where[] = ENDS "#line 7 \"solution.c\"\n";

// What a compiler gets: the submission's file in a block of its own size, beside others without text.
static WorkerCopy *copy_of(const uint8_t *data, size_t size, const char *behind)
{
    static WorkerCopy copy = {
        .root = "/nowhere",
        .shown = "anna/",
        .files = {{.path = "exercises/scale.c", .belongs = true},
                  {.path = "exercises/mine.h"},
                  {.path = "exercises/linked.c", .refusal = "is a link that points outside"}},
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

static int count_ends(const CopyFile *file)
{
    int count = 0;
    for (size_t i = 0; i < file->length; i++)
        count += file->bytes[i] == '\n';
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
    fuzz_must(line >= 1 && line <= 1 + count_ends(file), "line %d is one of the text", line);
    fuzz_must(sscanf(err.text, "anna/exercises/scale.c:%d ", &own) == 1 && own == line,
              "both tell the same place: %s", err.text);
    return line;
}

static void check_asked(const uint8_t *data, size_t size)
{
    WorkerCopy *copy = copy_of(data, size, "");
    worker_includes_place(copy);
    int line = refused_line(copy);
    free(copy->files[0].bytes);
    copy = copy_of(data, size, leads_out);
    const CopyFile *file = &copy->files[0];
    worker_includes_place(copy);
    int later = refused_line(copy), last = count_ends(file);
    fuzz_must(later == (line > 0 ? line : last),
              "what leads out is refused first in line %d, not %d", line > 0 ? line : last, later);
    free(file->bytes);
}

// --- what says where it is

// What is changed is blank now, and no end of a line; but lines end in one way.
static void only_blanked(const uint8_t *before, const CopyFile *after)
{
    for (size_t i = 0; i < after->length; i++) {
        bool ends = before[i] == '\n' || before[i] == '\r', is_last = i + 1 == after->length;
        bool is_alone = before[i] == '\r' && (is_last || before[i + 1] != '\n');
        fuzz_must(is_alone ? after->bytes[i] == '\n'
                           : after->bytes[i] == before[i] || (!ends && after->bytes[i] == ' '),
                  "byte %zu is as it was, or blank", i);
    }
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
