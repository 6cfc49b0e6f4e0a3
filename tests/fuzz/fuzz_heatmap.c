// The words of commands, a line each, said to a session whose picture is drawn after each: every one
// is done or refused in a sentence, and what is looked at afterwards is there.
#include <string.h>
#include "figure_data.h"
#include "fuzz.h"
#include "picture_view.h"
#include "tiny.h"

enum { LINE_BYTES_MAX = 128, LINES_MAX = 40 };

static Session session;
static PictureView view;

static bool is_there(FigureCell cell, const ptrdiff_t shape[4])
{
    return cell.head >= 0 && cell.row >= 0 && cell.column >= 0 && cell.head < shape[1] &&
           cell.row < shape[2] && cell.column < shape[3];
}

// Files are left alone: "save" and "save-scenario" write where they are told to.
static bool writes(const char *words)
{
    return strstr(words, "save") != NULL;
}

static void check(const char *words)
{
    FigureData data;
    Error err = {.text = ""};
    Command command;
    if (!picture_is_there(&session))
        return;
    fuzz_must(picture_view_draw(&view, &session, &err), "it is drawn after \"%s\": %s", words,
              err.text);
    for (int i = 0; i < 3 && picture_view_next(&view, &session, &command); i++) {
        picture_view_said(&view, &command);
        fuzz_must(session_apply(&session, &command, &err), "\"%s\" is told: %s", words, err.text);
    }
    fuzz_must(figure_data(picture_trace(&session), &session.picture.request, &data, &err),
              "there are numbers after \"%s\": %s", words, err.text);
    fuzz_must(is_there(session.picture.request.cursor, data.values.shape) &&
                  is_there(picture_chosen(&session), data.values.shape),
              "\"%s\" leaves a cell there is", words);
}

static void say(const char *words)
{
    Command command;
    Error err = {.text = ""};
    if (writes(words))
        return;
    if (!command_parse(words, &command, &err) || !session_apply(&session, &command, &err))
        fuzz_refused(&err);
    check(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Scenario scenario;
    Error err = {.text = ""};
    char words[LINE_BYTES_MAX];
    tiny_scenario(&scenario, tiny_shapes[size > 0 ? data[0] % tiny_shape_count : 0], 5);
    scenario.threads = 1;
    fuzz_must(session_open(&session, &scenario, &err) && picture_view_open(&view, &err),
              "a tiny scenario is looked at: %s", err.text);
    say("last");
    say("show attn_weights");
    for (int line = 0; line < LINES_MAX && fuzz_line(&data, &size, words, sizeof words); line++)
        say(words);
    picture_view_close(&view);
    session_close(&session);
    scenario_finish(&scenario);
    return 0;
}
