// A lecture that somebody is walking through: which page is shown, its text with the numbers filled
// in, and how its questions were answered. Every page sets its own scene, whatever was done before;
// so one command leads back to the page from anywhere.
//
// Life cycle: open_lecture_start (which opens the session on the page where to start),
// session_apply ..., session_close, open_lecture_close. The lecture must outlive it.
#ifndef OPEN_LECTURE_H
#define OPEN_LECTURE_H

#include "lecture.h"
#include "progress.h"
#include "session.h"
#include "trace.h"

// --- what a reference of a lecture says of a trace that has run to its end

enum { REFERENCE_VALUES_MAX = 64, REFERENCE_TEXT_MAX = 1024 };

typedef struct ReferenceValue {
    int count;
    double numbers[REFERENCE_VALUES_MAX];
    int tied; // of argmax: a later place with the same largest number; 0: there is none
    char text[REFERENCE_TEXT_MAX]; // as the screen writes it: "0.3473", "(1, 3, 4)", "[0.5, 0.5]"
} ReferenceValue;

// False when the trace has no such tensor (with the nearest name) or element (with the shape). The
// reference's scenario is the caller's business.
bool open_lecture_trace_value(const Trace *trace, const Reference *reference, ReferenceValue *value,
                              Error *err);

// --- an open lecture

// A run to its end beside the page's own.
typedef struct OpenLectureRun {
    Scenario scenario;
    Trace whole;
} OpenLectureRun;

// Something that the page's text names: the reference as the lecture writes it, and its value.
typedef struct OpenLectureNamed {
    const char *words, *value;
    Reference reference;
    int line; // in the file
} OpenLectureNamed;

enum { OPEN_LECTURE_NAMED_MAX = 24 };

enum { OPEN_LECTURE_VOTES_MAX = 9 }; // choices that have a digit

typedef struct OpenLecture {
    const Lecture *lecture;
    int page;
    Scenario scenario;       // of the page; the session's trace is made of it
    Trace whole;             // the same, run to its end: what references and questions ask
    OpenLectureRun *other;   // what references to other scenarios ask: the last one that was named
    OpenLectureRun *changed; // the page's scenario with the change that an experiment makes
    Arena kept;              // memory of both runs; lives as long as the open lecture
    const Mistake *hidden; // the mistake in the other run, if the page keeps its name secret; NULL

    // Of the page, references filled in; ask: NULL without a question.
    const LectureBlock *text, *notes, *slide, *ask;
    const LectureBlock *said;                       // about the last answer; NULL before
    OpenLectureNamed named[OPEN_LECTURE_NAMED_MAX]; // in its text, each once
    int named_count;
    Arena arena; // of the page

    PageMark marks[LECTURE_PAGES_MAX];
    int tries;           // at the page's question, wrong ones, since the page was opened
    bool shown;          // its answer was shown since then
    bool answered;       // it has been answered rightly, now or in another run
    bool strayed;        // something was done since the page set its scene
    bool setting;        // the page is setting its scene
    bool contents;       // the list of pages is shown,
    int chosen;          // with this page marked
    ptrdiff_t text_line; // the first visible line of the text; beyond the last one: its end
    bool no_window;      // there can be none; said once
    bool text_elsewhere; // the screen shows the stepper alone
    bool presents;       // for a projector: see panel_lecture.c
    bool polls;          // there, the question alone: see panel_lecture.c
    bool bars;           // with what the room has chosen,
    int votes[OPEN_LECTURE_VOTES_MAX]; // of which digits count one each
    bool shows_notes;                  // the speaker's notes are shown
    bool is_still;                     // its screens become pictures, in which nobody presses a key
    bool on_paper;                     // its slides are printed: their pictures alone, small
    bool blank;                        // nothing is shown, so that people look at the speaker
    const char *progress;              // the file; NULL: nothing is kept
    const char *announces; // the file that says which page is presented; NULL: nobody follows
} OpenLecture;

// Opens a session on a page. `progress` may be NULL. False when the page's scenario cannot be run;
// commands and references of the page that fail are told by the session's message.
bool open_lecture_start(OpenLecture *open, Session *session, const Lecture *lecture, int page,
                        const char *progress, Error *err);
void open_lecture_close(OpenLecture *open);

// Sets the scene of a page. False with file:line of what failed; the page is shown as far as it goes.
bool open_lecture_show(Session *session, int page, Error *err);

// The page's scene again, and what it shows when its question has been answered: the text stays.
bool open_lecture_set_scene(Session *session, Error *err);
bool open_lecture_set_answered(Session *session, Error *err);

