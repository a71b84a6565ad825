"""The schema proposed from the data alone; reading needs it too, so the computation lives in the kernels."""

from __future__ import annotations

from tokumei.kernels.infer import infer_schema

__all__ = ["infer_schema"]
