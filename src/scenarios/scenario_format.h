// The page that documents the scenario format: scenario_format.txt, put into the program when it is
// built.
#ifndef SCENARIO_FORMAT_H
#define SCENARIO_FORMAT_H

extern const char scenario_format_text[];

#endif
