from typing import Any

from django.db import migrations

from tokumei_arena.records import log_guard


def put_on(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
    log_guard.put_on(schema_editor.connection)


def take_off(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
    log_guard.take_off(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("arena", "0001_initial")]
    operations = [migrations.RunPython(put_on, take_off)]
