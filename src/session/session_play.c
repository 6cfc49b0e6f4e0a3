// session_play: `next` by itself. The session only knows that it plays and how fast; time is known to
// whoever waits for keys (session_next_tick).
#include "session_actions.h"

#include <string.h>
#include "picture_parts.h"
#include "session_words.h"

enum {
    RATE_MAX = 60,
    MILLISECONDS = 1000,
    SEQUENCE_SECONDS = 8, // for all cells of a sequence of the picture
    CELLS_SLOWEST = 8,    // a second
    CELLS_FASTEST = 30,
};

int session_next_tick(const Session *session)
{
    return session->play.on ? MILLISECONDS / session->play.rate : -1;
}

Command session_tick(const Session *session)
{
    return (Command){.kind = COMMAND_NEXT,
                     .number = session->play.to_sequence ? session->play.stride : 1};
}

bool session_play(Session *session, const Command *command, Error *err)
{
    bool has_rate = command->kind == COMMAND_PLAY;
    if (has_rate && (command->number < 1 || command->number > RATE_MAX))
        return error_set(err, TELL(PLAY_RATE), RATE_MAX, command->number);
    if (has_rate)
        session->play.rate = (int)command->number;
    session->play.to_sequence = false;
    session->play.on =
        command->kind == COMMAND_PLAY_PAUSE ? !session->play.on : command->kind == COMMAND_PLAY;
    return true;
}

// --- the cells of the picture's sequence, as they are computed

static ptrdiff_t cells_of_sequence(const Session *session)
{
    const ptrdiff_t *shape = session->picture.place.shape;
    return shape[1] * shape[2] * shape[3];
}

// Walks by elements from now on, from the first cell of the sequence that is shown or from its last.
static bool begin(Session *session, bool from_end, Error *err)
{
    const ptrdiff_t *shape = session->picture.place.shape;
    FigureCell cell = {0, 0, 0};
    int shown = session->picture.request.tensor, made = session->run.trace.tensors[shown].step;
    if (made < 0 || session_main_output(session, made) != shown)
        return error_set(err, TELL(PLAY_NO_CELLS), picture_tensor_name(session));
    ptrdiff_t batch = session->picture.request.batch;
    session->cursor.step = made;
    session_look_at(session, shown);
    if (from_end)
        cell = (FigureCell){shape[1] - 1, shape[2] - 1, shape[3] - 1};
    session_depth(session, &(Command){.kind = COMMAND_DEPTH, .name = "element"}, err);
    picture_put(session, batch, cell);
    picture_go_to(session, cell);
    return true;
}

// Small sequences cell by cell, at a pace that can be watched; large ones many at once.
static bool play_cells(Session *session, Error *err)
{
    SessionPlay *play = &session->play;
    ptrdiff_t cells = cells_of_sequence(session), rate = cells / SEQUENCE_SECONDS;
    if (play->on) {
        play->on = false;
        return true;
    }
    if (session->cursor.depth == DEPTH_STAGE && !begin(session, false, err))
        return false;
    rate = rate < CELLS_SLOWEST ? CELLS_SLOWEST : rate > CELLS_FASTEST ? CELLS_FASTEST : rate;
    *play = (SessionPlay){.on = true,
                          .rate = (int)rate,
                          .to_sequence = true,
                          .stride = cells / (rate * SEQUENCE_SECONDS) + 1};
    return true;
}

bool session_cells(Session *session, const Command *command, Error *err)
{
    bool back = command->kind == COMMAND_CELL_PREVIOUS;
    bool begins = session->cursor.depth == DEPTH_STAGE;
    if (command->kind == COMMAND_CELLS_PLAY)
        return play_cells(session, err);
    session->play.on = false;
    if (begins && !begin(session, back, err))
        return false;
    ptrdiff_t cells = back ? command->number : command->number - begins;
    return cells <= 0 || session_walk(session, !back, cells, err);
}

// The last cell is followed by all of them, at rest.
bool session_play_on(Session *session, ptrdiff_t cells, Error *err)
{
    ptrdiff_t sequence = cells_of_sequence(session), at = session_element(session);
    ptrdiff_t left = sequence - 1 - at % (sequence > 0 ? sequence : 1);
    if (left > 0)
        return session_walk(session, true, cells < left ? cells : left, err);
    session->play.on = session->play.to_sequence = false;
    return session_depth(session, &(Command){.kind = COMMAND_DEPTH, .name = "stage"}, err);
}
