"""Every address of the studio; nothing secret stands in one, but the key that is spent by its first use."""

from __future__ import annotations

from django.urls import path

from tokumei_studio.views import columns, data, entrance, handout, jobs, protect, risk, verdict

urlpatterns = [
    path("", entrance.home, name="home"),
    path("open/", entrance.enter, name="open"),
    path("language/", entrance.choose_language, name="language"),
    path("data/", data.page, name="data"),
    path("columns/", columns.page, name="columns"),
    path("columns/subject/", columns.subject, name="subject"),
    path("columns/text/", columns.as_text, name="schema-text"),
    path("risk/", risk.page, name="risk"),
    path("protect/", protect.page, name="protect"),
    path("protect/settings/", protect.settings, name="settings"),
    path("protect/preview/", protect.preview, name="preview"),
    path("protect/candidates/", protect.candidates, name="candidates"),
    path("verdict/", verdict.newest, name="verdict"),
    path("verdict/<slug:name>/", verdict.page, name="verdict-of"),
    path("handout/", handout.newest, name="handout"),
    path("handout/<slug:name>/", handout.page, name="handout-of"),
    path("handout/<slug:name>/release.zip", handout.archive, name="archive"),
    path("reports/<str:name>", handout.report, name="report"),
    path("commands/", jobs.page, name="commands"),
    path("jobs/<int:number>/", jobs.part, name="job"),
    path("jobs/<int:number>/cancel/", jobs.stop, name="cancel"),
]
handler404 = "tokumei_studio.views.entrance.missing"
handler500 = "tokumei_studio.views.entrance.failed"
