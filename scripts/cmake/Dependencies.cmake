# SPDX-License-Identifier: Apache-2.0
# Finds every package, checks its version, and says in one message what is missing and how to get it.
# All packages come from Debian (12 or 13); Catch2 3 on Debian 12 from bookworm-backports.
find_package(PkgConfig)
set(RNICSIM_MISSING "")

function(rnicsim_missing package minimum found)
  if(found)
    list(APPEND RNICSIM_MISSING "${package} >= ${minimum} (found ${found})")
  else()
    list(APPEND RNICSIM_MISSING "${package} >= ${minimum} (not found)")
  endif()
  set(RNICSIM_MISSING "${RNICSIM_MISSING}" PARENT_SCOPE)
endfunction()

if(PkgConfig_FOUND)
  pkg_check_modules(SYSTEMC IMPORTED_TARGET systemc)
  pkg_check_modules(DEFLATE IMPORTED_TARGET libdeflate)
else()
  rnicsim_missing(pkg-config 1.0 "")
endif()
if(NOT SYSTEMC_FOUND OR SYSTEMC_VERSION VERSION_LESS 2.3.4)
  rnicsim_missing(libsystemc-dev 2.3.4 "${SYSTEMC_VERSION}")
endif()
if(NOT DEFLATE_FOUND OR DEFLATE_VERSION VERSION_LESS 1.14)
  rnicsim_missing(libdeflate-dev 1.14 "${DEFLATE_VERSION}")
endif()

foreach(entry IN ITEMS "spdlog 1.10 libspdlog-dev" "yaml-cpp 0.7 libyaml-cpp-dev" "CLI11 2.1 libcli11-dev"
                       "nlohmann_json 3.11 nlohmann-json3-dev")
  separate_arguments(entry)
  list(GET entry 0 name)
  list(GET entry 1 minimum)
  list(GET entry 2 package)
  find_package(${name} CONFIG QUIET)
  if(NOT ${name}_FOUND OR ${name}_VERSION VERSION_LESS ${minimum})
    rnicsim_missing(${package} ${minimum} "${${name}_VERSION}")
  endif()
endforeach()

find_package(Boost 1.74 QUIET)  # headers: Boost.Math, Boost.Endian
if(NOT Boost_FOUND)
  rnicsim_missing(libboost-dev 1.74 "${Boost_VERSION}")
endif()

# Verilator's package file stands where the program says it does; it has no version file of its own.
find_program(VERILATOR_PROGRAM verilator)
set(VERILATOR_VERSION "")
if(VERILATOR_PROGRAM)
  execute_process(COMMAND "${VERILATOR_PROGRAM}" --version OUTPUT_VARIABLE VERILATOR_SAYS)
  string(REGEX MATCH "[0-9]+\\.[0-9]+" VERILATOR_VERSION "${VERILATOR_SAYS}")
endif()
if(NOT VERILATOR_VERSION OR VERILATOR_VERSION VERSION_LESS 5.006)
  rnicsim_missing(verilator 5.006 "${VERILATOR_VERSION}")
else()
  find_package(verilator CONFIG REQUIRED HINTS /usr/share/verilator)
endif()

if(RNICSIM_RTL_TRACE)
  find_package(ZLIB QUIET)
  if(NOT ZLIB_FOUND)
    rnicsim_missing("zlib1g-dev (or -DRNICSIM_RTL_TRACE=OFF)" 1.2 "")
  endif()
endif()

if(RNICSIM_BUILD_TESTS)
  find_package(Catch2 CONFIG QUIET)
  if(NOT Catch2_FOUND OR Catch2_VERSION VERSION_LESS 3.4)
    rnicsim_missing("catch2 (Debian 12: from bookworm-backports)" 3.4 "${Catch2_VERSION}")
  endif()
endif()

if(RNICSIM_MISSING)
  list(JOIN RNICSIM_MISSING "\n    " missing)
  message(FATAL_ERROR "rnicsim needs packages that are missing or too old:\n    ${missing}\n"
                      "  On Debian 12 or 13, this installs all of them:  scripts/setup --tests")
endif()

# Debian's SystemC 2.3.4 library exports only its C++17 API symbol; SystemC 3.0 has the same scheme with its own standard.
# The definition makes C++20 code ask for the symbol that is there. It must be the same in every source file.
add_library(rnicsim_systemc INTERFACE)
target_link_libraries(rnicsim_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(rnicsim_systemc INTERFACE SC_CPLUSPLUS=201703L)
if(NOT TARGET yaml-cpp::yaml-cpp)  # yaml-cpp 0.7 (Debian 12) has no namespace
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
