"""Django's settings for one studio: no database, no sessions, no mail, nothing outside the project folder."""

from __future__ import annotations

import secrets
from typing import Any

from tokumei_studio.running import Studio

# Data comes by path or as an upload; a form itself is small, but has a few fields for every column.
LARGEST_FORM, MOST_FIELDS = 5_000_000, 20_000


def settings_of(studio: Studio) -> dict[str, Any]:
    """Return the settings by name."""
    return {
        "STUDIO": studio,
        "DEBUG": False,
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": ["127.0.0.1", "localhost"],
        "ROOT_URLCONF": "tokumei_studio.urls",
        "INSTALLED_APPS": ["tokumei_studio", "tokumei_pages", "django.contrib.staticfiles", "django_htmx"],
        "MIDDLEWARE": [
            "django.middleware.security.SecurityMiddleware",
            "django.middleware.clickjacking.XFrameOptionsMiddleware",
            "tokumei_pages.middleware.SecurityHeaders",
            "django.middleware.locale.LocaleMiddleware",
            "tokumei_studio.access.Gate",
            "tokumei_pages.middleware.StaticFiles",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django_htmx.middleware.HtmxMiddleware",
        ],
        "TEMPLATES": [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "tokumei_studio.views.frame.page_context",
                    ]
                },
            }
        ],
        "DATABASES": {},
        "CACHES": {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}},
        "STORAGES": {
            "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        },
        "STATIC_URL": "/static/",
        "STATIC_ROOT": None,
        "WHITENOISE_USE_FINDERS": True,
        "WHITENOISE_AUTOREFRESH": False,
        "USE_I18N": True,
        "USE_TZ": True,
        "TIME_ZONE": "UTC",
        "LANGUAGE_CODE": "en",
        "LANGUAGES": [("en", "English"), ("ja", "Japanese")],
        "LANGUAGE_COOKIE_NAME": "tokumei_studio_language",
        "LANGUAGE_COOKIE_SAMESITE": "Strict",
        "LANGUAGE_COOKIE_HTTPONLY": True,
        "SECURE_CONTENT_TYPE_NOSNIFF": True,
        # With 'no-referrer' browsers would hide the origin of forms too.
        "SECURE_REFERRER_POLICY": "same-origin",
        "SECURE_CROSS_ORIGIN_OPENER_POLICY": "same-origin",
        "X_FRAME_OPTIONS": "DENY",
        "CSRF_COOKIE_NAME": f"{studio.cookie}_form",
        "CSRF_COOKIE_SAMESITE": "Strict",
        "CSRF_COOKIE_HTTPONLY": True,
        "CSRF_FAILURE_VIEW": "tokumei_studio.access.csrf_failed",
        # Uploads are never kept in memory, nor in the system's folder for temporary files.
        "FILE_UPLOAD_HANDLERS": ["django.core.files.uploadhandler.TemporaryFileUploadHandler"],
        "FILE_UPLOAD_TEMP_DIR": str(studio.project.scratch),
        "FILE_UPLOAD_PERMISSIONS": 0o600,
        "DATA_UPLOAD_MAX_MEMORY_SIZE": LARGEST_FORM,
        "DATA_UPLOAD_MAX_NUMBER_FIELDS": MOST_FIELDS,
        "DATA_UPLOAD_MAX_NUMBER_FILES": 1,
        "LOGGING_CONFIG": None,
    }
