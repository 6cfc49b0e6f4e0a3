// json_whole: see json_whole.h. jansson is given a malloc that remembers that it failed.
#include "json_whole.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "store_words.h"

// A text that is being read. Where there is no memory for a part of it, jansson goes on with what it
// has, and looks for the end of a name that it has not kept. So reading ends there and then, and what was
// taken until then is given back here: nobody else knows it.
typedef struct Reading {
    jmp_buf end;
    void **pieces;
    size_t count, room;
} Reading;

static _Thread_local Reading *reading; // NULL: nothing is being read
static _Atomic bool has_failed;

static bool note_piece(void *piece)
{
    if (reading->count == reading->room) {
        size_t room = reading->room ? 2 * reading->room : 64;
        void **pieces = realloc(reading->pieces, room * sizeof *pieces);
        if (!pieces)
            return false;
        reading->pieces = pieces;
        reading->room = room;
    }
    reading->pieces[reading->count++] = piece;
    return true;
}

// What is given back while something is read was mostly taken last.
static void forget_piece(const void *piece)
{
    for (size_t i = reading->count; i-- > 0;)
        if (reading->pieces[i] == piece) {
            reading->pieces[i] = reading->pieces[--reading->count];
            return;
        }
}

static void *take(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory && (!reading || note_piece(memory)))
        return memory;
    free(memory);
    if (reading)
        longjmp(reading->end, 1);
    has_failed = true;
    return NULL;
}

static void give_back(void *memory)
{
    if (reading && memory)
        forget_piece(memory);
    free(memory);
}

void json_whole_begin(void)
{
    json_set_alloc_funcs(take, give_back);
    has_failed = false;
}

bool json_whole(Error *err)
{
    return !has_failed || error_machine(err, TELL(JSON_NO_MEMORY));
}

json_t *json_whole_read(const char *bytes, size_t length, size_t flags, json_error_t *where,
                        Error *err)
{
    Reading now = {.pieces = NULL};
    json_t *volatile json = NULL;
    json_set_alloc_funcs(take, give_back);
    *err = (Error){.text = ""};
    reading = &now;
    if (setjmp(now.end) == 0) {
        json = json_loadb(bytes, length, flags, where);
    } else {
        for (size_t i = 0; i < now.count; i++)
            free(now.pieces[i]);
        error_machine(err, TELL(JSON_NO_MEMORY));
    }
    reading = NULL;
    free(now.pieces);
    return json;
}

bool json_whole_print(const json_t *json, size_t flags, FILE *out, Error *err)
{
    if (!json_whole(err))
        return false;
    if (!json)
        return error_set(err, TELL(JSON_NOT_UTF8));
    errno = 0;
    if (json_dumpf(json, out, flags) == 0 && fputc('\n', out) != EOF)
        return true;
    return json_whole(err) && error_set(err, TELL(JSON_UNWRITTEN), error_reason(errno));
}
