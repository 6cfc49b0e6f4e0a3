// doctor_progress: the file that says how far somebody has come. Its broken lines are set aside when
// it is mended, never deleted.
#include "doctor_state.h"
#include "progress.h"

static void count_lines(Doctor *doctor, const Progress *progress)
{
    int pages = 0, newer = 0;
    for (const ProgressLine *line = progress->lines; line; line = line->next)
        pages++;
    for (const ProgressOther *other = progress->others; other; other = other->next)
        newer += !other->is_broken;
    doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_PROGRESS_PAGES, pages);
    if (newer > 0)
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_STATE_OTHERS, newer);
}

static void look_at_broken(Doctor *doctor, const char *path, const Progress *progress)
{
    int broken = 0;
    Error err = {.text = ""};
    for (const ProgressOther *other = progress->others; other; other = other->next)
        broken += other->is_broken;
    if (broken == 0)
        return;
    if (!doctor->mends) {
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_PROGRESS_BROKEN, broken);
        doctor_advise(doctor, DOCTOR_SAYS_MEND_ADVICE);
    } else if (progress_set_aside(path, &err)) {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_PROGRESS_SET_ASIDE, broken, path);
    } else {
        doctor_say_error(doctor, DOCTOR_LACKS, &err);
    }
}

void doctor_progress(Doctor *doctor)
{
    Error err;
    Progress progress;
    const char *path = progress_path(&doctor->arena, &err);
    if (!path) {
        doctor_say_error(doctor, DOCTOR_LACKS, &err);
        return;
    }
    if (progress_read(&progress, path, &err)) {
        doctor_state_version(doctor, path, progress.version, PROGRESS_VERSION);
        count_lines(doctor, &progress);
        look_at_broken(doctor, path, &progress);
    } else {
        doctor_say_error(doctor, DOCTOR_LACKS, &err);
        doctor_advise(doctor, DOCTOR_SAYS_STATE_ADVICE);
    }
    progress_finish(&progress);
    doctor_state_look(doctor, path);
}
