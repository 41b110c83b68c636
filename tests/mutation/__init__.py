"""Mutation testing: does a test notice when one thing in the code is wrong? `.ci/mutate ROOM`, docs/mutation.md.

mutmut's operators make the mutants; the running is our own, because mutmut's trampolines cannot wrap enums, frozen
structs and decorated functions, and because it would write into the working tree. Here a mutant lives in one forked
process only: nothing is written beside the results.
"""
