// doctor_room: whether the disks take what is built, drawn and noted. A folder that may be written to may
// lie on a full disk; so a file is made there, as large as what comes, and is gone at once.
#include <string.h>
#include <sys/mman.h>
#include "doctor.h"
#include "room.h"
#include "state_file.h"
#include "temporary.h"
#include "worker_cache_look.h"

enum { BUILT_BYTES = 8 << 20, NOTED_BYTES = 64 << 10 };

static bool has_room(Doctor *doctor, const char *folder, size_t bytes, DoctorState otherwise)
{
    char size[ROOM_TEXT_MAX];
    Error err;
    void *file = room_map_file(folder, bytes, &err);
    if (!file) {
        doctor_say_error(doctor, otherwise, &err);
        return false;
    }
    munmap(file, bytes);
    doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_ROOM, folder, room_text(bytes, size));
    return true;
}

// Where there is no such folder, or nobody may write to it, the checks of cache and progress say so.
void doctor_room(Doctor *doctor)
{
    WorkerCacheState cache;
    char state[STATE_PATH_MAX];
    Error err;
    if (!has_room(doctor, temporary_place(), BUILT_BYTES, DOCTOR_ILL))
        doctor_advise(doctor, DOCTOR_SAYS_ROOM_ADVICE, "TMPDIR");
    if (worker_cache_look(&cache, false, &err) &&
        !has_room(doctor, cache.folder, BUILT_BYTES, DOCTOR_ILL))
        doctor_advise(doctor, DOCTOR_SAYS_ROOM_ADVICE, "XDG_CACHE_HOME");
    if (!state_file_path("progress", state, &err) || !state_file_make_folders(state, &err))
        return;
    *strrchr(state, '/') = '\0';
    if (!has_room(doctor, state, NOTED_BYTES, DOCTOR_LACKS))
        doctor_advise(doctor, DOCTOR_SAYS_STATE_ADVICE);
}
