// json_number: see json_number.h.
#include "json_number.h"
#include "input_file.h"
#include "json_whole.h"

enum { BYTES_MAX = 1 << 20 };

bool json_number(const char *path, const char *const names[], int64_t *number, Error *err)
{
    Arena scratch = {0};
    unsigned char *bytes;
    size_t length;
    json_t *whole = NULL;
    *err = (Error){.text = ""};
    if (input_file_all(path, BYTES_MAX, &scratch, &bytes, &length, err))
        whole = json_whole_read((const char *)bytes, length, 0, NULL, err);
    *number = 0;
    for (int i = 0; *number == 0 && names[i]; i++)
        *number = (int64_t)json_integer_value(json_object_get(whole, names[i]));
    json_decref(whole);
    arena_finish(&scratch);
    return !err->of_machine;
}
