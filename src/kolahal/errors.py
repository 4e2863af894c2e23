"""What can be someone's mistake. Outcomes such as "nothing found" are values, not errors."""


class KolahalError(Exception):
    """A mistake that the user can mend; the text says where, what, why, and what to type."""


class UsageError(KolahalError):
    """A command or a call that asks for something that does not exist."""


class SettingsError(KolahalError):
    """A setting outside its range."""
