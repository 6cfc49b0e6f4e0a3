// attnscope doctor: whether this machine has what the program needs, check by check. Each check is a row
// of doctor.def and a function; it looks, and tells what it found in words of doctor_words.def.
#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdio.h>
#include "judging.h"
#include "lecture.h"
#include "words.h"

typedef enum DoctorState {
    DOCTOR_WELL,
    DOCTOR_LACKS, // the program works without it, with less
    DOCTOR_ILL,   // it is needed
    DOCTOR_STATES
} DoctorState;

typedef enum DoctorWord {
#define DOCTOR_WORD(NAME, english, korean) DOCTOR_SAYS_##NAME,
#include "doctor_words.def"
#undef DOCTOR_WORD
    DOCTOR_SAYS_COUNT
} DoctorWord;

// What a check found, and what to do about it.
typedef struct DoctorFinding {
    DoctorState state;
    const char *says, *advice; // in the arena; no advice: NULL
} DoctorFinding;

enum { DOCTOR_FINDINGS_MAX = 16 };

// What came of a function known to be right, built and judged as a learner's.
typedef struct DoctorTrial {
    bool is_done;
    Judging judging;
    Error failure; // why it could not even begin; ""
} DoctorTrial;

typedef struct Doctor {
    Language language;
    bool mends;                                  // what may be removed or mended is
    DoctorFinding findings[DOCTOR_FINDINGS_MAX]; // of the check that runs
    int count;
    DoctorTrial trial;
    Arena arena;
} Doctor;

typedef void DoctorLook(Doctor *doctor);

#define DOCTOR_CHECK(name, english, korean) DoctorLook doctor_##name;
#include "doctor.def"
#undef DOCTOR_CHECK

typedef struct DoctorCheck {
    const char *name; // "fence", for programs
    Words title;
    DoctorLook *look;
} DoctorCheck;

// The checks in order, NULL beyond the last.
const DoctorCheck *doctor_check(int number);

// Runs a check: its findings are then those of the doctor.
void doctor_look(Doctor *doctor, const DoctorCheck *check);

// The worst of the findings.
DoctorState doctor_state(const Doctor *doctor);

const char *doctor_word(const Doctor *doctor, DoctorWord word);

void doctor_finish(Doctor *doctor);

#endif
