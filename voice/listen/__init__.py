"""From frames to words: voice activity, end of utterance, transcript."""
