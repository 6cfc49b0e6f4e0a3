// Whose numbers a session shows: those of the scenario, or others. Titles of screens, pictures and
// files of numbers say it, so that nobody takes a changed number for the document's.
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include "session.h"

// What makes the numbers in front differ from those of the scenario's file, in the words in which it
// was asked for: "attention.scale=none", "mistake scale-missing", "own text"; "" where nothing does.
// A text that has no room ends with an ellipsis.
enum { SESSION_SOURCE_MAX = PICTURE_CHANGED_MAX };
const char *session_changed_by(const Session *session, char text[SESSION_SOURCE_MAX]);

// The document whose numbers these are; NULL where they are no document's, or where only a file of the
// person's own claims to be.
const char *session_document(const Session *session);

// The file that the weights are from, where a scenario of the person's own names it; NULL elsewhere. A
// file of weights that was opened is named as the scenario already.
const char *session_own_weights(const Session *session);

#endif
