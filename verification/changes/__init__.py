"""Which cases an edit concerns: what each case executed when it ran last, held against what the sources say now."""
