// doctor: the list of checks; see doctor.h.
#include "doctor.h"

#include "words.h"

static const DoctorCheck checks[] = {
#define DOCTOR_CHECK(name, english, korean) {#name, WORDS(english, korean), doctor_##name},
#include "doctor.def"
#undef DOCTOR_CHECK
};

const DoctorCheck *doctor_check(int number)
{
    return number < (int)(sizeof checks / sizeof *checks) ? &checks[number] : NULL;
}

void doctor_look(Doctor *doctor, const DoctorCheck *check)
{
    doctor->count = 0;
    check->look(doctor);
}

void doctor_finish(Doctor *doctor)
{
    judging_finish(&doctor->trial.judging);
    arena_finish(&doctor->arena);
}
