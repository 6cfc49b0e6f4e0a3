// What panels say in the key bar, and how those that are pages scroll; see panel.h. Uses no panel, so that each
// panel may use it.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "keymap.h"
#include "panel.h"
#include "tui_words.def"

// --- keys and their words

const HintCommands hint_arrows = {{COMMAND_LEFT, COMMAND_UP, COMMAND_DOWN, COMMAND_RIGHT}, 4};
const HintCommands hint_rows = {{COMMAND_UP, COMMAND_DOWN}, 2};
const HintCommands hint_terms = {{COMMAND_TERM_NEXT, COMMAND_TERM_PREVIOUS}, 2};

// Makes room behind the hints that are at least as useful.
static Hint *next_hint(Hints *hints)
{
    assert(hints->count < HINTS_MAX);
    int at = hints->count++;
    for (; at > 0 && hints->hints[at - 1].use > hints->use; at--)
        hints->hints[at] = hints->hints[at - 1];
    hints->hints[at].use = hints->use;
    return &hints->hints[at];
}

// Two keys are written with a space between them, four arrows without.
void hints_add(Hints *hints, bool wanted, HintCommands commands, const char *label)
{
    char key[KEY_NAME_MAX];
    size_t used = 0;
    if (!wanted || hints->is_full)
        return;
    Hint *hint = next_hint(hints);
    for (int i = 0; i < commands.count; i++)
        used += (size_t)snprintf(hint->keys + used, HINT_KEYS_MAX - used, "%s%s",
                                 i > 0 && commands.count == 2 ? " " : "",
                                 key_glyph(command_first_key(commands.kinds[i], key)));
    hint->label = label ? label : command_label(commands.kinds[0]);
}

void hints_add_one(Hints *hints, bool wanted, CommandKind kind)
{
    hints_add_as(hints, wanted, kind, NULL);
}

void hints_add_as(Hints *hints, bool wanted, CommandKind kind, const char *label)
{
    hints_add(hints, wanted, (HintCommands){{kind}, 1}, label);
}

void hints_add_key(Hints *hints, const char *keys, const char *label)
{
    char first[KEY_NAME_MAX];
    if (hints->is_full)
        return;
    Hint *hint = next_hint(hints);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(keys, " "), keys);
    snprintf(hint->keys, sizeof hint->keys, "%s", key_glyph(first));
    hint->label = label;
}

// --- panels that are pages

const PanelScroll panel_scroll_rows = {COMMAND_UP, COMMAND_DOWN};
const PanelScroll panel_scroll_terms = {COMMAND_TERM_PREVIOUS, COMMAND_TERM_NEXT};

void panel_hints_presenting(const Session *session, Hints *hints)
{
    (void)session;
    hints_add_as(hints, true, COMMAND_GO_ON, TELL(HINT_GO_ON));
    hints_add_as(hints, true, COMMAND_PAGE_PREVIOUS, TELL(HINT_BACK));
    hints_add_one(hints, true, COMMAND_NOTES);
    hints_add_one(hints, true, COMMAND_CONTENTS);
    hints_add_one(hints, true, COMMAND_PROMPT);
}

void panel_hints_of_page(const Session *session, Hints *hints)
{
    hints_add(hints, session->room.detail_over > 0, hint_terms, TELL(HINT_SCROLL));
    hints_add_one(hints, true, COMMAND_BACK);
}
