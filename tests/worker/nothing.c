// A file with nothing but a comment.
