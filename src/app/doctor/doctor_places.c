// doctor_places: the lessons, the libraries and the helper programs.
#include "doctor.h"
#include "place.h"

typedef struct Wanted {
    Place place;
    const char *name;
} Wanted;

static const Wanted wanted[] = {
    {PLACE_LESSONS, "scenarios"},           {PLACE_LESSONS, "exercises/exercises.txt"},
    {PLACE_LIBRARIES, "libworker-scale.a"}, {PLACE_PROGRAMS, "attnscope-bench"},
    {PLACE_PROGRAMS, "attnscope-judge"},    {PLACE_PROGRAMS, "attnscope-keeper"},
    {PLACE_PROGRAMS, "attnscope-paper"},    {PLACE_PROGRAMS, "attnscope-window"},
};

void doctor_places(Doctor *doctor)
{
    char path[PLACE_PATH_MAX];
    Error err;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (place_find(wanted[i].place, wanted[i].name, path, &err))
            doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_FOUND, path);
        else
            doctor_say_error(doctor, DOCTOR_ILL, &err);
}
