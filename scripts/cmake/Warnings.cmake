# Warnings, sanitizers and coverage for our own targets: rnicsim_options is linked by each of them.
add_library(rnicsim_options INTERFACE)
target_include_directories(rnicsim_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(rnicsim_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align
                       -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough)
if(RNICSIM_WERROR)
  target_compile_options(rnicsim_options INTERFACE -Werror)
endif()
if(RNICSIM_SANITIZE)
  target_compile_options(rnicsim_options INTERFACE -fsanitize=${RNICSIM_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(rnicsim_options INTERFACE -fsanitize=${RNICSIM_SANITIZE})
endif()
if(RNICSIM_COVERAGE)
  target_compile_options(rnicsim_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(rnicsim_options INTERFACE --coverage)
endif()
