// doctor_cache: the folder of programs built of learners' files.
#include "doctor.h"
#include "room.h"
#include "worker_cache_look.h"

void doctor_cache(Doctor *doctor)
{
    WorkerCacheState state;
    char size[ROOM_TEXT_MAX];
    Error err;
    if (!worker_cache_look(&state, doctor->mends, &err)) {
        doctor_say_error(doctor, DOCTOR_ILL, &err);
        return;
    }
    doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_CACHE, state.folder, state.programs,
               room_text(state.bytes, size));
    if (state.damaged == 0)
        return;
    doctor_say(doctor, doctor->mends ? DOCTOR_WELL : DOCTOR_LACKS,
               doctor->mends ? DOCTOR_SAYS_CACHE_MENDED : DOCTOR_SAYS_CACHE_DAMAGED, state.damaged);
    if (!doctor->mends)
        doctor_advise(doctor, DOCTOR_SAYS_MEND_ADVICE);
}
