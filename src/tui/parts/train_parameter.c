// The last update of one parameter, with its arithmetic; see train_screen.h.
#include "train_screen.h"

#include "training_told.h"

enum { INDENT = 4 }; // of what goes on in the next row

void train_parameter_draw(const TrainingWatch *watch, Area area)
{
    ParameterLine lines[PARAMETER_LINES_MAX];
    int count = training_told_parameter(watch, lines);
    for (int i = 0, row = 0; i < count && row < area.rows; i++) {
        Role role = lines[i].is_name ? ROLE_HEADING : lines[i].is_result ? ROLE_CURRENT : ROLE_TEXT;
        row += cells_paragraph(area, row, area.rows - row, INDENT, role, lines[i].text);
    }
}
