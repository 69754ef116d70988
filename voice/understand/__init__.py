"""From a transcript to an intent: sentence grammars over the live roster, pure but for the loading of files."""
