"""From words to sound: the spoken form, the synthesiser and its queue."""
