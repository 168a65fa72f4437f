"""From the bearer text of a request to the caller."""

from collections.abc import Callable

from .records import Caller
from .tokens import Tokens, TokenUse


class Authenticator:
    """Asks the plugins first (``loc_decide_caller``), then the built-in tokens."""

    def __init__(
        self,
        plugins: Callable[[str], Caller | None],
        tokens: Tokens,
        use: TokenUse,
    ) -> None:
        self._plugins = plugins
        self._tokens = tokens
        self._use = use

    def __call__(self, text: str | None) -> Caller | None:
        """The caller that holds the bearer text, or None: no valid token.

        One answer for missing, malformed, unknown, revoked and expired, so that
        nothing can be probed.
        """
        if text is None:
            return None
        found = self._plugins(text)
        if found is None:
            found = self._tokens.caller_behind(text)
            if found is not None and found.token is not None:
                self._use.note(found.token)
        return found
