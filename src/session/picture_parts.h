// What the files of the picture share with each other and with session.c, and with nobody else.
#ifndef PICTURE_PARTS_H
#define PICTURE_PARTS_H

#include "session.h"

// --- picture_tensor.c: elements and cells

// Which axes of a tensor the picture has as what; -1: there is none. The last two axes are rows and
// columns. Of four axes the second counts maps, usually heads; of three the first does, unless it is B.
typedef struct PictureAxes {
    int batch, head, row, column;
} PictureAxes;

// The step that makes a tensor; of what none makes, the first that reads it, or the one that is shown.
int picture_step(const Session *session, int tensor);

// Makes a cell, or a sequence, the session's element. It is marked from now on only by
// picture_choose.
void picture_put(Session *session, ptrdiff_t batch, FigureCell cell);

// --- picture_tensor.c: from tensor to tensor, from run to run

// After every command: shows what the session looks at, marks its element, and shows as many elements
// as the walk has reached.
void picture_follow(Session *session, CommandKind kind);

// Looks at a tensor of the pipeline, at the step that makes it. Sequence, head, cursor, lock and zoom
// stay where it has them, else become the nearest that it has. False, with nothing changed, when it
// cannot be shown.
bool picture_look_at(Session *session, int tensor, Error *err);

// The next tensor that a step has made, `way` 1 or -1.
bool picture_look_further(Session *session, int way, Error *err);

// --- picture_tensor.c: cursor, zoom, pointer. Each does what it can within the map.

// Chooses a cell, and scrolls so that it is visible.
void picture_go_to(Session *session, FigureCell cell);

// What is looked at is chosen.
void picture_choose(Session *session);

// Scrolls so that the cursor is among the first lines, for a view that shows fewer cells.
void picture_show_cursor(Session *session);

// --- picture_tensor.c: heads that are shown together

// Puts a head in or takes it out. A person who looked at one head keeps it beside the new one; one who
// looked at all keeps all others. The last one stays in. False, with a sentence, when there is nothing
// to pick.
bool picture_pick(Session *session, ptrdiff_t head, Error *err);

// Shows the heads of "1,3" together; one alone is shown large, "all" are all.
bool picture_show_heads(Session *session, const char *words, Error *err);

// While heads are picked, the next one (way 1) or the one before is only marked, to be put in. False
// when none are.
bool picture_mark_head(Session *session, int way);

#endif
