// Where the programs are that belong to this one and that nobody starts by hand.
#ifndef LIBEXEC_H
#define LIBEXEC_H

#include "arena.h"
#include "error.h"

// The path of such a program: beside this one, or where `meson install` puts it. NULL with a sentence
// when it is not there.
const char *libexec_find(const char *name, Arena *arena, Error *err);

#endif
