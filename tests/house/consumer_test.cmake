# Installs this build into a fresh prefix, builds examples/consumer against it through find_package, and runs it.
# cmake -DBUILD=<build folder> -DSOURCE=<source folder> -P consumer_test.cmake
set(work ${BUILD}/consumer_test)
file(REMOVE_RECURSE ${work})

function(must)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
# Eigen is ours to have, not the consumer's.
file(GLOB_RECURSE installed ${work}/prefix/*.h ${work}/prefix/*.cmake)
foreach(file ${installed})
  file(STRINGS ${file} eigen REGEX "Eigen(3::|/)")
  if(eigen)
    message(FATAL_ERROR "${file} wants Eigen of those who use the installed library: ${eigen}")
  endif()
endforeach()
must(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples/consumer -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix)
must(${CMAKE_COMMAND} --build ${work}/build)
must(${work}/build/consumer)
