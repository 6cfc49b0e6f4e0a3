// stepping: see stepping.h.
#include "stepping.h"

#include "suite.h"
#include <stdio.h>

static float printed_q[] = {-0.1392f, 0.5523f, 0.2820f, 0.0902f, 0.2970f, 0.8269f,
                            -0.4085f, 0.1327f, 0.0093f, 0.9658f, 0.0777f, 0.1565f};
static float printed_k[] = {0.5735f,  0.6561f,  -0.0016f, -0.1080f, -0.7842f, -0.0042f,
                            -0.3043f, -0.1294f, 0.1814f,  0.6540f,  -0.1537f, -0.1727f};
static float printed_v[] = {0.1540f,  0.6550f, -0.3631f, 0.0075f, 0.2296f,  1.0156f,
                            -1.2490f, 0.8316f, 0.2688f,  1.1628f, -0.9876f, 0.4233f};

static void open_session(Stepping *stepping)
{
    bool good = session_open(&stepping->session, &stepping->scenario, &stepping->err);
    ck_assert_msg(good, "%s", stepping->err.text);
}

void stepping_open_printed(Stepping *stepping)
{
    static const Symbol widths[] = {SYMBOL_D_K, SYMBOL_D_V, SYMBOL_DK, SYMBOL_DV};
    static const char *const roles[] = {"q", "k", "v"};
    float *const numbers[] = {printed_q, printed_k, printed_v};
    Scenario *scenario = &stepping->scenario;
    *scenario = (Scenario){.name = "printed", .scaled = true, .options = {.heads = 1, .scale = 2}};
    scenario->size[SYMBOL_B] = 1;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LQ] = scenario->size[SYMBOL_LK] = 3;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        scenario->size[widths[i]] = 4;
    for (int i = 0; i < 3; i++)
        scenario_add(scenario, roles[i], roles[i],
                     tensor_over(numbers[i], DTYPE_F32, 3, (ptrdiff_t[]){1, 3, 4}), "document 002");
    open_session(stepping);
}

void stepping_open_tiny(Stepping *stepping, TinyShape shape, uint64_t seed)
{
    tiny_scenario(&stepping->scenario, shape, seed);
    open_session(stepping);
}

void stepping_open_again(Stepping *stepping)
{
    session_close(&stepping->session);
    open_session(stepping);
}

void stepping_close(Stepping *stepping)
{
    session_close(&stepping->session);
    scenario_finish(&stepping->scenario);
}

bool stepping_try(Stepping *stepping, const char *words)
{
    Command command;
    return command_parse(words, &command, &stepping->err) &&
           session_apply(&stepping->session, &command, &stepping->err);
}

void stepping_say(Stepping *stepping, const char *words)
{
    ck_assert_msg(stepping_try(stepping, words), "%s: %s", words, stepping->err.text);
}

const char *stepping_step(const Stepping *stepping)
{
    static char name[64];
    return trace_step_name(&stepping->session.run.trace, stepping->session.cursor.step, name);
}

const Tensor *stepping_tensor(const Stepping *stepping)
{
    return &session_tensor(&stepping->session)->tensor;
}

const ptrdiff_t *stepping_at(const Stepping *stepping)
{
    return session_view(&stepping->session)->at;
}

const char *stepping_chosen(const Stepping *stepping)
{
    static char text[256];
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s[", session_tensor(&stepping->session)->name);
    for (int axis = 0; axis < stepping_tensor(stepping)->rank; axis++)
        used += (size_t)snprintf(text + used, sizeof text - used, axis ? ", %td" : "%td",
                                 stepping_at(stepping)[axis]);
    snprintf(text + used, sizeof text - used, "]");
    return text;
}
