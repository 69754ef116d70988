"""The holder: a process of its own that owns one agent's terminal and tree. Standard library only, quick to start.

Two processes share the terminal's master end. The *holder* reads it, records, serves ``holder.sock`` and reaps. The
*guard* above it does nothing but wait: when the holder dies it kills the whole tree before it lets the terminal go,
since the hang-up of a terminal continues a stopped program and feeds it an end of file. When the guard dies, the holder
does the same.
"""
