// Text in memory is whole or not there. Where memory is lacking, the stream takes no more: /dev/full stands
// for it, with half of the text in memory (open_memstream is wrapped by the linker).
#include "suite.h"
#include "error.h"

#include <string.h>

enum { WHOLE, NONE, HALF_SAID_AT_ONCE, HALF_SAID_AT_END };

static int memory;

FILE *__real_open_memstream(char **text, size_t *length);
FILE *__wrap_open_memstream(char **text, size_t *length);

FILE *__wrap_open_memstream(char **text, size_t *length)
{
    if (memory == WHOLE)
        return __real_open_memstream(text, length);
    if (memory == NONE)
        return NULL;
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    if (memory == HALF_SAID_AT_ONCE)
        setvbuf(full, NULL, _IONBF, 0);
    *text = strdup("void sca");
    *length = strlen(*text);
    return full;
}

TEST(text_is_there_as_it_was_written)
{
    Written written;
    Error err;
    memory = WHOLE;
    ck_assert(written_begin(&written, &err));
    fprintf(written.out, "void %s", "scale");
    fputs("();\n", written.out);
    ck_assert(written_end(&written, &err));
    ck_assert_str_eq(written.text, "void scale();\n");
    ck_assert_uint_eq(written.length, 14);
    ck_assert_ptr_null(written.out);
    written_drop(&written);
    written_drop(&written);

    ck_assert(written_begin(&written, &err) && written_end(&written, &err));
    ck_assert_str_eq(written.text, ""); // nothing is a text, too
    written_drop(&written);
}

TEST(text_without_memory_is_not_there_and_the_machine_is_named)
{
    for (memory = NONE; memory <= HALF_SAID_AT_END; memory++) {
        Written written;
        Error err = {.text = ""};
        bool begun = written_begin(&written, &err);
        ck_assert(begun == (memory != NONE));
        if (begun)
            fputs("void scale();\n", written.out);
        ck_assert_msg(!begun || !written_end(&written, &err), "way %d is taken for whole", memory);
        ck_assert_ptr_null(written.text);
        ck_assert_ptr_null(written.out);
        ck_assert(err.of_machine);
        ck_assert_str_eq(err.text, "out of memory for a text");
        ck_assert(!written_end(&written, &err)); // of one that was never begun
        written_drop(&written);
    }
}

TEST(text_that_is_called_off_leaves_nothing)
{
    Written written = {.out = NULL};
    Error err;
    written_drop(&written);
    memory = WHOLE;
    ck_assert(written_begin(&written, &err));
    fputs("nobody reads this", written.out);
    written_drop(&written); // what is left is for the sanitizer to find
    ck_assert_ptr_null(written.text);
}

SUITE("written")
