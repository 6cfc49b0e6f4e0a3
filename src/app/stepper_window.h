// The heatmap window beside the stepper: it shows the tensor that the stepper looks at, the chosen
// element of one is the chosen element of the other, and elements appear as the stepper computes
// them.
#ifndef STEPPER_WINDOW_H
#define STEPPER_WINDOW_H

#include "heatmap_window.h"
#include "tui.h"

typedef struct StepperWindow {
    HeatmapWindow shown;
    bool open;
    char gone[COMMAND_NAME_MAX]; // why it closed, for the session; empty: nothing to tell
    TraceCell cell;              // the element both have agreed on
    char cell_name[64];          // of its tensor, whose number another trace may change
    bool counts;                 // the window shows only what the session has reached
    Command queue[3];            // what the window wants of the session, last first
    int queued;
    unsigned long run; // the session's run whose trace is shown
} StepperWindow;

// For tui_run. The window must stay where it is until stepper_window_close.
TuiCompanion stepper_window_companion(StepperWindow *window);

// Accepts a zeroed StepperWindow.
void stepper_window_close(StepperWindow *window);

#endif
