"""Triggers that make the database itself refuse to change or remove entries of the audit log."""

from typing import Any

from django.db import migrations

REFUSAL = "entries of the audit log are never changed or deleted"
PUT_ON = {
    "sqlite": [
        f"CREATE TRIGGER IF NOT EXISTS log_no_update BEFORE UPDATE ON arena_logentry BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
        f"CREATE TRIGGER IF NOT EXISTS log_no_delete BEFORE DELETE ON arena_logentry BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    ],
    "postgresql": [
        f"CREATE OR REPLACE FUNCTION arena_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$",
        "CREATE OR REPLACE TRIGGER log_no_change BEFORE UPDATE OR DELETE ON arena_logentry FOR EACH ROW EXECUTE FUNCTION arena_log_only_grows()",
        "CREATE OR REPLACE TRIGGER log_no_truncate BEFORE TRUNCATE ON arena_logentry FOR EACH STATEMENT EXECUTE FUNCTION arena_log_only_grows()",
    ],
}
TAKE_OFF = {
    "sqlite": ["DROP TRIGGER IF EXISTS log_no_update", "DROP TRIGGER IF EXISTS log_no_delete"],
    "postgresql": [
        "DROP TRIGGER IF EXISTS log_no_change ON arena_logentry",
        "DROP TRIGGER IF EXISTS log_no_truncate ON arena_logentry",
    ],
}


def put_on(_apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        for statement in PUT_ON[schema_editor.connection.vendor]:
            cursor.execute(statement)


def take_off(_apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        for statement in TAKE_OFF[schema_editor.connection.vendor]:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("arena", "0001_initial")]
    operations = [migrations.RunPython(put_on, take_off)]
