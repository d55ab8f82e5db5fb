"""A component oracle: the server's reader of bodies against the standard library's JSON."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.web.requests import RequestRefused, parsed


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_any_bytes_are_an_object_or_are_refused(value: Any) -> None:
    body = json.dumps(value).encode()
    if isinstance(value, dict):
        with contextlib.suppress(RequestRefused):
            assert parsed(body) == value
        return
    with pytest.raises(RequestRefused):
        parsed(body)
