// Takes any arguments, ends well, and has nothing that could be wrapped: what a stripped program with Google Benchmark
// inside looks like from outside.
int main() {}
