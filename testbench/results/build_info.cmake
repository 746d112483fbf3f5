# SPDX-License-Identifier: Apache-2.0
# Run at every build (cmake -P): finds the git revision and hashes the sources that can change a simulated number.
# The journal of finished runs carries that hash, so results of other sources are never taken for this program's.
set(GIT_REVISION "unknown")
execute_process(COMMAND git -C "${SOURCE_DIR}" rev-parse --short=12 HEAD
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed AND revision)
  set(GIT_REVISION "${revision}")
  execute_process(COMMAND git -C "${SOURCE_DIR}" status --porcelain --untracked-files=no -- tlm model rtl testbench
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND GIT_REVISION "-dirty")
  endif()
endif()

set(all "")
foreach(folder IN ITEMS tlm model rtl testbench)
  file(GLOB_RECURSE files RELATIVE "${SOURCE_DIR}" "${SOURCE_DIR}/${folder}/*.h" "${SOURCE_DIR}/${folder}/*.cpp"
       "${SOURCE_DIR}/${folder}/*.sv" "${SOURCE_DIR}/${folder}/*.svh" "${SOURCE_DIR}/${folder}/*.v" "${SOURCE_DIR}/${folder}/*.vh"
       "${SOURCE_DIR}/${folder}/*.vlt" "${SOURCE_DIR}/${folder}/*.h.in" "${SOURCE_DIR}/${folder}/*.inc")
  list(APPEND all ${files})
endforeach()
list(FILTER all EXCLUDE REGEX "^testbench/(tests|bench|results|sweep|cli)/")
list(SORT all)
set(hashes "")
foreach(file IN LISTS all)
  file(SHA256 "${SOURCE_DIR}/${file}" hash)
  string(APPEND hashes "${file} ${hash}\n")
endforeach()

# Blocks of one's own: which is chosen, its files in order, and what they include. By name and content: machines differ in
# folders. The first line of `dependencies`, from Verilator's last run, is "outputs : inputs".
function(own_block choice module dependencies)
  set(included "")
  if(EXISTS "${dependencies}")
    file(STRINGS "${dependencies}" line LIMIT_COUNT 1)
    string(REGEX REPLACE "^.* : " "" line "${line}")
    separate_arguments(included UNIX_COMMAND "${line}")
    list(FILTER included EXCLUDE REGEX "/verilator_bin[^/]*$")
    list(REMOVE_ITEM included ${ARGN})
  endif()
  foreach(list IN ITEMS ARGN included)
    set(${list}_hashes "")
    foreach(file IN LISTS ${list})
      if(EXISTS "${file}")  # else Verilator says what is missing
        file(SHA256 "${file}" hash)
        get_filename_component(name "${file}" NAME)
        list(APPEND ${list}_hashes "${name} ${hash}")
      endif()
    endforeach()
  endforeach()
  list(SORT included_hashes)
  set(hashes "${hashes}${choice} ${module}\n${ARGN_hashes}\n${included_hashes}\n" PARENT_SCOPE)
endfunction()
include("${OWN_BLOCKS}")
string(SHA256 SOURCE_HASH "${hashes}")
string(SUBSTRING "${SOURCE_HASH}" 0 16 SOURCE_HASH)

configure_file("${CMAKE_CURRENT_LIST_DIR}/build_info_values.h.in" "${OUTPUT}" @ONLY)
