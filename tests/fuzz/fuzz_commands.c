// The stepper's commands, a line each, as scripts and the prompt give them: every one is done or
// refused in a sentence, and the screen can be drawn after it. What is read and written down again is
// the same command.
#include "fuzz.h"
#include "screen.h"
#include "session.h"
#include "tiny.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BYTES_MAX = 600, LINES_MAX = 40, DRAWN_EVERY = 8 };

// The words of a command, as a person would write them.
static void words_of(const Command *command, char words[LINE_BYTES_MAX])
{
    const CommandInfo *info = command_info(command->kind);
    int used = snprintf(words, LINE_BYTES_MAX, "%s ", info->word);
    if (info->argument == ARGUMENT_COUNT || info->argument == ARGUMENT_NUMBER)
        snprintf(words + used, LINE_BYTES_MAX - (size_t)used, "%td", command->number);
    else if (info->argument == ARGUMENT_NAME)
        snprintf(words + used, LINE_BYTES_MAX - (size_t)used, "%s", command->name);
    for (int i = 0; info->argument == ARGUMENT_INDEX && i < command->rank; i++)
        used += snprintf(words + used, LINE_BYTES_MAX - (size_t)used, i ? ",%td" : "%td",
                         command->index[i]);
}

static void read_again(const Command *command)
{
    char words[LINE_BYTES_MAX];
    Command again;
    Error err = {.text = ""};
    words_of(command, words);
    fuzz_must(command_parse(words, &again, &err), "\"%s\" is read: %s", words, err.text);
    fuzz_must(memcmp(command, &again, sizeof again) == 0, "\"%s\" is the same command", words);
}

static void check(const Session *session, const char *words)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    fuzz_must(session->cursor.step >= 0 && session->cursor.step < session->run.trace.step_count,
              "\"%s\" leaves a step there is", words);
    for (int axis = 0; session_has_values(session) && axis < tensor->rank; axis++)
        fuzz_must(session_view(session)->at[axis] >= 0 &&
                      session_view(session)->at[axis] < tensor->shape[axis],
                  "\"%s\" leaves an element there is", words);
}

static void say(Session *session, const char *words)
{
    Command command;
    Error err = {.text = ""};
    if (!command_parse(words, &command, &err)) {
        fuzz_refused(&err);
        return;
    }
    read_again(&command);
    if (!session_apply(session, &command, &err))
        fuzz_refused(&err);
    check(session, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Cells cells;
    Scenario scenario;
    Session session;
    Screen screen;
    Error err = {.text = ""};
    char words[LINE_BYTES_MAX];
    int shape = size > 0 ? data[0] % tiny_shape_count : 0;
    tiny_scenario(&scenario, tiny_shapes[shape], 5);
    scenario.threads = 1;
    fuzz_must(session_open(&session, &scenario, &err), "a tiny scenario opens: %s", err.text);
    fuzz_must(cells_resize(&cells, 110, 34, &err), "there are cells: %s", err.text);
    screen_fit(&screen, &session, 110, 34);
    for (int line = 0; line < LINES_MAX && fuzz_line(&data, &size, words, sizeof words); line++) {
        say(&session, words);
        screen_fit(&screen, &session, 110, 34);
        if (line % DRAWN_EVERY == 0)
            screen_draw(&screen, &session, &cells);
    }
    screen_draw(&screen, &session, &cells);
    session_close(&session);
    scenario_finish(&scenario);
    return 0;
}
