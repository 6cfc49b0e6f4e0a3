// option_keys: see option_keys.h.
#include "option_keys.h"

#include <string.h>

static const struct {
    const char *section, *said;
} keys[] = {
#define KEYED_OPTION(name, KIND, section, ...) {section, ", " #name},
#include "options.def"
};

const char *option_keys(const char *section)
{
    static char text[OPTION_KEYS_BYTES];
    text[0] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].section, section) == 0)
            strncat(text, keys[i].said, sizeof text - strlen(text) - 1);
    return text;
}
