// A lecture: pages of text, commands that set each page's scene, a question, and speaker's notes. Commands and
// references are only parsed here; `session` interprets them.
//
// The format is Markdown (CommonMark); `attnscope help lecture` describes it.
//
// Life cycle: lecture_read fills a Lecture, which never changes afterwards; lecture_finish.
#ifndef LECTURE_H
#define LECTURE_H

#include <stddef.h>
#include "arena.h"
#include "error.h"
#include "words.h"

// --- references
//
// A lecture refers to numbers of a trace instead of copying them:
//
//   attn_weights[0,0,1]        one element; a colon or a missing index means the whole axis
//   shape q_heads              likewise stride and offset
//   place q_heads[0,1,0,0]     an element's offset in storage
//   sum, max, argmax, zeros    over the free axes: sum attn_weights[0,0]
//   right probabilities        the share of the targets that are likeliest in their rows
//   whole-rows: apart output   the largest difference between that scenario's elements and the page's
//   composition k[0,0,1,0]     how much the key (q, k, v) of head 1.0 reads from head 0.0; without an index:
//                              from a random head
//   scale                      the divisor of the scores
//   four-heads: scale          the same in another scenario
//   1, (1, 3, 4)               literal numbers

typedef enum ReferenceKind {
    REFERENCE_ELEMENTS,
    REFERENCE_SHAPE,
    REFERENCE_STRIDE,
    REFERENCE_OFFSET,
    REFERENCE_PLACE,
    REFERENCE_SUM,
    REFERENCE_MAX,
    REFERENCE_ARGMAX,
    REFERENCE_ZEROS, // the indices of zero elements
    REFERENCE_RIGHT,
    REFERENCE_APART,
    REFERENCE_COMPOSITION,
    REFERENCE_SCALE,
    REFERENCE_NUMBERS,
} ReferenceKind;

enum { REFERENCE_NAME_MAX = 64, REFERENCE_INDEX_MAX = 6, REFERENCE_WHOLE_AXIS = -1 };

typedef struct Reference {
    ReferenceKind kind;
    char scenario[REFERENCE_NAME_MAX]; // "": the page's
    char tensor[REFERENCE_NAME_MAX];
    int index_count;
    ptrdiff_t index[REFERENCE_INDEX_MAX]; // or REFERENCE_WHOLE_AXIS
    int number_count;
    double numbers[REFERENCE_INDEX_MAX];
} Reference;

// Parses a reference. Returns false and sets err, with the correct syntax.
bool reference_parse(const char *text, Reference *reference, Error *err);

// "A = B" (up to the rounding of a sum), "A == B" (to the last bit), "A < B", "A > B": true or false for a
// given trace.
typedef struct Claim {
    Reference left, right;
    char relation;   // '=', '<' or '>'
    bool to_the_bit; // "=="
} Claim;

bool claim_parse(const char *text, Claim *claim, Error *err);

// --- a lecture

typedef enum LectureSpanKind {
    SPAN_TEXT,
    SPAN_EMPHASIS,
    SPAN_STRONG,
    SPAN_CODE,
    SPAN_REFERENCE, // text is a valid reference
    SPAN_LABEL,     // words that the screen shows
    SPAN_NOTE,      // added by the program
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
    BLOCK_CODE, // lines of code, verbatim
    BLOCK_KEYS, // a paragraph about keys, for readers at the program
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
#include "lecture_kinds.def"
    QUESTION_KINDS
} QuestionKind;

enum { QUESTION_CHOICES_MAX = 6 };

// The answer is computed from the trace, never typed.
typedef struct LectureQuestion {
    QuestionKind kind;
    LectureSpan *ask, *right, *wrong;         // `wrong` explains; `right` may be NULL
    LectureSpan *hint;                        // after a first wrong answer; or NULL
    const char *answer;                       // a reference; for TRUE_FALSE a claim
    const char *lines[QUESTION_CHOICES_MAX];  // choices; NULL: made from `behind`
    const char *behind[QUESTION_CHOICES_MAX]; // their claims, steps or causes
    int choice_count;
    const char *change; // for EXPERIMENT: "attention.scale=none"
    int unknown;        // for UNKNOWN: the axis
    int line;           // in the file
} LectureQuestion;

// One bit per row of lecture_kinds.def.
typedef enum LectureShow {
#define LECTURE_SHOW(NAME, word) SHOW_BIT_##NAME,
#include "lecture_kinds.def"
    SHOW_BITS,
#define LECTURE_SHOW(NAME, word) SHOW_##NAME = 1 << SHOW_BIT_##NAME,
#include "lecture_kinds.def"
    SHOW_ALL = (1 << SHOW_BITS) - 1
} LectureShow;

