// What the checks of files of the person's state (state_file.h) have in common.
#ifndef DOCTOR_STATE_H
#define DOCTOR_STATE_H

#include "doctor.h"

// Whether one may note things in the file: its folder, the lock.
void doctor_state_look(Doctor *doctor, const char *path);

// Which version wrote it, 0: it does not say. `known` is the newest that this program knows.
void doctor_state_version(Doctor *doctor, const char *path, int version, int known);

#endif
