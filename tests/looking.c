// looking: see looking.h.
#include "looking.h"

#include "suite.h"

void looking_open(Looking *looking, TinyShape shape)
{
    Error *err = &looking->err;
    tiny_scenario(&looking->scenario, shape, 5);
    ck_assert_msg(trace_open(&looking->trace, &looking->scenario, err) &&
                      trace_run(&looking->trace, err) &&
                      heatmap_open(&looking->heatmap, &looking->trace, NULL, err),
                  "%s", err->text);
}

void looking_close(Looking *looking)
{
    heatmap_close(&looking->heatmap);
    trace_close(&looking->trace);
    scenario_finish(&looking->scenario);
}

void looking_draw(Looking *looking)
{
    ck_assert_msg(heatmap_draw(&looking->heatmap, &looking->err), "%s", looking->err.text);
}

void looking_say(Looking *looking, const char *words)
{
    Error *err = &looking->err;
    ck_assert_msg(heatmap_apply(&looking->heatmap, words, err), "%s: %s", words, err->text);
    ck_assert_msg(heatmap_draw(&looking->heatmap, err), "%s: %s", words, err->text);
}

void looking_press(Looking *looking, const char *key)
{
    ck_assert_msg(heatmap_key(key) != NULL, "the key %s means nothing", key);
    looking_say(looking, heatmap_key(key));
}