// From lecture_kinds.def. DEFAULT: the detail shown, else the numbers.
typedef enum LecturePicture {
    SLIDE_DEFAULT,
#define LECTURE_PICTURE(NAME, word) SLIDE_##NAME,
#include "lecture_kinds.def"
    SLIDE_PICTURES
} LecturePicture;

typedef struct LecturePage {
    const char *name; // survives a reworded title; progress refers to it
    const char *title;
    const char *scenario; // of this or the nearest earlier page
    int scenario_line;    // where it is named
    const char *text;     // replaces the scenario's sentence; NULL: does not
    bool says_shows;      // this page sets `shows`
    int shows;            // bits of LectureShow, inherited; initially all
    int line;
    LectureBlock *blocks;
    LectureCommand *commands;
    LectureCommand *answered; // run after the answer
    LectureQuestion question;
    LectureBlock *notes;
    LecturePicture picture;
    LectureBlock *slide; // shorter text for slides; NULL: none
} LecturePage;

enum { LECTURE_PAGES_MAX = 64 };

typedef struct Lecture {
    const char *name; // of the folder
    const char *file; // for messages
    const char *title;
    const char *about;  // first paragraph, or ""
    Language language;  // from the file's name: lecture.ko.md
    const char *source; // for lecture_column
    LecturePage pages[LECTURE_PAGES_MAX];
    int page_count;
    Arena arena;
} Lecture;

// Reads a file; `name` is the lecture's. Returns false and sets err, with file:line and advice.
bool lecture_read(Lecture *lecture, const char *name, const char *path, Error *err);

// The same for a text in memory; `file` is for messages.
bool lecture_read_text(Lecture *lecture, const char *name, const char *file, const char *text,
                       size_t length, Error *err);

void lecture_finish(Lecture *lecture);

// The column of `what` in a line of the file, in characters from 1; of the line's first letter if it is not
// there.
int lecture_column(const Lecture *lecture, int line, const char *what);

// The number of the page with this name, or -1.
int lecture_find(const Lecture *lecture, const char *page);

// --- the list: every folder of the lessons (place.h) with a lecture.md; the first place with a lecture wins

typedef struct LectureEntry {
    const char *name;   // "02-scaled-dot-product"
    const char *folder; // its path; for an own lecture maybe one .md file
} LectureEntry;

enum { LECTURE_ENTRIES_MAX = 64 };

typedef struct LectureList {
    LectureEntry entries[LECTURE_ENTRIES_MAX]; // by name
    int count;
    Arena arena;
} LectureList;

bool lecture_list_open(LectureList *list, Error *err);
void lecture_list_close(LectureList *list);

// Finds a lecture by name or by the part before or after its first hyphen ("02", "scaled-dot-product"). Returns
// -1 and sets err, with the nearest name.
int lecture_list_find(const LectureList *list, const char *name, Error *err);

// The same, or a user's own lecture: the path of a folder with lecture.md or lecture.ko.md, or of an .md file.
// NULL and err on failure; the entry belongs to the list.
const LectureEntry *lecture_list_choose(LectureList *list, const char *what, Error *err);

// True for the path of an own lecture that is not the name of a known one.
bool lecture_list_is_path(const char *what);

// Adds the user's lectures in the current folder.
bool lecture_list_add_own(LectureList *list, Error *err);

// Writes a starting point into a new or empty folder: lecture.md or lecture.ko.md, and a scenario. Returns false
// and sets err if a file exists.
bool lecture_begin(const char *folder, Language language, Error *err);

// The lecture's file in a language, or in the other one. Returns false if the path is too long.
bool lecture_path(const char *folder, Language language, char *path);

// Reads the lecture in a language, or in the other one if there is no translation.
bool lecture_open(Lecture *lecture, const char *name, const char *folder, Language language,
                  Error *err);

// --- presentations
//
// The page that is being presented, stored in the user's state (state_file.h) for a second terminal to follow.

enum { PRESENTING_NAME_MAX = 4096 }; // may be a path

typedef struct Presenting {
    char lecture[PRESENTING_NAME_MAX]; // "02-scaled-dot-product", or the path of an own one
    char page[PRESENTING_NAME_MAX];    // its name
    Language language;
} Presenting;

// The file's path, in the arena; NULL and err if there is no home directory.
const char *presenting_path(Arena *arena, Error *err);

bool presenting_note(const char *path, const Lecture *lecture, const char *page, Error *err);

// Returns false and sets err if there has been no presentation, or the file is damaged.
bool presenting_read(const char *path, Presenting *presenting, Error *err);

#endif
