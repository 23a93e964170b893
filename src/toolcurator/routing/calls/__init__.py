"""Calling a tool safely: what a call may reach, how it is made, and what became of it."""
