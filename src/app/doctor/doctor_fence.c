// doctor_fence: what holds a learner's function, and whether a function known to be right passes
// behind it.
#include <stdio.h>
#include "doctor.h"
#include "fence.h"

static void look_at_parts(Doctor *doctor)
{
    WorkerFence fence;
    char text[WORKER_FENCE_TEXT_MAX];
    Error err;
    if (!worker_fence(&fence, &err)) {
        doctor_say_error(doctor, DOCTOR_ILL, &err);
        return;
    }
    doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_FENCE, worker_fence_tell(fence.text, text));
    if (!(fence.parts & FENCE_FILES)) {
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_NO_LANDLOCK);
        doctor_advise(doctor, DOCTOR_SAYS_NO_LANDLOCK_ADVICE);
    }
    if (!(fence.parts & FENCE_CALLS)) {
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_NO_SECCOMP);
        doctor_advise(doctor, DOCTOR_SAYS_NO_SECCOMP_ADVICE);
    }
}

static void look_at_trial(Doctor *doctor)
{
    const DoctorTrial *trial = doctor_trial(doctor);
    const Judging *judging = &trial->judging;
    const VerdictTest *failed = verdict_first_failure(&judging->verdict);
    const char *why = failed ? verdict_told(failed->why, doctor->language) : NULL;
    char text[WORKER_FENCE_TEXT_MAX];
    if (trial->failure.text[0])
        doctor_say_error(doctor, DOCTOR_ILL, &trial->failure);
    else if (!judging->plain.path[0])
        doctor_say(doctor, DOCTOR_ILL, DOCTOR_SAYS_TRIAL_NOT_BUILT);
    else if (judging->end != JUDGING_DONE)
        doctor_say(doctor, DOCTOR_ILL, DOCTOR_SAYS_ERROR, judging_why(judging, doctor->language));
    else if (judging_passed(judging))
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_TRIAL,
                   worker_fence_tell(judging->verdict.fence, text));
    else
        doctor_say(doctor, DOCTOR_ILL, DOCTOR_SAYS_TRIAL_FAILED, why ? why : "");
}

void doctor_fence(Doctor *doctor)
{
    look_at_parts(doctor);
    look_at_trial(doctor);
}
