// What the files of the origin panel share: a page that is written from top to bottom, and its
// parts. Nobody else includes this.
#ifndef ORIGIN_PAGE_H
#define ORIGIN_PAGE_H

#include "cells.h"
#include "number_text.h"
#include "session.h"

typedef struct OriginPage {
    const Session *session;
    const Explanation *explanation;
    Area area;
    int row;    // the next one that is free
    bool brief; // there is no room for all: what the list of terms says is said only there
} OriginPage;

// One line, cut where the page ends; a text that takes as many lines as it needs.
void origin_line(OriginPage *page, Role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void origin_paragraph(OriginPage *page, Role role, const char *text);

// --- texts

enum { ORIGIN_TEXT_MAX = 512, ORIGIN_NUMBER_MAX = NUMBER_FULL_TEXT_MAX };

// A number with every digit that counts, or with every bit where the person reads hexadecimal.
const char *origin_number(const Session *session, float number, char text[ORIGIN_NUMBER_MAX]);

// A number with six digits, for columns and for sums that are written out; "nan" has no sign.
const char *origin_brief(float number, char text[ORIGIN_NUMBER_MAX]);

// The number an element holds with every digit, and the word where it is a token's id: 62 "very".
const char *origin_value(const Session *session, TraceCell cell, char text[ORIGIN_TEXT_MAX]);

// The name of a source in the list of a sum, with the letter that the sum runs over in its place:
// "q_heads[0,0,3,d]".
const char *origin_pattern(const OriginPage *page, int source, char text[ORIGIN_TEXT_MAX]);

// The letter that the step's formula sums over, 'n' where it sums over none.
char origin_letter(const OriginPage *page);

// The index of a listed term along the list ("5"), or "bias".
const char *origin_index(const OriginPage *page, ptrdiff_t number, char text[32]);

// "0 + 16*512 + 5*1 = 8197": offset, indices times strides, and the place they give.
const char *origin_address(const Session *session, TraceCell cell, char text[ORIGIN_TEXT_MAX]);

// --- parts

// The formula of the element with its indices and numbers, in words where a rule decided.
void origin_draw_formula(OriginPage *page);

// Maximum, shifted value, exp, sum and quotient.
void origin_draw_softmax(OriginPage *page);

// The listed terms around the marked one, in at most `rows` rows.
void origin_draw_terms(OriginPage *page, int rows);

#endif
