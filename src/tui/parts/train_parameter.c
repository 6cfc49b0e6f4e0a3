// The last update of one parameter, with its arithmetic; see train_screen.h.
#include "train_screen.h"

#include "training_told.h"

void train_parameter_draw(const TrainingWatch *watch, Area area)
{
    ParameterLine lines[PARAMETER_LINES_MAX];
    int count = training_told_parameter(watch, lines);
    for (int i = 0; i < count; i++)
        cells_text(area, i, 0,
                   lines[i].is_name     ? ROLE_HEADING
                   : lines[i].is_result ? ROLE_CURRENT
                                        : ROLE_TEXT,
                   lines[i].text);
}
