// libzip, loaded when the first archive is opened or written: it brings a large library for secrets
// along, whose loading takes longer than all else before the first line of most commands.
#ifndef ZIP_LATE_H
#define ZIP_LATE_H

#include <stdbool.h>
#include "error.h"

// Before any zip_... function is called. False with a sentence when libzip is not there.
bool zip_late(Error *err);

#endif
