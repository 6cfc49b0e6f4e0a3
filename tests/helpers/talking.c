// talking: see talking.h.
#include "talking.h"

#include "suite.h"
#include <string.h>
#include "scenario_file.h"

Stepping it;

void open_named(const char *name)
{
    ScenarioRequest request = {.what = name};
    ck_assert_msg(scenario_open(&it.scenario, &request, &it.err), "%s", it.err.text);
    ck_assert_msg(session_open(&it.session, &it.scenario, &it.err), "%s", it.err.text);
}

void open_shape(TinyShape shape)
{
    stepping_open_tiny(&it, shape, 1);
}

void open_computed(TinyShape shape)
{
    open_shape(shape);
    say("last");
}

void open_tiny(void)
{
    open_shape((TinyShape){.batch = 2,
                           .queries = 3,
                           .keys = 3,
                           .heads = 2,
                           .d_k = 2,
                           .d_v = 2,
                           .d_in = 5,
                           .d_out = 4});
}

void open_batch(void)
{
    open_shape(tiny_shapes[3]);
}

void close_all(void)
{
    stepping_close(&it);
}

bool try_words(const char *words)
{
    return stepping_try(&it, words);
}

void say(const char *words)
{
    stepping_say(&it, words);
}

void expect_refusal(const char *words, const char *says)
{
    ck_assert_msg(!try_words(words), "%s", words);
    ck_assert_msg(strstr(it.err.text, says) != NULL, "%s: %s", words, it.err.text);
}

const ptrdiff_t *at(void)
{
    return stepping_at(&it);
}
