// The journal of what has been judged. Whatever it holds, it is only ever added to: what was found stays,
// what is added is found, and what is known, added to another, is the same there.
#include "class.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key_added[] = "0123456789abcdef";

static void begins_with(const char *path, const uint8_t *data, size_t size)
{
    size_t length;
    char *bytes = fuzz_read(path, &length);
    fuzz_must(length >= size && (size == 0 || memcmp(bytes, data, size) == 0),
              "what was there stays as it was");
    free(bytes);
}

static Journal open_again(const char *path)
{
    Journal journal;
    Error err = {.text = ""};
    fuzz_must(journal_open(&journal, path, &err), "it opens again: %s", err.text);
    return journal;
}

// Where the last line had no end, it counts from now on, and may tell what was known anew.
static void all_known(const Journal *journal, const json_t *known, bool ends)
{
    const char *key;
    json_t *what;
    json_object_foreach((json_t *)known, key, what)
    {
        const json_t *found = journal_find(journal, key);
        fuzz_must(strcmp(key, key_added) == 0 || (ends ? json_equal(found, what) : found != NULL),
                  "%s is found, and the same", key);
    }
}

static void add(const Journal *journal, const char *key, json_t *what)
{
    Error err = {.text = ""};
    fuzz_must(journal_add(journal, key, what, &err), "a line is added: %s", err.text);
}

// To the journal that was handed in: in this process and in the next one.
static void add_one(Journal *journal, const char *path, bool ends)
{
    Error err = {.text = ""};
    json_t *known = json_deep_copy(journal->known), *what = json_pack("{s:i}", "points", 7);
    add(journal, key_added, what);
    fuzz_must(journal_refresh(journal, &err), "what was added is read: %s", err.text);
    fuzz_must(json_equal(journal_find(journal, key_added), what), "what was added is found");
    all_known(journal, known, ends);
    Journal again = open_again(path);
    fuzz_must(json_equal(journal_find(&again, key_added), what), "and found again");
    all_known(&again, known, ends);
    journal_close(&again);
    json_decref(what);
    json_decref(known);
}

// To one of our own: written and read as a whole.
static void copy_all(const Journal *journal)
{
    const char *path = fuzz_write("copy.jsonl", "", 0), *key;
    json_t *what;
    Journal copy = open_again(path);
    json_object_foreach(journal->known, key, what) add(&copy, key, what);
    journal_close(&copy);
    copy = open_again(path);
    json_object_foreach(journal->known, key, what) fuzz_must(
        json_is_true(json_object_get(what, "again")) == !json_equal(journal_find(&copy, key), what),
        "%s is read as it was written", key);
    journal_close(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Journal journal;
    Error err = {.text = ""};
    char path[256];
    snprintf(path, sizeof path, "%s", fuzz_write("class.jsonl", data, size));
    if (journal_open(&journal, path, &err)) {
        copy_all(&journal);
        add_one(&journal, path, size == 0 || data[size - 1] == '\n');
        copy_all(&journal);
        journal_close(&journal);
    } else {
        fuzz_refused(&err);
        fuzz_must(!journal.known && journal.file < 0, "what is refused keeps nothing");
    }
    begins_with(path, data, size);
    return 0;
}
