// SPDX-License-Identifier: Apache-2.0
// SystemC's library has a main() that calls sc_main(). Programs with their own main() need the symbol for the linker
// only.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