// What a reference says, in the page's scenario or in the one it names.
bool open_lecture_value(const OpenLecture *open, const Reference *reference, ReferenceValue *value,
                        Error *err);
bool open_lecture_claim(const OpenLecture *open, const Claim *claim, bool *holds, Error *err);

// The text of spans with the references filled in, in the open lecture's arena; NULL with an error.
LectureSpan *open_lecture_fill(OpenLecture *open, const LectureSpan *spans, Error *err);

// False, with a sentence, when the page asks nothing or there is no lecture (NULL).
bool open_lecture_asks(const OpenLecture *open, Error *err);

// References to this scenario mean the page's own with the change of its experiment.
#define OPEN_LECTURE_CHANGED "changed"

// How an answer to the page's question is written, in a few words (on paper there is no cursor to move),
// and what stands there at first.
const char *open_lecture_answer_form(const OpenLecture *open);
const char *open_lecture_answer_form_on_paper(const OpenLecture *open);
const char *open_lecture_answer_typed(const OpenLecture *open);

// Choice `number` of the page's question, from 0; NULL beyond the last. Some are put together in
// `text`.
enum { OPEN_LECTURE_CHOICE_MAX = TRACE_FORMULA_MAX };
const char *open_lecture_choice(const OpenLecture *open, int number,
                                char text[OPEN_LECTURE_CHOICE_MAX]);
int open_lecture_choice_count(const OpenLecture *open);

// The same for a room of people, who choose between true and false as well, and among the places of an axis.
const char *open_lecture_poll_choice(const OpenLecture *open, int number,
                                     char text[OPEN_LECTURE_CHOICE_MAX]);

// The digit of the first of them: places are counted from 0, as in their answer.
int open_lecture_poll_first(const OpenLecture *open);

// How many have voted at this page.
int open_lecture_votes(const OpenLecture *open);

// The right answer of the page's question, from the trace. False when it cannot be told.
bool open_lecture_answer(const OpenLecture *open, ReferenceValue *answer, Error *err);

// Says something about the answer below the question: plain words, an explanation whose references
// are filled in (NULL: none), plain words.
bool open_lecture_say(OpenLecture *open, const char *first, const LectureSpan *explanation,
                      const char *last, Error *err);

// How many questions were answered rightly at the first go, how many later, and how many there are.
typedef struct OpenLectureScore {
    int right, later, questions;
} OpenLectureScore;

OpenLectureScore open_lecture_score(const OpenLecture *open);

const LecturePage *open_lecture_page(const OpenLecture *open);

// Whether a reference means elements of the slice that is looked at, here or in the run beside. What such
// a run had before a number was changed is seen no more.
bool open_lecture_is_looked_at(const Session *session, const Reference *reference);

// Whether it means where the tensor lies that is looked at, while its memory is shown.
bool open_lecture_is_memory(const Session *session, const Reference *reference);

// Whether the screen tells this of a step; without a lecture it tells everything.
bool open_lecture_shows(const Session *session, LectureShow what);

// Notes that the person does something of their own; true when that leaves the page's scene. If it was
// done with the stepper's keys, which are easily mistaken for those that turn pages, they are told.
bool open_lecture_note_straying(Session *session, CommandKind kind);
void open_lecture_tell_straying(Session *session, CommandKind kind);

// Says that this is where the person stopped last time, and how to start over.
void open_lecture_tell_came_back(Session *session);

// There can be no window, for this reason; no page asks for one again.
void open_lecture_tell_no_window(Session *session, const char *reason);

// Goes through every page as a person would: every command, reference and answer. Tells each problem
// with file:line; returns how many there are.
typedef void OpenLectureProblem(void *context, const char *text);
int open_lecture_check(const Lecture *lecture, OpenLectureProblem *tell, void *context);

// The same pages, commands and questions in two languages.
int open_lecture_compare(const Lecture *lecture, const Lecture *other, OpenLectureProblem *tell,
                         void *context);

// --- what the program says inside a lecture, in the lecture's language

typedef struct Session Session;

typedef enum OpenLectureWord {
#define OPEN_LECTURE_WORD(NAME, english, korean) WORD_##NAME,
#include "open_lecture_words.def"
    WORD_COUNT
} OpenLectureWord;

const char *open_lecture_word(Language language, OpenLectureWord word);

// In the language of the session's lecture; without one, in English.
const char *open_lecture_session_word(const Session *session, OpenLectureWord word);

#endif
