// The file of lines typed before. Whatever it holds, a line that is added is the newest, and those
// that were read stay, but for the oldest where there are too many.
#include "fuzz.h"
#include "state_file.h"
#include "utf8.h"

#include <string.h>

static void check_lines(const History *history)
{
    fuzz_must(history->count >= 0 && history->count <= HISTORY_MAX, "so many lines are kept");
    for (int back = 1; back <= history->count; back++) {
        const char *line = history_line(history, back);
        fuzz_must(line[0] && utf8_valid(line, strlen(line)), "a line is a text");
        for (const char *byte = line; *byte; byte++)
            fuzz_must((unsigned char)*byte >= ' ' && *byte != 127, "a line can have been typed");
    }
}

// The lines of `before` but for `added`, the newest first, follow it in `after`.
static void check_added(const History *before, const History *after, const char *added)
{
    fuzz_must(after->count > 0 && strcmp(history_line(after, 1), added) == 0,
              "the line that was added is the newest");
    int at = 2;
    for (int back = 1; back <= before->count && at <= after->count; back++)
        if (strcmp(history_line(before, back), added) != 0)
            fuzz_must(strcmp(history_line(before, back), history_line(after, at++)) == 0,
                      "the others stay as they were");
    fuzz_must(after->count == HISTORY_MAX || after->count >= before->count, "none is lost");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static History before, after, again;
    static const char added[] = "goto score";
    Error err = {.text = ""};
    const char *path = fuzz_write("history", data, size);
    history_file_read(path, &before);
    check_lines(&before);
    fuzz_must(history_file_add(path, added, &err), "a line is added: %s", err.text);
    history_file_read(path, &after);
    check_lines(&after);
    check_added(&before, &after, added);
    fuzz_must(history_file_add(path, added, &err), "it is added again: %s", err.text);
    history_file_read(path, &again);
    fuzz_must(memcmp(&after, &again, sizeof again) == 0, "the same line again changes nothing");
    return 0;
}
