// comparing: see comparing.h.
#include "comparing.h"

#include <check.h>
#include "drawn.h"
#include "scenario_file.h"

Looking it;
Scenario scenario;

void open_causal(void)
{
    looking_open(&it, tiny_causal(1, 2, 4));
    looking_say(&it, "compare mistake mask-off-by-one");
    looking_say(&it, "picture-compare");
    looking_draw(&it);
}

void close_it(void)
{
    looking_close(&it);
    scenario_finish(&scenario);
    scenario = (Scenario){.name = NULL};
}

void open_named(const char *name)
{
    Error err;
    ScenarioRequest request = {.what = name};
    close_it();
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    looking_open_over(&it, &scenario);
}

bool says(const char *text, bool whole)
{
    return drawn_find(&it.view.list, text, whole) != NULL;
}
