"""Addresses of allauth that the arena uses; those it does not use do not exist.

Left out: signing in by code, passwords for accounts without one, phones, sign-up by passkey, trusted browsers.
"""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.urls import URLPattern, path, re_path

RESET = r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$"

urlpatterns: list[URLPattern] = [
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("signup/", account.signup, name="account_signup"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("email/", account.email, name="account_email"),
    path("confirm-email/", account.email_verification_sent, name="account_email_verification_sent"),
    re_path(r"^confirm-email/(?P<key>[-:\w]+)/$", account.confirm_email, name="account_confirm_email"),
    path("password/change/", account.password_change, name="account_change_password"),
    path("password/reset/", account.password_reset, name="account_reset_password"),
    path("password/reset/done/", account.password_reset_done, name="account_reset_password_done"),
    re_path(RESET, account.password_reset_from_key, name="account_reset_password_from_key"),
    path("password/reset/key/done/", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("2fa/", second_factor.index, name="mfa_index"),
    path("2fa/authenticate/", second_factor.authenticate, name="mfa_authenticate"),
    path("2fa/reauthenticate/", second_factor.reauthenticate, name="mfa_reauthenticate"),
    path("2fa/totp/activate/", totp.activate_totp, name="mfa_activate_totp"),
    path("2fa/totp/deactivate/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("2fa/recovery-codes/", recovery.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("2fa/recovery-codes/generate/", recovery.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("2fa/recovery-codes/download/", recovery.download_recovery_codes, name="mfa_download_recovery_codes"),
    path("2fa/webauthn/", webauthn.list_webauthn, name="mfa_list_webauthn"),
    path("2fa/webauthn/add/", webauthn.add_webauthn, name="mfa_add_webauthn"),
    path("2fa/webauthn/reauthenticate/", webauthn.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("2fa/webauthn/keys/<int:pk>/remove/", webauthn.remove_webauthn, name="mfa_remove_webauthn"),
    path("2fa/webauthn/keys/<int:pk>/edit/", webauthn.edit_webauthn, name="mfa_edit_webauthn"),
    path("2fa/webauthn/login/", webauthn.login_webauthn, name="mfa_login_webauthn"),
]
