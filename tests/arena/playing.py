"""What tests of participants' pages share: signing in, handing in by a form, and what a worker would have found."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.arena import pages, world
from tokumei_arena.models import Contest, Evaluation, Person, Submission
from tokumei_arena.work import intake

__all__ = ["FINDING", "evaluate", "give", "round_address", "sign_in", "text_of"]

FINDING = {
    "code": "quantity",
    "message": {"en": "the quantity is not a number", "ja": "数量が数値ではありません"},
    "file": "A",
    "line": 7,
    "column": 5,
    "name": "quantity",
    "value": "<script>alert(1)</script>",
}


def sign_in(person: Person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def text_of(response: Any) -> str:
    """Return the words of a page that was answered."""
    return pages.text_of(response.content.decode())


def evaluate(submission: Submission, *, findings: list[dict[str, Any]] | None = None, **figures: Any) -> Submission:
    """Write what a worker would have found."""
    listed = findings or []
    submission.evaluation = Evaluation.objects.create(
        submission=submission,
        rule_set="pws2018",
        rule_version="1",
        inputs={},
        valid=not listed,
        figures=figures,
        findings=listed,
        finding_count=len(listed),
        fingerprint="0" * 64,
    )
    submission.state, submission.verdict = "done", "invalid" if listed else "valid"
    submission.save()
    if listed:
        intake.free_slot(submission)
    return submission


def give(client: Client, address: str, data: bytes = world.GOOD_A, name: str = "A.csv", **fields: str) -> Any:
    return client.post(address, {"file": SimpleUploadedFile(name, data), **fields})


def round_address(contest: Contest) -> str:
    return reverse("round", args=[contest.slug, "final"])
