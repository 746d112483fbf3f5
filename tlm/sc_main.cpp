// SystemC's library brings a main() that calls this one. Programs with a main() of their own need the name where the
// linker insists.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
