// An open lecture: the page shown, its text with the numbers filled in, and the answers to its questions. Every
// page sets its own scene, so that one command returns to it from anywhere.
//
// Life cycle: open_lecture_start (opens the session on a page), session_apply ..., session_close,
// open_lecture_close. The lecture must outlive it.
#ifndef OPEN_LECTURE_H
#define OPEN_LECTURE_H

#include "lecture.h"
#include "progress.h"
#include "session.h"
#include "trace.h"

// --- the value of a reference in a finished trace

enum { REFERENCE_VALUES_MAX = 64, REFERENCE_TEXT_MAX = 1024 };

typedef struct ReferenceValue {
    int count;
    double numbers[REFERENCE_VALUES_MAX];
    int tied; // for argmax: a later place with the same largest number; 0: none
    char text[REFERENCE_TEXT_MAX]; // as on screen: "0.3473", "(1, 3, 4)", "[0.5, 0.5]"
} ReferenceValue;

// Returns false if the trace has no such tensor (err names the nearest) or element (err has the shape). Ignores
// the reference's scenario.
bool open_lecture_trace_value(const Trace *trace, const Reference *reference, ReferenceValue *value,
                              Error *err);

// --- an open lecture

// A finished run next to the page's own.
typedef struct OpenLectureRun {
    Scenario scenario;
    Trace whole;
} OpenLectureRun;

// A reference in the page's text: as the lecture writes it, and its value.
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
    Scenario scenario;      // of the page; the session's trace uses it
    Trace whole;            // the same, finished
    OpenLectureRun *other;  // the scenario that a reference named last
    OpenLectureRun *edited; // the page's scenario with the edits of its commands; none: closed
    OpenLectureRun
        *changed; // the page with its experiment's change; its scenario with the hidden mistake
    Arena kept;   // memory of these runs; lives as long as the open lecture
    const Mistake *hidden; // the other run's mistake while the page hides its name; else NULL

    // The page with references filled in. `ask`: NULL without a question.
    const LectureBlock *text, *notes, *slide, *ask;
    const LectureBlock *said;                       // about the last answer; NULL before
    OpenLectureNamed named[OPEN_LECTURE_NAMED_MAX]; // in the text, each once
    int named_count;
    Arena arena; // for the page

    PageMark marks[LECTURE_PAGES_MAX];
    int tries;           // wrong answers since the page was opened
    bool shown;          // the answer was shown since then
    bool answered;       // answered correctly, now or in an earlier session
    bool strayed;        // the user left the page's scene
    bool setting;        // the page is setting its scene
    bool contents;       // the list of pages is open
    int chosen;          // the page marked in it
    ptrdiff_t text_line; // the first visible line of the text; past the end: the last ones
    bool no_window;      // no window can be opened; reported once
    bool text_elsewhere; // the screen shows only the stepper
    bool presents;       // on a projector; see panel_lecture.c
    bool polls;          // ... only the question
    bool bars;           // ... with the votes
    int votes[OPEN_LECTURE_VOTES_MAX]; // for each choice
    bool shows_notes;                  // the speaker's notes are shown
    bool is_still;                     // screens become pictures, without keys
    bool on_paper;                     // slides are printed: only their pictures, small
    bool blank;                        // an empty screen, to draw attention to the speaker
    const char *progress;              // a file; NULL: none
    const char *announces;             // the file that tells the page presented; NULL: none
} OpenLecture;

// Opens a session on a page. `progress` may be NULL. Returns false if the page's scenario cannot run; failing
// commands and references of the page set the session's message.
bool open_lecture_start(OpenLecture *open, Session *session, const Lecture *lecture, int page,
                        const char *progress, Error *err);
void open_lecture_close(OpenLecture *open);

// Opens a page and sets its scene. On failure, returns false with file:line in err, and shows the page as far as
// possible.
bool open_lecture_show(Session *session, int page, Error *err);

// Sets the page's scene again; runs its commands for after the answer. The text stays.
bool open_lecture_set_scene(Session *session, Error *err);
bool open_lecture_set_answered(Session *session, Error *err);

// The value of a reference in the page's scenario or the one it names; whether a claim holds.
bool open_lecture_value(const OpenLecture *open, const Reference *reference, ReferenceValue *value,
                        Error *err);
