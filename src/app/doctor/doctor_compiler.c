// doctor_compiler: the compiler that builds what learners write, tried on a function known to be right.
#include "doctor.h"

void doctor_compiler(Doctor *doctor)
{
    const DoctorTrial *trial = doctor_trial(doctor);
    const Judging *judging = &trial->judging;
    if (trial->failure.text[0]) {
        doctor_say_error(doctor, DOCTOR_ILL, &trial->failure);
    } else if (!judging->plain.path[0]) { // nothing was built
        doctor_say(doctor, DOCTOR_ILL, DOCTOR_SAYS_ERROR, judging_why(judging, doctor->language));
        if (judging->plain.compiler[0])
            doctor_advise(doctor, DOCTOR_SAYS_COMPILER_ADVICE, judging->plain.compiler);
    } else {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_COMPILER, judging->plain.compiler);
        if (judging->guarded.sanitized)
            doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_SANITIZER);
        else
            doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_NO_SANITIZER);
        if (!judging->guarded.sanitized)
            doctor_advise(doctor, DOCTOR_SAYS_NO_SANITIZER_ADVICE);
    }
}
