"""The loop: wires microphone, ears, conversation, engine and loudspeaker; decides nothing itself."""
