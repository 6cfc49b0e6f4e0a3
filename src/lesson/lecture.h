// A lecture as it is written: pages of text, the commands that set each page's scene, a question, and
// notes for the speaker. It holds words of commands and references; what they mean is known above.
//
// The format is Markdown (CommonMark); `attnscope help lecture` describes it.
//
// Life cycle: lecture_read fills a Lecture, which then never changes; lecture_finish.
#ifndef LECTURE_H
#define LECTURE_H

#include <stddef.h>
#include "arena.h"
#include "error.h"
#include "words.h"

// --- references
//
// How a lecture names numbers of a trace without typing them.
//
//   attn_weights[0,0,1]        one element; a colon or a missing index stands for a whole axis
//   shape q_heads              so do stride and offset (of the tensor)
//   place q_heads[0,1,0,0]     where the element lies in storage, in elements
//   sum, max, argmax, zeros    of what the index leaves over: sum attn_weights[0,0]
//   composition k[0,0,1,0]     how much the key (q, k, v) of head 1.0 reads from head 0.0; without an index:
//                              from a random head
//   scale                      what the scores are divided by
//   four-heads: scale          the same of another scenario
//   1, (1, 3, 4)               numbers as they are
//
// This floor reads them; `session` knows the trace and gives them their values.

typedef enum ReferenceKind {
    REFERENCE_ELEMENTS,
    REFERENCE_SHAPE,
    REFERENCE_STRIDE,
    REFERENCE_OFFSET,
    REFERENCE_PLACE,
    REFERENCE_SUM,
    REFERENCE_MAX,
    REFERENCE_ARGMAX,
    REFERENCE_ZEROS, // the indices at which the elements are 0
    REFERENCE_COMPOSITION,
    REFERENCE_SCALE,
    REFERENCE_NUMBERS,
} ReferenceKind;

enum { REFERENCE_NAME_MAX = 64, REFERENCE_INDEX_MAX = 6, REFERENCE_WHOLE_AXIS = -1 };

typedef struct Reference {
    ReferenceKind kind;
    char scenario[REFERENCE_NAME_MAX]; // "": that of the page
    char tensor[REFERENCE_NAME_MAX];
    int index_count;
    ptrdiff_t index[REFERENCE_INDEX_MAX]; // or REFERENCE_WHOLE_AXIS
    int number_count;
    double numbers[REFERENCE_INDEX_MAX];
} Reference;

// False with what is wrong and how it is written.
bool reference_parse(const char *text, Reference *reference, Error *err);

// "A = B", "A < B", "A > B": something that is true or false of a trace.
typedef struct Claim {
    Reference left, right;
    char relation; // '=', '<' or '>'
} Claim;

bool claim_parse(const char *text, Claim *claim, Error *err);

// --- a lecture

typedef enum LectureSpanKind {
    SPAN_TEXT,
    SPAN_EMPHASIS,
    SPAN_STRONG,
    SPAN_CODE,
    SPAN_REFERENCE, // text is a reference, its syntax already checked
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
#include "lecture_kinds.def"
    QUESTION_KINDS
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

// A bit for each of lecture_kinds.def.
typedef enum LectureShow {
#define LECTURE_SHOW(NAME, word) SHOW_BIT_##NAME,
#include "lecture_kinds.def"
    SHOW_BITS,
#define LECTURE_SHOW(NAME, word) SHOW_##NAME = 1 << SHOW_BIT_##NAME,
#include "lecture_kinds.def"
    SHOW_ALL = (1 << SHOW_BITS) - 1
} LectureShow;

// Of lecture_kinds.def. DEFAULT: what stands beside the numbers, else the numbers.
typedef enum LecturePicture {
    SLIDE_DEFAULT,
#define LECTURE_PICTURE(NAME, word) SLIDE_##NAME,
#include "lecture_kinds.def"
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

// --- the list
//
// Which lectures there are: every folder of the lessons (place.h) that holds a lecture.md; the
// first place that has a lecture counts.

typedef struct LectureEntry {
    const char *name;   // "02-scaled-dot-product"
    const char *folder; // its path; a lecture of one's own may be one file that ends in .md
} LectureEntry;

enum { LECTURE_ENTRIES_MAX = 64 };

typedef struct LectureList {
    LectureEntry entries[LECTURE_ENTRIES_MAX]; // by name
    int count;
    Arena arena;
} LectureList;

bool lecture_list_open(LectureList *list, Error *err);
void lecture_list_close(LectureList *list);

// Finds by name, or by the part before or after its first hyphen ("02", "scaled-dot-product"). -1
// with the nearest name.
int lecture_list_find(const LectureList *list, const char *name, Error *err);

// The same, or a lecture of one's own: the path of a folder that holds lecture.md or lecture.ko.md, or
// of a file that ends in .md. NULL with a sentence; the entry lives as long as the list.
const LectureEntry *lecture_list_choose(LectureList *list, const char *what, Error *err);

// Whether this is the path of a lecture of one's own, and no name of a known one.
bool lecture_list_is_path(const char *what);

// Adds the lectures of one's own that lie in the current folder.
bool lecture_list_add_own(LectureList *list, Error *err);

// Writes a beginning of one's own into a new or an empty folder, in one language: lecture.md or
// lecture.ko.md, and a scenario beside it. False with a sentence when a file is there already.
bool lecture_begin(const char *folder, Language language, Error *err);

// The file of a lecture in a language, or in the other one; false where its path is too long.
bool lecture_path(const char *folder, Language language, char *path);

// Reads a lecture of a folder in a language; where it is not written in it, in the other one.
bool lecture_open(Lecture *lecture, const char *name, const char *folder, Language language,
                  Error *err);

// --- what a presenter shows
//
// Which page a presenter shows, noted in a file of the person's own state (state_file.h), so that a
// second terminal can follow it.

enum { PRESENTING_NAME_MAX = 4096 }; // a path, too

typedef struct Presenting {
    char lecture[PRESENTING_NAME_MAX]; // "02-scaled-dot-product", or the path of one's own
    char page[PRESENTING_NAME_MAX];    // its name
    Language language;
} Presenting;

// Where the file is, in the arena; NULL with a sentence when there is no home for it.
const char *presenting_path(Arena *arena, Error *err);

bool presenting_note(const char *path, const Lecture *lecture, const char *page, Error *err);

// False, with a sentence, when nobody has presented, or the file holds something else.
bool presenting_read(const char *path, Presenting *presenting, Error *err);

#endif
