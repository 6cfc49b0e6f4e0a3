// The prompt: a line in which the words of commands are typed, with completion and the lines typed
// before. It is part of the Session; keys reach it as the command `type`.
#ifndef SESSION_PROMPT_H
#define SESSION_PROMPT_H

#include "session.h"

// What a key means now: a command, or something for the open prompt. False when it means nothing.
bool session_key(const Session *session, const char *key, Command *command);

// What stands in keymaps.def for PLACE_PROMPT.
int prompt_key_count(void);
const KeyRow *prompt_key(int number);

// A line about the words that are being typed: what the command takes and does, or which commands begin
// with these letters.
enum { PROMPT_HINT_MAX = 1024 };
const char *session_prompt_hint(const Session *session, char text[PROMPT_HINT_MAX]);

#endif
