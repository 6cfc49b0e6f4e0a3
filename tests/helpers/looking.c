// looking: see looking.h.
#include "looking.h"

#include "suite.h"

static void look(Looking *looking, const Scenario *scenario)
{
    Error *err = &looking->err;
    ck_assert_msg(session_open(&looking->session, scenario, err) &&
                      picture_view_open(&looking->view, err),
                  "%s", err->text);
    bool has_weights =
        trace_find(&looking->session.run.trace, "attn_weights") >= 0; // no blocks of keys
    const char *const words[] = {"last", has_weights ? "show attn_weights" : "show scores",
                                 "picture-back"};
    for (int i = 0; i < 3; i++)
        ck_assert_msg(looking_try(looking, words[i]), "%s: %s", words[i], err->text);
}

void looking_open(Looking *looking, TinyShape shape)
{
    tiny_scenario(&looking->scenario, shape, 5);
    look(looking, &looking->scenario);
}

void looking_open_over(Looking *looking, const Scenario *scenario)
{
    looking->scenario = (Scenario){.name = NULL};
    look(looking, scenario);
}

void looking_close(Looking *looking)
{
    picture_view_close(&looking->view);
    session_close(&looking->session);
    scenario_finish(&looking->scenario);
}

void looking_draw(Looking *looking)
{
    enum { MOST = 20 };
    Session *session = &looking->session;
    Command command;
    Error *err = &looking->err;
    int times = 0;
    do {
        ck_assert_msg(picture_view_draw(&looking->view, session, err), "%s", err->text);
        while (picture_view_next(&looking->view, session, &command)) {
            picture_view_said(&looking->view, &command);
            ck_assert_msg(session_apply(session, &command, err), "%s", err->text);
        }
        ck_assert_int_lt(times++, MOST);
    } while (picture_view_is_stale(&looking->view, session) && !looking->view.figure.unfinished);
}

bool looking_try(Looking *looking, const char *words)
{
    Command command;
    return command_parse(words, &command, &looking->err) &&
           session_apply(&looking->session, &command, &looking->err);
}

void looking_say(Looking *looking, const char *words)
{
    ck_assert_msg(looking_try(looking, words), "%s: %s", words, looking->err.text);
    looking_draw(looking);
}

void looking_press(Looking *looking, const char *key)
{
    Command command;
    ck_assert_msg(command_for_key_in(PLACE_WINDOW, key, &command), "the key %s means nothing", key);
    ck_assert_msg(session_apply(&looking->session, &command, &looking->err), "%s: %s", key,
                  looking->err.text);
    looking_draw(looking);
}

// What the pointer did, if that means something.
static void tell(Looking *looking, bool means, const Command *command)
{
    Error refused; // a click on the last head that is shown says so in the picture
    if (means)
        session_apply(&looking->session, command, &refused);
    looking_draw(looking);
}

void looking_point(Looking *looking, int x, int y)
{
    Command command;
    tell(looking, picture_view_point(&looking->view, &looking->session, x, y, &command), &command);
}

void looking_click(Looking *looking, int x, int y)
{
    Command command;
    tell(looking, picture_view_press(&looking->view, &looking->session, x, y, &command), &command);
}

void looking_drag(Looking *looking, int x, int y)
{
    Command command;
    tell(looking, picture_view_drag(&looking->view, &looking->session, x, y, &command), &command);
}

void looking_wheel(Looking *looking, int x, int y, int way)
{
    Command command;
    tell(looking, picture_view_wheel(&looking->view, &looking->session, x, y, way, &command),
         &command);
}

void looking_size(Looking *looking, int width, int height)
{
    picture_view_size(&looking->view, width, height, 1.0);
    looking_draw(looking);
}
