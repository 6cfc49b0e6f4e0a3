// Tests of the tables in meson.build in one program: units NAME runs one, and units alone lists them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT(name) int unit_##name(void);
#include UNITS
#undef UNIT

static const struct {
    const char *name;
    int (*run)(void);
} units[] = {
#define UNIT(name) {#name, unit_##name},
#include UNITS
#undef UNIT
};

int main(int count, char **words)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (count == 1)
            puts(units[i].name);
        else if (strcmp(units[i].name, words[1]) == 0)
            return units[i].run();
    }
    if (count > 1)
        fprintf(stderr, "units: no test is called %s\n", words[1]);
    return count > 1 ? EXIT_FAILURE : EXIT_SUCCESS;
}
