// How one tensor is looked at: how it is laid out and which of its elements is chosen. The cost does
// not depend on the tensor's size.
#ifndef SESSION_VIEW_H
#define SESSION_VIEW_H

#include "session.h"

// The first element, with the last two axes as rows and columns.
void session_view_open(SessionView *view, const Tensor *tensor);

// Moves the chosen element along an axis (-1: does nothing), not beyond its ends.
void session_view_move(SessionView *view, const Tensor *tensor, int axis, ptrdiff_t by);

// Moves the visible corner as little as possible so that the chosen element is visible.
void session_view_scroll(SessionView *view, const Tensor *tensor, ptrdiff_t rows,
                         ptrdiff_t columns);

#endif
