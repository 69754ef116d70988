"""One judge a family of programs; ``registry.judge_call`` finds the right one."""
