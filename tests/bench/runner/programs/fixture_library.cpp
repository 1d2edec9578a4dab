// Beside the fixture program, found by its $ORIGIN: a program that is run through a link must still find it.
extern "C" int fixture_answer();
extern "C" int fixture_answer() { return 42; }
