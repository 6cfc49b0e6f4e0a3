// The names that a command's argument can have now: what completion offers, and what a refusal finds
// the nearest of.
#ifndef SESSION_NAMES_H
#define SESSION_NAMES_H

#include "session.h"

enum { SESSION_NAMES_MAX = 1024, SESSION_COMPOSED_MAX = TRACE_STEPS_MAX };

typedef struct SessionNames {
    int count;
    const char *known[SESSION_NAMES_MAX + 1]; // NULL after the last
    char room[SESSION_COMPOSED_MAX][64];      // for those that are put together when asked for
} SessionNames;

// None for a command that takes no name of a known list.
void session_names(const Session *session, CommandKind kind, SessionNames *names);

// The words of all commands.
void session_command_words(SessionNames *names);

// Those names that begin as `start` does, in their order.
void session_names_keep(SessionNames *names, const char *start);

#endif
