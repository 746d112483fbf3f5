# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers and coverage for our own targets: rnicsim_options is linked by each of them.
add_library(rnicsim_options INTERFACE)
target_include_directories(rnicsim_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(rnicsim_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align
                       -Woverloaded-virtual -Wimplicit-fallthrough)
# GCC 12 sees overlaps in std::string that are none (GCC bug 105329, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rnicsim_options INTERFACE -Wno-restrict)
endif()
# GCC 14 says of a std::variant that is moved that the bytes of its other members may be used uninitialised; GCC 12 and clang look, too.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(rnicsim_options INTERFACE -Wno-maybe-uninitialized)
endif()
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

# What runs once in a run, and not once an event: -O3 would take longer to compile than it ever saves.
function(rnicsim_seldom_run target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
