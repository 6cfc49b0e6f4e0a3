// json_whole: see json_whole.h. jansson is given a malloc that remembers that it failed.
#include "json_whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool has_failed;

static void *take(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        has_failed = true;
    return memory;
}

void json_whole_begin(void)
{
    json_set_alloc_funcs(take, free);
    has_failed = false;
}

bool json_whole(Error *err)
{
    return !has_failed || error_machine(err, "out of memory for JSON");
}

json_t *json_whole_read(const char *bytes, size_t length, size_t flags, json_error_t *where,
                        Error *err)
{
    bool had_failed = has_failed;
    json_whole_begin();
    json_t *json = json_loadb(bytes, length, flags, where);
    err->text[0] = '\0';
    if (!json_whole(err)) {
        json_decref(json);
        json = NULL;
    }
    has_failed = has_failed || had_failed;
    return json;
}

bool json_whole_print(const json_t *json, size_t flags, FILE *out, Error *err)
{
    if (!json_whole(err))
        return false;
    if (!json)
        return error_set(err, "the JSON would hold a text that is not UTF-8");
    errno = 0;
    if (json_dumpf(json, out, flags) == 0 && fputc('\n', out) != EOF)
        return true;
    return json_whole(err) && error_set(err, "the JSON could not be written: %s",
                                        errno ? error_reason(errno) : "is the disk full?");
}
