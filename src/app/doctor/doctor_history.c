// doctor_history: the file of lines typed at the prompt. What is broken in it goes by itself with the
// next line that is typed.
#include "doctor_state.h"
#include "history_file.h"

void doctor_history(Doctor *doctor)
{
    char path[STATE_PATH_MAX];
    HistoryState state;
    Error err;
    if (!state_file_path("history", path, &err)) {
        doctor_say_error(doctor, DOCTOR_LACKS, &err);
        return;
    }
    if (history_file_look(path, &state, &err)) {
        doctor_state_version(doctor, path, state.version, HISTORY_VERSION);
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_HISTORY_LINES, state.typed);
        if (state.others > 0)
            doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_STATE_OTHERS, state.others);
        if (state.not_typed > 0)
            doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_HISTORY_BROKEN, state.not_typed);
    } else {
        doctor_say_error(doctor, DOCTOR_LACKS, &err);
        doctor_advise(doctor, DOCTOR_SAYS_STATE_ADVICE);
    }
    doctor_state_look(doctor, path);
}
