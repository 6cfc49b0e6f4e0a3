// doctor_places: the lessons, the libraries and the helper programs.
#include "doctor.h"
#include "place.h"

typedef struct Wanted {
    Place place;
    const char *name;
} Wanted;

static const Wanted wanted[] = {
    {PLACE_LESSONS, "scenarios"},
    {PLACE_LESSONS, "exercises/exercises.txt"},
    {PLACE_LIBRARIES, "libworker-scale.a"},
#define PLACE_PROGRAM(name, variable) {PLACE_PROGRAMS, name},
#include "place_programs.def"
#undef PLACE_PROGRAM
};

static bool find(const Wanted *row, char path[PLACE_PATH_MAX], Error *err)
{
    return row->place == PLACE_PROGRAMS ? place_program(row->name, path, err)
                                        : place_find(row->place, row->name, path, err);
}

void doctor_places(Doctor *doctor)
{
    char path[PLACE_PATH_MAX];
    Error err;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (find(&wanted[i], path, &err))
            doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_FOUND, path);
        else
            doctor_say_error(doctor, DOCTOR_ILL, &err);
}
