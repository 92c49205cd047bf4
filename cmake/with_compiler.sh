# with_compiler.sh COMPILER OTHER ARGUMENT...: a compiler launcher that runs COMPILER where the build would run OTHER.
# CMake has one compiler a language; the programs of farms are compiled with GCC in every preset.
compiler=$1
shift 2
exec "$compiler" "$@"
