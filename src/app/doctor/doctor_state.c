// doctor_state: see doctor_state.h.
#include "doctor_state.h"

#include <unistd.h>
#include "state_file.h"

void doctor_state_look(Doctor *doctor, const char *path)
{
    Error err;
    int lock = state_file_lock(path, &err);
    if (lock >= 0) {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_STATE_WRITABLE);
    } else {
        doctor_say_error(doctor, DOCTOR_LACKS, &err);
        doctor_advise(doctor, DOCTOR_SAYS_STATE_ADVICE);
    }
    state_file_unlock(lock);
}

void doctor_state_version(Doctor *doctor, const char *path, int version, int known)
{
    if (access(path, F_OK) != 0) {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_STATE_NONE, path);
    } else if (version > known) {
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_STATE_NEWER, path, version, known);
        doctor_advise(doctor, DOCTOR_SAYS_STATE_NEWER_ADVICE);
    } else if (version > 0) {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_STATE_READ, path, version);
    } else {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_STATE_OLD, path);
    }
}
