// The keys that a section of a scenario has from rows of options.def, as a refusal lists them behind its
// others, so that a new row changes no test.
#ifndef OPTION_KEYS_H
#define OPTION_KEYS_H

enum { OPTION_KEYS_BYTES = 1024 };

// ", softcap, alibi"; valid until the next call.
const char *option_keys(const char *section);

#endif
