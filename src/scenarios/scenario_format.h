// The page that documents the scenario format: scenario_format.txt and scenario_format.ko.txt, put into
// the program when it is built.
#ifndef SCENARIO_FORMAT_H
#define SCENARIO_FORMAT_H

#include "words.h"

extern const Words scenario_format;

#endif
