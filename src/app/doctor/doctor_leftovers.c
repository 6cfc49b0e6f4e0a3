// doctor_leftovers: what killed programs have left half written, where the program writes by itself
// and where the person is now.
#include <stdlib.h>
#include <string.h>
#include "doctor.h"
#include "room.h"
#include "state_file.h"
#include "worker_cache_look.h"

static void look_at(Doctor *doctor, const char *folder)
{
    char size[ROOM_TEXT_MAX];
    TemporaryLeft left = temporary_sweep(folder, doctor->mends);
    if (left.count == 0)
        return;
    doctor_say(doctor, doctor->mends ? DOCTOR_WELL : DOCTOR_LACKS,
               doctor->mends ? DOCTOR_SAYS_LEFT_REMOVED : DOCTOR_SAYS_LEFT, folder, left.count,
               room_text(left.bytes, size));
    if (!doctor->mends)
        doctor_advise(doctor, DOCTOR_SAYS_MEND_ADVICE);
}

void doctor_leftovers(Doctor *doctor)
{
    char state[STATE_PATH_MAX];
    WorkerCacheState cache;
    Error err;
    look_at(doctor, temporary_place());
    if (state_file_path("", state, &err))
        look_at(doctor, state);
    if (worker_cache_look(&cache, false, &err))
        look_at(doctor, cache.folder);
    look_at(doctor, ".");
    if (doctor->count == 0)
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_LEFT_NONE);
}
