"""Addresses of teams."""

from __future__ import annotations

from django.urls import URLPattern, path

from tokumei_arena.web import joining, teams

__all__ = ["urlpatterns"]

OWN = "c/<slug:slug>/team/"

urlpatterns: list[URLPattern] = [
    path("join/<str:token>/", joining.join_team, name="join_team"),
    path("c/<slug:slug>/terms/", joining.terms, name="terms"),
    path("c/<slug:slug>/teams/new/", joining.team_new, name="team_new"),
    path(OWN, teams.team, name="team"),
    path(f"{OWN}edit/", teams.edit, name="team_edit"),
    path(f"{OWN}invite/", teams.invite, name="team_invite"),
    path(f"{OWN}invitations/<uuid:pk>/revoke/", teams.revoke_invitation, name="invitation_revoke"),
    path(f"{OWN}members/<uuid:pk>/role/", teams.change_role, name="member_role"),
    path(f"{OWN}members/<uuid:pk>/remove/", teams.remove_member, name="member_remove"),
    path(f"{OWN}leave/", teams.leave, name="team_leave"),
]
