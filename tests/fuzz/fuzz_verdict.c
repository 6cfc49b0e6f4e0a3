// The record of a check, as JSON: what is read, written, read and written again is the same, and can
// be told in both languages.
#include "fuzz.h"
#include "json.h"
#include "verdict.h"

#include <stdlib.h>

static bool read_verdict(Verdict *verdict, const char *path, Error *err)
{
    json_t *record = json_whole_file(path, VERDICT_BYTES_MAX, err);
    bool good = record && verdict_take(verdict, record, path, err);
    json_decref(record);
    return good;
}

static void tell(const Verdict *verdict, Language language)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    language_choose(language);
    verdict_print(verdict, out);
    fclose(out);
    free(text);
}

static void write_and_read(const Verdict *verdict)
{
    Verdict again;
    Error err = {.text = ""};
    const char *path = fuzz_path("first.json"), *other = fuzz_path("second.json");
    fuzz_must(verdict_write(verdict, path, &err), "it is written: %s", err.text);
    fuzz_must(read_verdict(&again, path, &err), "what was written is read: %s", err.text);
    fuzz_must(verdict_write(&again, other, &err), "and written: %s", err.text);
    fuzz_same_files(path, other);
    verdict_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Verdict verdict;
    Error err = {.text = ""};
    if (!read_verdict(&verdict, fuzz_write("x.json", data, size), &err)) {
        fuzz_refused(&err);
        return 0;
    }
    fuzz_must(verdict.count >= 0 && verdict.count <= VERDICT_TESTS_MAX, "it has so many tests");
    tell(&verdict, LANGUAGE_ENGLISH);
    tell(&verdict, LANGUAGE_KOREAN);
    write_and_read(&verdict);
    verdict_finish(&verdict);
    return 0;
}
