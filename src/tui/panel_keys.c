// The key bar: what can be done now. Keys and words come from commands.def; this file only chooses
// which commands make sense where we are, the most useful first.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "key_glyph.h"
#include "utf8.h"

typedef struct Hint {
    CommandKind commands[4]; // whose first keys are shown
    int count;
    const char *label; // NULL: the first command's own
} Hint;

typedef struct Hints {
    Hint hints[20];
    int count;
} Hints;

enum { GAP = 2, HINT_TEXT_MAX = 64 };

// Axes beyond the two on screen that have more than one index to choose.
static int picked_axes(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    int count = 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        count += session_axis_is_picked(session, axis) && tensor->shape[axis] > 1;
    return count;
}

static void add(Hints *hints, bool wanted, Hint hint)
{
    if (wanted)
        hints->hints[hints->count++] = hint;
}

static Hints hints_now(const Session *session)
{
    Hints hints = {.count = 0};
    int picked = picked_axes(session), tensors[SESSION_TENSORS_MAX];
    bool help = session->help, has_values = session_has_values(session);
    bool more = session->step + 1 < session->trace.step_count && !session->failed;
    add(&hints, help, (Hint){{COMMAND_BACK}, 1, NULL});
    add(&hints, help, (Hint){{COMMAND_UP, COMMAND_DOWN}, 2, "scroll"});
    if (help)
        return hints;
    static const char *const next_labels[DEPTH_COUNT] = {
        [DEPTH_STAGE] = NULL, [DEPTH_ELEMENT] = "next element", [DEPTH_TERM] = "next term"};
    bool walks = session->depth != DEPTH_STAGE;
    add(&hints, more || walks, (Hint){{COMMAND_NEXT}, 1, next_labels[session->depth]});
    add(&hints, session->step > 0 || walks, (Hint){{COMMAND_PREVIOUS}, 1, NULL});
    bool origin = session->detail == DETAIL_ORIGIN, source = session->detail == DETAIL_SOURCE;
    bool has_terms = origin && session->explained && session->explanation.listed > 1;
    add(&hints, has_values && !origin, (Hint){{COMMAND_ORIGIN}, 1, NULL});
    add(&hints, origin && session->explained && session->explanation.count > 0,
        (Hint){{COMMAND_ENTER}, 1, NULL});
    add(&hints, origin && session->trail_length > 0, (Hint){{COMMAND_BACK_OUT}, 1, NULL});
    add(&hints, has_terms, (Hint){{COMMAND_TERM_NEXT, COMMAND_TERM_PREVIOUS}, 2, NULL});
    add(&hints, has_terms, (Hint){{COMMAND_ORIGIN_SORT}, 1, NULL});
    add(&hints, source, (Hint){{COMMAND_TERM_NEXT, COMMAND_TERM_PREVIOUS}, 2, "scroll"});
    add(&hints, session->detail != DETAIL_NONE, (Hint){{COMMAND_BACK}, 1, NULL});
    add(&hints, session_tensors(session, session->step, tensors) > 1,
        (Hint){{COMMAND_TENSOR_NEXT}, 1, NULL});
    add(&hints, session->playing, (Hint){{COMMAND_PLAY_PAUSE}, 1, "pause"});
    add(&hints, picked > 0, (Hint){{COMMAND_PICK_PREVIOUS, COMMAND_PICK_NEXT}, 2, NULL});
    add(&hints, has_values,
        (Hint){{COMMAND_LEFT, COMMAND_UP, COMMAND_DOWN, COMMAND_RIGHT}, 4, "move"});
    add(&hints, has_values, (Hint){{COMMAND_DEPTH_NEXT}, 1, NULL});
    add(&hints, !source, (Hint){{COMMAND_SOURCE}, 1, NULL});
    add(&hints, picked > 1, (Hint){{COMMAND_AXIS_NEXT}, 1, NULL});
    add(&hints, has_values, (Hint){{COMMAND_FLIP}, 1, NULL});
    add(&hints, !session->playing, (Hint){{COMMAND_PLAY_PAUSE}, 1, NULL});
    add(&hints, picked > 0, (Hint){{COMMAND_ROWS}, 1, NULL});
    add(&hints, picked > 0, (Hint){{COMMAND_COLUMNS}, 1, NULL});
    return hints;
}

// "[ ] index": the keys, then the label. Arrows are written without spaces.
static void hint_keys(const Hint *hint, char text[HINT_TEXT_MAX])
{
    char key[KEY_NAME_MAX];
    size_t used = 0;
    for (int i = 0; i < hint->count; i++)
        used += (size_t)snprintf(text + used, HINT_TEXT_MAX - used, "%s%s",
                                 i > 0 && hint->count == 2 ? " " : "",
                                 key_glyph(command_first_key(hint->commands[i], key)));
}

static const char *hint_label(const Hint *hint)
{
    return hint->label ? hint->label : command_info(hint->commands[0])->label;
}

static int hint_columns(const Hint *hint)
{
    char keys[HINT_TEXT_MAX];
    hint_keys(hint, keys);
    return utf8_width(keys) + 1 + utf8_width(hint_label(hint)) + GAP;
}

static void draw_hint(const Hint *hint, Area area, int column, Cells *cells)
{
    char keys[HINT_TEXT_MAX];
    hint_keys(hint, keys);
    column += cells_text(cells, area, 0, column, ROLE_KEY, keys);
    cells_text(cells, area, 0, column + 1, ROLE_TEXT, hint_label(hint));
}

void panel_keys(const Session *session, Area area, Cells *cells)
{
    static const Hint always[] = {{{COMMAND_QUIT}, 1, NULL}, {{COMMAND_HELP}, 1, NULL}};
    Hints hints = hints_now(session);
    int end = area.columns, column = 1;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        end -= hint_columns(&always[i]);
        draw_hint(&always[i], area, end + 1, cells);
    }
    for (int i = 0; i < hints.count; i++) {
        if (column + hint_columns(&hints.hints[i]) > end)
            return;
        draw_hint(&hints.hints[i], area, column, cells);
        column += hint_columns(&hints.hints[i]);
    }
}
