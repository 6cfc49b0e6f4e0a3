// The key bar: what can be done now. Keys and words come from commands.def; this file only chooses
// which commands make sense where we are, the most useful first.
#include "panel.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "guide.h"
#include "key_glyph.h"
#include "session_prompt.h"
#include "utf8.h"

enum { GAP = 2, KEYS_TEXT_MAX = 64, HINTS_MAX = 32 };

typedef struct Hint {
    char keys[KEYS_TEXT_MAX];
    const char *label;
} Hint;

typedef struct Hints {
    Hint hints[HINTS_MAX];
    int count;
} Hints;

// --- which keys

// The first keys of up to four commands, under a label (NULL: the first command's own). Arrows are
// written without spaces.
typedef struct Commands {
    CommandKind kinds[4];
    int count;
} Commands;

static void add(Hints *hints, bool wanted, Commands commands, const char *label)
{
    char key[KEY_NAME_MAX];
    size_t used = 0;
    if (!wanted)
        return;
    assert(hints->count < HINTS_MAX);
    Hint *hint = &hints->hints[hints->count++];
    for (int i = 0; i < commands.count; i++)
        used += (size_t)snprintf(hint->keys + used, KEYS_TEXT_MAX - used, "%s%s",
                                 i > 0 && commands.count == 2 ? " " : "",
                                 key_glyph(command_first_key(commands.kinds[i], key)));
    hint->label = label ? label : command_info(commands.kinds[0])->label;
}

static void add_one(Hints *hints, bool wanted, CommandKind kind)
{
    add(hints, wanted, (Commands){{kind}, 1}, NULL);
}

static void add_prompt_keys(Hints *hints)
{
    for (int i = 0; i < prompt_key_count(); i++) {
        const PromptKey *key = prompt_key(i);
        if (!key->label[0])
            continue;
        Hint *hint = &hints->hints[hints->count++];
        char first[KEY_NAME_MAX];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(key->keys, " "), key->keys);
        snprintf(hint->keys, sizeof hint->keys, "%s", key_glyph(first));
        hint->label = key->label;
    }
}

// Axes beyond the two on screen that have more than one index to choose.
static int picked_axes(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    int count = 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        count += session_axis_is_picked(session, axis) && tensor->shape[axis] > 1;
    return count;
}

static void add_steps(Hints *hints, const Session *session)
{
    static const char *const next_labels[DEPTH_COUNT] = {
        [DEPTH_STAGE] = NULL, [DEPTH_ELEMENT] = "next element", [DEPTH_TERM] = "next term"};
    bool more = session->cursor.step + 1 < session->run.trace.step_count && !session->run.failed;
    bool walks = session->cursor.depth != DEPTH_STAGE;
    add(hints, more || walks, (Commands){{COMMAND_NEXT}, 1}, next_labels[session->cursor.depth]);
    add_one(hints, session->cursor.step > 0 || walks, COMMAND_PREVIOUS);
    add(hints, session->play.on, (Commands){{COMMAND_PLAY_PAUSE}, 1}, "pause");
}

// What can stand beside the values, but for the origin and what stands there now.
static void add_details(Hints *hints, const Session *session)
{
    static const CommandKind kinds[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, help) [DETAIL_##NAME] = COMMAND_##NAME,
#include "details.def"
#undef DETAIL
    };
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        add_one(hints, detail != DETAIL_ORIGIN && session->look.detail != (SessionDetail)detail,
                kinds[detail]);
}

// What leads on in the list of mistakes, and between two lanes.
static void add_lane(Hints *hints, const Session *session)
{
    static const Commands marks = {{COMMAND_TERM_NEXT, COMMAND_TERM_PREVIOUS}, 2};
    bool list = session->look.detail == DETAIL_MISTAKES;
    bool lanes = session->look.detail == DETAIL_LANES && session->lane.open;
    add(hints, list, marks, "choose");
    add(hints, list, (Commands){{COMMAND_ENTER}, 1}, "run it beside");
    add(hints, lanes, (Commands){{COMMAND_COMPARE_NEXT}, 1}, "other view");
    add_one(hints, lanes, COMMAND_DIFFER_FIRST);
    add_one(hints, lanes, COMMAND_COMPARE_SWAP);
}

// What the open detail can do; the origin itself where it is closed.
static void add_detail(Hints *hints, const Session *session)
{
    static const Commands terms = {{COMMAND_TERM_NEXT, COMMAND_TERM_PREVIOUS}, 2};
    bool origin = session->look.detail == DETAIL_ORIGIN,
         explained = origin && session->origin.known;
    bool has_terms = explained && session->origin.explanation.adds_up;
    TraceCell inputs[SESSION_INPUTS_MAX];
    add_one(hints, session_has_values(session) && !origin, COMMAND_ORIGIN);
    add_one(hints, explained && session_inputs(session, inputs) > 0, COMMAND_ENTER);
    add_one(hints, origin && session->origin.trail_length > 0, COMMAND_BACK_OUT);
    add(hints, has_terms, terms, NULL);
    add_one(hints, has_terms, COMMAND_ORIGIN_SORT);
    add(hints, session->look.detail == DETAIL_SOURCE || session->room.detail_over > 0, terms,
        "scroll");
    add_one(hints, session->look.detail != DETAIL_NONE, COMMAND_BACK);
    add_lane(hints, session);
}

