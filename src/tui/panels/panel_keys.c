// The key bar: what can be done now. Keys and words come from commands.def; this file only chooses
// which commands make sense where we are, the most useful first.
#include "panel.h"

#include "guide.h"
#include "session_prompt.h"
#include "tui_words.h"
#include "utf8.h"

enum { GAP = 2 };

// --- which keys

static void add_prompt_keys(Hints *hints)
{
    for (int i = 0; i < prompt_key_count(); i++) {
        const PromptKey *key = prompt_key(i);
        if (key->label.in[LANGUAGE_ENGLISH] && *key->label.in[LANGUAGE_ENGLISH])
            hints_add_key(hints, key->keys, words_tell(key->label));
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
    static const Words next_labels[DEPTH_COUNT] = {
        [DEPTH_STAGE] = {{NULL}},
        [DEPTH_ELEMENT] = WORDS("next element", "다음 원소"),
        [DEPTH_TERM] = WORDS("next term", "다음 항"),
    };
    bool more = session->cursor.step + 1 < session->run.trace.step_count && !session->run.failed;
    bool walks = session->cursor.depth != DEPTH_STAGE;
    hints_add_as(hints, more || walks, COMMAND_NEXT,
                 words_tell(next_labels[session->cursor.depth]));
    // Beside P for the page back, p needs the word for what it takes back.
    hints_add_as(hints, session->cursor.step > 0 || walks, COMMAND_PREVIOUS,
                 session->guide ? TELL(HINT_STEP_BACK) : NULL);
    hints_add_as(hints, session->play.on, COMMAND_PLAY_PAUSE, TELL(HINT_PAUSE));
}

// What can stand beside the values, but for the origin and what stands there now.
static void add_details(Hints *hints, const Session *session)
{
    static const CommandKind kinds[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, opens, moves, enters, ...) [DETAIL_##NAME] = COMMAND_##NAME,
#include "details.def"
#undef DETAIL
    };
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        hints_add_one(hints,
                      detail != DETAIL_ORIGIN && session->look.detail != (SessionDetail)detail,
                      kinds[detail]);
}

// What stands beside the values, and what leads to their origin where that does not.
static void add_detail(Hints *hints, const Session *session)
{
    SessionDetail detail = session->look.detail;
    hints_add_one(hints, session_has_values(session) && detail != DETAIL_ORIGIN, COMMAND_ORIGIN);
    if (detail == DETAIL_NONE)
        return;
    const Panel *panel = panel_of_detail(detail);
    if (panel->hints)
        panel->hints(session, hints);
    else
        hints_add_one(hints, true, COMMAND_BACK);
}

static void add_axes(Hints *hints, int picked)
{
    hints_add(hints, picked > 0, (HintCommands){{COMMAND_PICK_PREVIOUS, COMMAND_PICK_NEXT}, 2},
              NULL);
    hints_add_one(hints, picked > 1, COMMAND_AXIS_NEXT);
}

// What a lecture can do; nothing without one.
static void add_lecture(Hints *hints, const Session *session)
{
    const Guide *guide = session->guide;
    if (!guide)
        return;
    bool last = guide->page + 1 == guide->lecture->page_count;
    bool more = guide->text_line < session->room.text_over;
    hints_add_as(hints, !last || more, COMMAND_GO_ON,
                 more ? TELL(HINT_MORE_TEXT) : TELL(HINT_NEXT_PAGE));
    hints_add_one(hints, guide->strayed, COMMAND_RETURN);
    hints_add_one(hints, guide->ask && !guide->answered && !guide->shown, COMMAND_PROMPT_ANSWER);
    hints_add_one(hints, guide->page > 0, COMMAND_PAGE_PREVIOUS);
    hints_add_one(hints, true, COMMAND_CONTENTS);
}

static void add_presenting(Hints *hints)
{
    hints_add_as(hints, true, COMMAND_GO_ON, TELL(HINT_GO_ON));
    hints_add_as(hints, true, COMMAND_PAGE_PREVIOUS, TELL(HINT_BACK));
    hints_add_one(hints, true, COMMAND_NOTES);
    hints_add_one(hints, true, COMMAND_CONTENTS);
    hints_add_one(hints, true, COMMAND_PROMPT);
}

// The most useful first: what does not fit is left out.
static Hints hints_now(const Session *session)
{
    Hints hints = {.count = 0};
    int picked = picked_axes(session), tensors[SESSION_TENSORS_MAX];
    bool has_values = session_has_values(session);
    if (session->prompt.open) {
        add_prompt_keys(&hints);
        return hints;
    }
    if (session->help.open) {
        hints_add_one(&hints, true, COMMAND_BACK);
        hints_add(&hints, true, hint_rows, TELL(HINT_SCROLL));
        return hints;
    }
    if (session->guide && session->guide->contents) {
        hints_add(&hints, true, hint_rows, TELL(HINT_CHOOSE));
        hints_add_as(&hints, true, COMMAND_ENTER, TELL(HINT_OPEN));
        hints_add_one(&hints, true, COMMAND_BACK);
        return hints;
    }
    if (session->guide && session->guide->presents) {
        add_presenting(&hints);
        return hints;
    }
    add_lecture(&hints, session);
    add_steps(&hints, session);
    add_detail(&hints, session);
    hints_add_one(&hints, session_tensors(session, session->cursor.step, tensors) > 1,
                  COMMAND_TENSOR_NEXT);
    hints_add(&hints, has_values, hint_arrows, TELL(HINT_MOVE));
    add_axes(&hints, picked);
    hints_add_one(&hints, has_values, COMMAND_DEPTH_NEXT);
    hints_add_one(&hints, true, COMMAND_PROMPT);
    add_details(&hints, session);
    hints_add_one(&hints, has_values, COMMAND_FLIP);
    hints_add_one(&hints, !session->play.on, COMMAND_PLAY_PAUSE);
    hints_add_one(&hints, picked > 0, COMMAND_ROWS);
    hints_add_one(&hints, picked > 0, COMMAND_COLUMNS);
    return hints;
}

// --- drawing

static int hint_columns(const Hint *hint)
{
    return utf8_width(hint->keys) + 1 + utf8_width(hint->label) + GAP;
}

static void draw_hint(const Hint *hint, Area area, int column)
{
    column += cells_text(area, 0, column, ROLE_KEY, hint->keys);
    cells_text(area, 0, column + 1, ROLE_TEXT, hint->label);
}

static void draw(const Session *session, Area area)
{
    Hints always = {.count = 0}, hints = hints_now(session);
    int end = area.columns, column = 1;
    hints_add_one(&always, !session->prompt.open, COMMAND_QUIT);
    hints_add_one(&always, !session->prompt.open, COMMAND_HELP);
    for (int i = 0; i < always.count; i++) {
        end -= hint_columns(&always.hints[i]);
        draw_hint(&always.hints[i], area, end + 1);
    }
    for (int i = 0; i < hints.count && column + hint_columns(&hints.hints[i]) <= end; i++) {
        draw_hint(&hints.hints[i], area, column);
        column += hint_columns(&hints.hints[i]);
    }
}

const Panel panel_keys = {.draw = draw};
