// shown: see shown.h.
#include "shown.h"

#include "suite.h"

const char *shown(const Cells *cells)
{
    static char text[400000];
    FILE *out = fmemopen(text, sizeof text, "w");
    ck_assert_ptr_nonnull(out);
    cells_print(cells, out);
    fclose(out);
    return text;
}