static void add_axes(Hints *hints, int picked)
{
    add(hints, picked > 0, (Commands){{COMMAND_PICK_PREVIOUS, COMMAND_PICK_NEXT}, 2}, NULL);
    add_one(hints, picked > 1, COMMAND_AXIS_NEXT);
}

// What a lecture can do; nothing without one.
static void add_lecture(Hints *hints, const Session *session)
{
    const Guide *guide = session->guide;
    if (!guide)
        return;
    bool last = guide->page + 1 == guide->lecture->page_count;
    bool more = guide->text_line < session->room.text_over;
    add(hints, !last || more, (Commands){{COMMAND_GO_ON}, 1}, more ? "more text" : "next page");
    add_one(hints, guide->strayed, COMMAND_RETURN);
    add_one(hints, guide->ask && !guide->answered && !guide->shown, COMMAND_PROMPT_ANSWER);
    add_one(hints, guide->page > 0, COMMAND_PAGE_PREVIOUS);
    add_one(hints, true, COMMAND_CONTENTS);
}

static void add_presenting(Hints *hints)
{
    add(hints, true, (Commands){{COMMAND_GO_ON}, 1}, "go on");
    add(hints, true, (Commands){{COMMAND_PAGE_PREVIOUS}, 1}, "back");
    add_one(hints, true, COMMAND_NOTES);
    add_one(hints, true, COMMAND_CONTENTS);
    add_one(hints, true, COMMAND_PROMPT);
}

// The most useful first: what does not fit is left out.
static Hints hints_now(const Session *session)
{
    static const Commands arrows = {{COMMAND_LEFT, COMMAND_UP, COMMAND_DOWN, COMMAND_RIGHT}, 4};
    Hints hints = {.count = 0};
    int picked = picked_axes(session), tensors[SESSION_TENSORS_MAX];
    bool has_values = session_has_values(session);
    if (session->prompt.open) {
        add_prompt_keys(&hints);
        return hints;
    }
    if (session->help.open) {
        add_one(&hints, true, COMMAND_BACK);
        add(&hints, true, (Commands){{COMMAND_UP, COMMAND_DOWN}, 2}, "scroll");
        return hints;
    }
    if (session->guide && session->guide->contents) {
        add(&hints, true, (Commands){{COMMAND_UP, COMMAND_DOWN}, 2}, "choose");
        add(&hints, true, (Commands){{COMMAND_ENTER}, 1}, "open");
        add_one(&hints, true, COMMAND_BACK);
        return hints;
    }
    if (session->guide && session->guide->presents) {
        add_presenting(&hints);
        return hints;
    }
    add_lecture(&hints, session);
    add_steps(&hints, session);
    add_detail(&hints, session);
    add_one(&hints, session_tensors(session, session->cursor.step, tensors) > 1,
            COMMAND_TENSOR_NEXT);
    add(&hints, has_values, arrows, "move");
    add_axes(&hints, picked);
    add_one(&hints, has_values, COMMAND_DEPTH_NEXT);
    add_one(&hints, true, COMMAND_PROMPT);
    add_details(&hints, session);
    add_one(&hints, has_values, COMMAND_FLIP);
    add_one(&hints, !session->play.on, COMMAND_PLAY_PAUSE);
    add_one(&hints, picked > 0, COMMAND_ROWS);
    add_one(&hints, picked > 0, COMMAND_COLUMNS);
    return hints;
}

// --- drawing

static int hint_columns(const Hint *hint)
{
    return utf8_width(hint->keys) + 1 + utf8_width(hint->label) + GAP;
}

static void draw_hint(const Hint *hint, Area area, int column, Cells *cells)
{
    column += cells_text(cells, area, 0, column, ROLE_KEY, hint->keys);
    cells_text(cells, area, 0, column + 1, ROLE_TEXT, hint->label);
}

void panel_keys(const Session *session, Area area, Cells *cells)
{
    Hints always = {.count = 0}, hints = hints_now(session);
    int end = area.columns, column = 1;
    add_one(&always, !session->prompt.open, COMMAND_QUIT);
    add_one(&always, !session->prompt.open, COMMAND_HELP);
    for (int i = 0; i < always.count; i++) {
        end -= hint_columns(&always.hints[i]);
        draw_hint(&always.hints[i], area, end + 1, cells);
    }
    for (int i = 0; i < hints.count && column + hint_columns(&hints.hints[i]) <= end; i++) {
        draw_hint(&hints.hints[i], area, column, cells);
        column += hint_columns(&hints.hints[i]);
    }
}
