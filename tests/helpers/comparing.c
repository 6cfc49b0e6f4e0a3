// comparing: see comparing.h.
#include "comparing.h"

#include "suite.h"
#include "drawn.h"
#include "scenario_file.h"

Looking pair;
Scenario scenario;

void open_causal(void)
{
    looking_open(&pair, tiny_causal(1, 2, 4));
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_draw(&pair);
}

void close_it(void)
{
    looking_close(&pair);
    scenario_finish(&scenario);
    scenario = (Scenario){.name = NULL};
}

void open_pair(const char *name)
{
    Error err;
    ScenarioRequest request = {.what = name};
    close_it();
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    looking_open_over(&pair, &scenario);
}

bool pair_says(const char *text, bool whole)
{
    return drawn_find(&pair.view.list, text, whole) != NULL;
}
