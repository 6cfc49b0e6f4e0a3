// doctor_finding: what a check has found, and what to do about it, in the person's language; see doctor.h.
#include "doctor.h"

#include <stdarg.h>
#include "words.h"

static const char *const words[DOCTOR_SAYS_COUNT][LANGUAGE_COLUMNS] = {
#define DOCTOR_WORD(NAME, english, korean) \
    [DOCTOR_SAYS_##NAME] = {[LANGUAGE_ENGLISH] = english, \
                            [LANGUAGE_KOREAN] = korean, \
                            [LANGUAGE_MARKED] = "\u27e6" english "\u27e7"},
#include "doctor_words.def"
#undef DOCTOR_WORD
};

DoctorState doctor_state(const Doctor *doctor)
{
    DoctorState worst = DOCTOR_WELL;
    for (int i = 0; i < doctor->count; i++)
        worst = doctor->findings[i].state > worst ? doctor->findings[i].state : worst;
    return worst;
}

const char *doctor_word(const Doctor *doctor, DoctorWord word)
{
    return words[word][language_beside(doctor->language)];
}

static const char *format(Doctor *doctor, DoctorWord word, va_list arguments)
{
    char text[2048];
    Error err;
    vsnprintf(text, sizeof text, doctor_word(doctor, word), arguments);
    words_settle(text, sizeof text);
    const char *kept = arena_text(&doctor->arena, text, &err);
    return kept ? kept : doctor_word(doctor, DOCTOR_SAYS_NO_MEMORY);
}

static void add(Doctor *doctor, DoctorState state, const char *says)
{
    if (doctor->count < DOCTOR_FINDINGS_MAX)
        doctor->findings[doctor->count++] = (DoctorFinding){state, says, NULL};
}

void doctor_say(Doctor *doctor, DoctorState state, DoctorWord says, ...)
{
    va_list arguments;
    va_start(arguments, says);
    add(doctor, state, format(doctor, says, arguments));
    va_end(arguments);
}

void doctor_say_error(Doctor *doctor, DoctorState state, const Error *err)
{
    doctor_say(doctor, state, DOCTOR_SAYS_ERROR, err->text);
}

void doctor_advise(Doctor *doctor, DoctorWord advice, ...)
{
    va_list arguments;
    va_start(arguments, advice);
    if (doctor->count > 0)
        doctor->findings[doctor->count - 1].advice = format(doctor, advice, arguments);
    va_end(arguments);
}
