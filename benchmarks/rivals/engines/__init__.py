"""One file per engine: its four jobs. Each is run as a process of its own, in the engine's environment."""