bool open_lecture_claim(const OpenLecture *open, const Claim *claim, bool *holds, Error *err);

// Copies spans with the references filled in, to the page's arena; NULL and err on failure.
LectureSpan *open_lecture_fill(OpenLecture *open, const LectureSpan *spans, Error *err);

// Returns false and sets err if the page has no question or `open` is NULL.
bool open_lecture_asks(const OpenLecture *open, Error *err);

// The scenario name in references for the page's own scenario with its experiment's change.
#define OPEN_LECTURE_CHANGED "changed"

// How to write an answer, in a few words; the same on paper, without a cursor; and the initial text of the prompt.
const char *open_lecture_answer_form(const OpenLecture *open);
const char *open_lecture_answer_form_on_paper(const OpenLecture *open);
const char *open_lecture_answer_typed(const OpenLecture *open);

// Choice `number` of the page's question, from 0; NULL after the last. May use `text`.
enum { OPEN_LECTURE_CHOICE_MAX = TRACE_FORMULA_MAX };
const char *open_lecture_choice(const OpenLecture *open, int number,
                                char text[OPEN_LECTURE_CHOICE_MAX]);
int open_lecture_choice_count(const OpenLecture *open);

// The same for a poll, where true and false and the places of an axis are choices, too.
const char *open_lecture_poll_choice(const OpenLecture *open, int number,
                                     char text[OPEN_LECTURE_CHOICE_MAX]);

// The digit of the first choice: places count from 0, other choices from 1.
int open_lecture_poll_first(const OpenLecture *open);

// The number of votes on this page.
int open_lecture_votes(const OpenLecture *open);

// Computes the right answer from the trace. Returns false if that fails.
bool open_lecture_answer(const OpenLecture *open, ReferenceValue *answer, Error *err);

// Shows a text about the answer below the question: plain words, an explanation with its references filled in
// (NULL: none), plain words.
bool open_lecture_say(OpenLecture *open, const char *first, const LectureSpan *explanation,
                      const char *last, Error *err);

// Questions answered correctly at the first try, later, and all.
typedef struct OpenLectureScore {
    int right, later, questions;
} OpenLectureScore;

OpenLectureScore open_lecture_score(const OpenLecture *open);

const LecturePage *open_lecture_page(const OpenLecture *open);

// True if a reference names visible elements, of this run or the one beside. Not for numbers before an edit.
bool open_lecture_is_looked_at(const Session *session, const Reference *reference);

// True if it names the shape or stride of the current tensor while the memory panel is open.
bool open_lecture_is_memory(const Session *session, const Reference *reference);

// True if the screen shows this fact about a step; without a lecture it shows all.
bool open_lecture_shows(const Session *session, LectureShow what);

// Notes a command of the user; true if it leaves the page's scene. The second function warns about the stepper's
// keys, which are easily mistaken for those that turn pages.
bool open_lecture_note_straying(Session *session, CommandKind kind);
void open_lecture_explain_straying(Session *session, CommandKind kind);

// Says that the lecture continues where the user stopped, and how to start over.
void open_lecture_report_came_back(Session *session);

// Says that no window can be opened, and why; no page asks for one again.
void open_lecture_report_no_window(Session *session, const char *reason);

// Checks every page as a user would see it: every command, reference and answer. Reports each problem with
// file:line; returns the count.
typedef void OpenLectureProblem(void *context, const char *text);
int open_lecture_check(const Lecture *lecture, OpenLectureProblem *tell, void *context);

// Checks that the lecture has the same pages, commands and questions in two languages.
int open_lecture_compare(const Lecture *lecture, const Lecture *other, OpenLectureProblem *tell,
                         void *context);

// --- messages in the lecture's language

typedef enum OpenLectureWord {
#define OPEN_LECTURE_WORD(NAME, english, korean) WORD_##NAME,
#include "open_lecture_words.def"
    WORD_COUNT
} OpenLectureWord;

const char *open_lecture_word(Language language, OpenLectureWord word);

// In the language of an open lecture; of the session's lecture, or the user's language without one.
const char *open_lecture_says(const OpenLecture *open, OpenLectureWord word);
const char *open_lecture_session_word(const Session *session, OpenLectureWord word);

#endif
