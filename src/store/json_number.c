// json_number: see json_number.h.
#include "json_number.h"
#include "input_file.h"

#include <jansson.h>

enum { BYTES_MAX = 1 << 20 };

int64_t json_number(const char *path, const char *const names[])
{
    Arena scratch = {0};
    Error quiet;
    unsigned char *bytes;
    size_t length;
    json_error_t where;
    json_t *whole = input_file_all(path, BYTES_MAX, &scratch, &bytes, &length, &quiet)
                        ? json_loadb((const char *)bytes, length, 0, &where)
                        : NULL;
    int64_t number = 0;
    for (int i = 0; number == 0 && names[i]; i++)
        number = (int64_t)json_integer_value(json_object_get(whole, names[i]));
    json_decref(whole);
    arena_finish(&scratch);
    return number;
}
