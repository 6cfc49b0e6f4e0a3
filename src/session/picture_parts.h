// Shared by session_picture.c, picture_tensor.c and session.c.
#ifndef PICTURE_PARTS_H
#define PICTURE_PARTS_H

#include "session.h"

// --- picture_tensor.c: elements and cells

// The roles of a tensor's axes; -1: none. The last two are rows and columns. The second of four axes counts
// maps, usually heads; so does the first of three, unless it is B.
typedef struct PictureAxes {
    int batch, head, row, column;
} PictureAxes;

// The step that makes a tensor; of an input, the first step that reads it, or the current one.
int picture_step(const Session *session, int tensor);

// Makes a cell the session's element, without marking it (picture_choose).
void picture_put(Session *session, ptrdiff_t batch, FigureCell cell);

// --- picture_tensor.c: from tensor to tensor, from run to run

// After every command: shows the session's tensor, its element, and the elements computed so far.
void picture_follow(Session *session, CommandKind kind);

// Shows a tensor, at the step that makes it. Sequence, head, cursor, lock and zoom stay, or move to the
// nearest valid value. Returns false, with nothing changed, if it cannot be drawn.
bool picture_look_at(Session *session, int tensor, Error *err);

// Shows the next (1) or previous (-1) tensor that a step has made.
bool picture_look_further(Session *session, int direction, Error *err);

// --- picture_tensor.c: cursor, zoom, pointer; all clamp to the map

// Chooses a cell, and scrolls so that it is visible.
void picture_go_to(Session *session, FigureCell cell);

// Marks the element under the cursor as chosen.
void picture_choose(Session *session);

// Scrolls so that the cursor is among the first lines, for a view that shows fewer cells.
void picture_show_cursor(Session *session);

// --- picture_tensor.c: heads that are shown together

// Adds a head or removes it. From a single head, adds to it; from all heads, removes from them. The last head
// stays. Returns false if there is nothing to pick.
bool picture_pick(Session *session, ptrdiff_t head, Error *err);

// Shows the heads "1,3" together, a single one enlarged, or "all".
bool picture_show_heads(Session *session, const char *words, Error *err);

// While heads are picked, marks the next (1) or previous (-1) one for adding. Returns false if none are.
bool picture_mark_head(Session *session, int direction);

#endif
