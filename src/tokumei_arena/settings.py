"""Django settings; what differs between machines comes from ``environment``."""

from __future__ import annotations

from pathlib import Path

from django.utils.translation import gettext_lazy as _

from tokumei_arena import environment

PACKAGE = Path(__file__).resolve().parent
DEBUG = environment.flag("TOKUMEI_ARENA_DEBUG")
SECRET_KEY = environment.secret_key()
ALLOWED_HOSTS = environment.hosts()
ROOT_URLCONF = "tokumei_arena.urls"
ASGI_APPLICATION = "tokumei_arena.asgi.application"
AUTH_USER_MODEL = "arena.Person"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "tokumei_arena.apps.ArenaConfig",
    "tokumei_pages",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
]
MIDDLEWARE = [
    "tokumei_arena.web.operators.Operators",
    "django.middleware.security.SecurityMiddleware",
    "tokumei_pages.middleware.SecurityHeaders",
    "tokumei_pages.middleware.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "tokumei_arena.web.middleware.ViewerPreferences",
    "tokumei_arena.web.middleware.RefereesNeedSecondFactor",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PACKAGE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "django.template.context_processors.tz",
                "tokumei_arena.web.middleware.page_context",
            ]
        },
    }
]

DATABASES = {"default": environment.database()}
STORAGES = environment.storages()
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "arena_cache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    # Rendered boards, and blocks of rate limits: each web process keeps its own for a moment.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 2_000},
    },
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ja", _("Japanese"))]
LOCALE_PATHS = [PACKAGE / "locale"]
LANGUAGE_COOKIE_NAME = "arena_language"
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "Asia/Tokyo"

STATIC_URL = "/static/"
STATIC_ROOT = environment.home() / "static"

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_SIGNUP_FORM_CLASS = "tokumei_arena.web.account_forms.SignupForm"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_SESSION_REMEMBER = False
# One address per account: a new one takes the place of the old one once it is verified.
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
# Addresses without an account get no mail: without a mail server a referee would have to read it.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if environment.flag("TOKUMEI_ARENA_HTTPS") else "http"
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/300s/key", "signup": "60/h/ip"}
ACCOUNT_ADAPTER = "tokumei_arena.teams.accounts.AccountAdapter"
MFA_ADAPTER = "tokumei_arena.teams.accounts.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Tokumei arena"
MFA_TOTP_TOLERANCE = 1
# Browsers offer passkeys without TLS on localhost only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not environment.flag("TOKUMEI_ARENA_HTTPS")

HTTPS = environment.flag("TOKUMEI_ARENA_HTTPS")
ARENA_URL = environment.public_url()
ARENA_WEBHOOK_HOSTS = environment.webhook_hosts()
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "tokumei_arena.web.errors.csrf_failed"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Whether all names below this one, and the lists that browsers carry, are concerned is for their owner to say.
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and environment.flag("TOKUMEI_ARENA_HSTS_SUBDOMAINS")
SECURE_HSTS_PRELOAD = HTTPS and environment.flag("TOKUMEI_ARENA_HSTS_PRELOAD")
# Both are for the owner of the name to say, see above.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None

# Uploads go to a temporary file as they come in; the handler stops a body that is too long.
FILE_UPLOAD_HANDLERS = ["tokumei_arena.work.upload_limit.LimitedUpload"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 10

ARENA_LIMITS = {
    "upload_bytes": 200_000_000,
    "unpacked_bytes": 1_000_000_000,
    "zip_ratio": 200,
    "zip_entries": 20,
    "rows": 5_000_000,
    "columns": 100,
    "cell_length": 100_000,
    "memory_bytes": 4_000_000_000,
    "cpu_seconds": 600,
    "wall_seconds": 900,
    "lease_seconds": environment.lease_seconds(),
    "runs": 3,
    "pending_files": 3,
    "team_bytes": 5_000_000_000,
    "kept_days": 30,
    "submits_per_minute": 60,
    "team_submits_per_minute": 120,
    "questions_per_hour": 20,
    "invitations_per_hour": 60,
    "api_per_minute": 1200,
    "board_seconds": 3,
}
ARENA_ROLE = environment.role()

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "tokumei_arena.log_lines.JsonLine"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": environment.log_form()}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "tokumei_arena": {"level": "INFO"},
        # Every request, for those who collect lines; people who read the terminal need none.
        "tokumei_arena.requests": {"level": "DEBUG" if environment.log_form() == "json" else "WARNING"},
    },
}
for _name, _value in environment.email().items():
    globals()[_name] = _value
