"""Running text as numbers: vocabulary, sentences, counts of n-grams, events with their surprisal."""
