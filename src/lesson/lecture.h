// A lecture as it is written: pages of text, the commands that set each page's scene, a question, and
// notes for the speaker. It holds words of commands and references; what they mean is known above.
//
// The format is Markdown (CommonMark); `attnscope help lecture` describes it.
//
// Life cycle: lecture_read fills a Lecture, which then never changes; lecture_finish.
#ifndef LECTURE_H
#define LECTURE_H

#include "arena.h"
#include "error.h"
#include "words.h"

typedef enum LectureSpanKind {
    SPAN_TEXT,
    SPAN_EMPHASIS,
    SPAN_STRONG,
    SPAN_CODE,
    SPAN_REFERENCE, // text is a reference (reference.h), its syntax already checked
    SPAN_LABEL,     // words that the screen shows
    SPAN_NOTE,      // said by the program, not by the lecture
} LectureSpanKind;

typedef struct LectureSpan {
    LectureSpanKind kind;
    const char *text;
    int line; // in the file, from 1
    struct LectureSpan *next;
} LectureSpan;

typedef enum LectureBlockKind {
    BLOCK_PARAGRAPH,
    BLOCK_ITEM, // of a list
    BLOCK_CODE, // its lines, as they are
    BLOCK_KEYS, // a paragraph about keys, for whoever sits at the program
} LectureBlockKind;

typedef struct LectureBlock {
    LectureBlockKind kind;
    LectureSpan *spans;
    struct LectureBlock *next;
} LectureBlock;

typedef struct LectureCommand {
    const char *words; // "goto softmax"
    int line;
    struct LectureCommand *next;
} LectureCommand;

typedef enum QuestionKind {
    QUESTION_NONE,
#define QUESTION_KIND(NAME, ...) QUESTION_##NAME,
#include "question_kinds.def"
    QUESTION_COUNT
} QuestionKind;

enum { QUESTION_CHOICES_MAX = 6 };

// The answer is never typed: it is what a reference or claim says of the trace.
typedef struct LectureQuestion {
    QuestionKind kind;
    LectureSpan *ask, *right, *wrong;         // wrong explains; right may be NULL
    LectureSpan *hint;                        // after a first wrong answer; may be NULL
    const char *answer;                       // a reference; of TRUE_FALSE a claim
    const char *lines[QUESTION_CHOICES_MAX];  // to choose among; NULL: they are made of `behind`,
    const char *behind[QUESTION_CHOICES_MAX]; // what stands behind them: claims, steps or causes
    int choice_count;
    const char *change; // of EXPERIMENT: "attention.scale=none"
    int unknown;        // of UNKNOWN: the axis
    int line;           // in the file
} LectureQuestion;

// A bit for each of lecture_shows.def.
typedef enum LectureShow {
#define LECTURE_SHOW(NAME, word) SHOW_BIT_##NAME,
#include "lecture_shows.def"
    SHOW_BITS,
#define LECTURE_SHOW(NAME, word) SHOW_##NAME = 1 << SHOW_BIT_##NAME,
#include "lecture_shows.def"
    SHOW_ALL = (1 << SHOW_BITS) - 1
} LectureShow;

// Of lecture_pictures.def. DEFAULT: what stands beside the numbers, else the numbers.
typedef enum LecturePicture {
    SLIDE_DEFAULT,
#define LECTURE_PICTURE(NAME, word) SLIDE_##NAME,
#include "lecture_pictures.def"
    SLIDE_PICTURES
} LecturePicture;

typedef struct LecturePage {
    const char *name; // stays when the title is reworded; progress goes by it
    const char *title;
    const char *scenario; // that of this page or of the nearest page before
    int scenario_line;    // where it is named
    const char *text;     // a sentence in place of the scenario's; NULL: none
    bool says_shows;      // the page itself says what of a step is shown
    int shows;            // of LectureShow: what it says, or the nearest page before; at first all
    int line;
    LectureBlock *blocks;
    LectureCommand *commands;
    LectureCommand *answered; // done when the question has been answered or its answer shown
    LectureQuestion question;
    LectureBlock *notes;
    LecturePicture picture;
    LectureBlock *slide; // what a projector shows of the text; NULL: nothing
} LecturePage;

enum { LECTURE_PAGES_MAX = 64 };

typedef struct Lecture {
    const char *name; // of the folder
    const char *file; // for messages
    const char *title;
    const char *about;  // the first paragraph, or ""
    Language language;  // of the file's name: lecture.ko.md
    const char *source; // the file's text, for lecture_column
    LecturePage pages[LECTURE_PAGES_MAX];
    int page_count;
    Arena arena;
} Lecture;

// Reads one file. `name` is the lecture's. False with file:line and what to do.
bool lecture_read(Lecture *lecture, const char *name, const char *path, Error *err);

// The same from memory; `file` is for messages.
bool lecture_read_text(Lecture *lecture, const char *name, const char *file, const char *text,
                       size_t length, Error *err);

void lecture_finish(Lecture *lecture);

// Where something begins in a line of the file, counted in characters from 1; the line's first letter
// where it is not written there as such.
int lecture_column(const Lecture *lecture, int line, const char *what);

// The number of the page with this name, -1 when there is none.
int lecture_find(const Lecture *lecture, const char *page);

#endif
