// help_format: the list of forms; see help_format.h.
#include "help_format.h"

#include <string.h>

#define HELP_FORMAT(x, ...) extern const HelpFormat help_##x;
#include "help_formats.def"
#undef HELP_FORMAT

static const HelpFormat *const formats[] = {
#define HELP_FORMAT(x, ...) &help_##x,
#include "help_formats.def"
#undef HELP_FORMAT
};

const HelpFormat *help_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}
