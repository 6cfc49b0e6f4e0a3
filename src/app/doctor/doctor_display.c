// doctor_display: opens a window for a moment, where there is a display.
#include <stdlib.h>
#include "doctor.h"
#include "window.h"

enum { WIDTH = 320, HEIGHT = 200 };

static const char *value(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

void doctor_display(Doctor *doctor)
{
    const char *wayland = value("WAYLAND_DISPLAY"), *x11 = value("DISPLAY");
    Window window;
    Error err;
    if (!wayland && !x11) {
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_NO_DISPLAY);
        doctor_advise(doctor, DOCTOR_SAYS_NO_DISPLAY_ADVICE);
    } else if (window_open(&window, "attnscope", WIDTH, HEIGHT, &err)) {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_WINDOW_OPENS,
                   wayland && !window.under_x11 ? "Wayland" : "X11", wayland ? wayland : x11);
        window_close(&window);
    } else {
        doctor_say_error(doctor, DOCTOR_LACKS, &err);
        doctor_advise(doctor, DOCTOR_SAYS_NO_DISPLAY_ADVICE);
    }
}
