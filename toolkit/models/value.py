"""A dataclass for the values that a batch makes by the thousand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Make a slotted dataclass, equal and hashed by its fields, that never changes.

    Not: guarded at run time as `frozen=True` is, which makes each object twice as slow to
    build. The type checker refuses an assignment all the same.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
