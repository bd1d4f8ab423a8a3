"""The random bits are those of a published algorithm, and the numbers made of them are what they say."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.random import Stream

_WORD = (1 << 64) - 1
_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


def philox4x64(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Philox4x64-10 as its paper defines it (Salmon et al., SC 2011)."""
    c, k = counter, key
    for _ in range(10):
        low, high = _MULTIPLIERS[0] * c[0], _MULTIPLIERS[1] * c[2]
        c = ((high >> 64) ^ c[1] ^ k[0], high & _WORD, (low >> 64) ^ c[3] ^ k[1], low & _WORD)
        k = ((k[0] + _WEYL[0]) & _WORD, (k[1] + _WEYL[1]) & _WORD)
    return c


def test_reference_is_philox() -> None:
    """The reference above gives the known answers of Random123."""
    expected = (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)
    assert philox4x64((0, 0, 0, 0), (0, 0)) == expected


@given(key=st.binary(max_size=8), count=st.integers(1, 40))
def test_words_are_philox(key: bytes, count: int) -> None:
    """Word n is word n mod 4 of block 1 + n // 4, under the key's sha256."""
    digest = hashlib.sha256(key).digest()
    halves = (int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little"))
    expected = [philox4x64((1 + n // 4, 0, 0, 0), halves)[n % 4] for n in range(count)]
    assert Stream(key).words(count).tolist() == expected


def test_halves_are_the_words() -> None:
    """The 16-bit words are the 64-bit words, low part first."""
    word = int(Stream(b"k").words(1)[0])
    assert Stream(b"k").halves(5).tolist()[:4] == [(word >> shift) & 0xFFFF for shift in (0, 16, 32, 48)]


@given(count=st.integers(0, 300), more=st.integers(0, 300))
def test_prefixes_agree(count: int, more: int) -> None:
    """Asking for more never changes what came first, for words and uniforms."""
    for method in ("words", "halves", "uniform"):
        short, long = getattr(Stream(b"k"), method)(count), getattr(Stream(b"k"), method)(count + more)
        assert np.array_equal(short, long[:count])


def test_chunks_do_not_show() -> None:
    """A normal draw longer than a chunk continues as one sequence of words."""
    values = Stream(b"k").normal(70000)
    words = Stream(b"k").words(3 * 70000)
    last = words[3 * 65536 :].reshape(3, -1)[:, -1]
    total = sum((int(word) >> shift) & 0xFFFF for word in last for shift in (0, 16, 32, 48))
    assert values[-1] == (total - 6 * 65535) / 65536


def test_uniform() -> None:
    """Uniform values are multiples of 2⁻¹⁵ in [-1, 1) with the moments of a uniform."""
    values = Stream(b"k").uniform(1 << 18).astype(np.float64)
    assert values.min() >= -1.0
    assert values.max() < 1.0
    assert np.array_equal(values * 2**15, np.rint(values * 2**15))
    assert abs(values.mean()) < 0.01
    assert values.var() == pytest.approx(1 / 3, rel=0.01)


def test_normal() -> None:
    """Normal values have mean 0, variance 1 and the share of a normal beyond 2."""
    values = Stream(b"k").normal(1 << 18).astype(np.float64)
    assert abs(values.mean()) < 0.01
    assert values.var() == pytest.approx(1.0, rel=0.01)
    assert (abs(values) > 2).mean() == pytest.approx(0.0455, rel=0.05)
    assert abs(values).max() <= 6.0


@given(bound=st.integers(1, 2**32), count=st.integers(0, 50))
def test_integers(bound: int, count: int) -> None:
    """Integers lie in 0 … bound-1."""
    drawn = Stream(b"k").integers(count, bound)
    assert len(drawn) == count
    assert ((drawn >= 0) & (drawn < bound)).all()


def test_permutation() -> None:
    """A permutation holds every number once."""
    assert sorted(Stream(b"k").permutation(100).tolist()) == list(range(100))


def test_streams_are_independent() -> None:
    """Parameters, seed and name each change the stream; the order of parameters does not."""
    root = Stream.of({"a": 1, "b": 2}, 0)
    others = [Stream.of({"a": 1}, 0), Stream.of({"a": 1, "b": 2}, 1), root.child("key"), root.child("query")]
    firsts = {int(stream.words(1)[0]) for stream in [root, *others]}
    assert len(firsts) == 5
    assert Stream.of({"b": 2, "a": 1}, 0).words(1) == root.words(1)
