// Tests of the tables in meson.build in one program: units NAME... runs some, and units alone lists them.
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

static int run(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].run();
    fprintf(stderr, "units: no test is called %s\n", name);
    return EXIT_FAILURE;
}

int main(int count, char **words)
{
    int status = EXIT_SUCCESS;
    for (size_t i = 0; count == 1 && i < sizeof units / sizeof *units; i++)
        puts(units[i].name);
    for (int i = 1; i < count; i++)
        status |= run(words[i]);
    return status;
}
