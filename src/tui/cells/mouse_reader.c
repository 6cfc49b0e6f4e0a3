// mouse_reader: see mouse_reader.h.
#include "mouse_reader.h"

enum {
    BYTE_OF_ZERO = 32,
    NUMBER_MAX = 9999, // more than any terminal has columns

    // the bits of a button's number
    LEFT = 0,
    MODIFIERS = 4 + 8 + 16, // Shift, Meta, Control: the click is meant all the same
    WHEEL_UP = 64,
    WHEEL_DOWN = 65,
};

static bool finish(MouseReader *reader, bool pressed, MouseEvent *event)
{
    int button = reader->numbers[0] & ~MODIFIERS;
    *event = (MouseEvent){.wheel = (button == WHEEL_DOWN) - (button == WHEEL_UP),
                          .column = reader->numbers[1] - 1,
                          .row = reader->numbers[2] - 1};
    *reader = (MouseReader){.form = MOUSE_SILENT};
    return pressed && (button == LEFT || event->wheel != 0) && event->row >= 0 &&
           event->column >= 0;
}

static bool take_decimal(MouseReader *reader, int code, MouseEvent *event)
{
    int *number = &reader->numbers[reader->place];
    bool last = reader->place == MOUSE_NUMBERS - 1;
    if (code >= '0' && code <= '9')
        *number = *number < NUMBER_MAX / 10 ? *number * 10 + code - '0' : NUMBER_MAX;
    else if (code == ';' && !last)
        reader->place++;
    else
        return finish(reader, last && code == 'M', event);
    return false;
}

static bool take_byte(MouseReader *reader, int code, MouseEvent *event)
{
    reader->numbers[reader->place++] = code - BYTE_OF_ZERO;
    return reader->place == MOUSE_NUMBERS && finish(reader, true, event);
}

bool mouse_reader_take(MouseReader *reader, int code, MouseEvent *event)
{
    return reader->form == MOUSE_DECIMAL ? take_decimal(reader, code, event)
                                         : take_byte(reader, code, event);
}
