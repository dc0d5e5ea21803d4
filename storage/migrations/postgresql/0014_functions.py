"""Functions that SQLite has, so that a statement which calls them is one text for both. Frozen."""

import sys
from typing import Any

FUNCTIONS = (
    """CREATE FUNCTION instr(whole text, part text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT strpos(whole, part) $$""",
    """CREATE FUNCTION iif(condition boolean, yes text, no text) RETURNS text LANGUAGE sql IMMUTABLE
    PARALLEL SAFE AS $$ SELECT CASE WHEN condition THEN yes ELSE no END $$""",
    """CREATE FUNCTION json_quote(value text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT CAST(to_json(value) AS text) $$""",
    """CREATE FUNCTION datetime(julian_day numeric, subsec text) RETURNS text LANGUAGE sql STABLE
    PARALLEL SAFE AS $$ SELECT to_char(timestamp 'epoch'
        + CAST(round((julian_day - 2440587.5) * 86400000) AS bigint) / 86400000 * interval '1 day'
        + CAST(round((julian_day - 2440587.5) * 86400000) AS bigint) % 86400000 * interval '1 millisecond',
        'YYYY-MM-DD HH24:MI:SS.MS') $$""",
    """CREATE FUNCTION json_patch(target text, patch text) RETURNS text LANGUAGE sql STABLE
    PARALLEL SAFE AS $$
    SELECT '{' || coalesce(string_agg(
        CAST(to_json(coalesce(t.key, p.key)) AS text) || ':' || CAST(coalesce(p.value, t.value) AS text), ','
        ORDER BY t.place, p.place), '') || '}'
    FROM json_each(CAST(target AS json)) WITH ORDINALITY AS t (key, value, place)
    FULL JOIN json_each(CAST(patch AS json)) WITH ORDINALITY AS p (key, value, place) ON p.key = t.key $$""",
    """CREATE FUNCTION json_members(document text, key text) RETURNS TABLE (type text, atom text)
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH found AS (SELECT json_extract_path(CAST(document AS json), key) AS value),
    members AS (
        SELECT value FROM found WHERE json_typeof(value) NOT IN ('array', 'object')
        UNION ALL SELECT a.value FROM found, json_array_elements(found.value) AS a (value)
            WHERE json_typeof(found.value) = 'array'
        UNION ALL SELECT o.value FROM found, json_each(found.value) AS o (key, value)
            WHERE json_typeof(found.value) = 'object')
    SELECT CASE json_typeof(value) WHEN 'string' THEN 'text' ELSE json_typeof(value) END, value #>> '{}'
    FROM members $$""",
    """CREATE FUNCTION spelt_number(spelt text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    DECLARE found numeric;
    BEGIN
        spelt := btrim(spelt, E' \\t\\n\\u000b\\f\\r');
        IF length(spelt) > 64 OR spelt !~ '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$' THEN
            RETURN NULL;
        END IF;
        found := CAST(spelt AS numeric);
        IF spelt ~ '^[+-]?[0-9]+$' AND found BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
            RETURN found;
        END IF;
        RETURN CAST(CAST(CAST(spelt AS double precision) AS text) AS numeric);
    EXCEPTION WHEN numeric_value_out_of_range THEN
        RETURN CASE WHEN spelt ~ '[eE]-' THEN 0 WHEN spelt LIKE '-%' THEN '-Infinity' ELSE 'Infinity' END;
    END $$""",
    """CREATE FUNCTION spelt_instant(spelt text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    BEGIN
        IF spelt !~ ('^[0-9]{4}-[0-9]{2}-[0-9]{2}'
            || '([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$')
        THEN
            RETURN NULL;
        END IF;
        RETURN round(extract(epoch FROM CAST(
            spelt || CASE WHEN spelt ~ '(Z|[ T].*[+-][0-9]{2}:[0-9]{2})$' THEN '' ELSE ' UTC' END
            AS timestamptz)) * 1000);
    EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format THEN
        RETURN NULL;
    END $$""",
)


def up(_migrator: Any, db: Any) -> None:
    for statement in (*FUNCTIONS, _folding()):
        db.cursor().execute(statement)


def _folding() -> str:
    """A function that folds case as Python does, which no PostgreSQL before 18 can; ASCII is quick."""
    folds = {chr(code): chr(code).casefold() for code in range(128, sys.maxunicode + 1)}
    changed = {one: fold for one, fold in folds.items() if fold != one}
    single = [(one, fold) for one, fold in changed.items() if len(fold) == 1]
    ones, folds_of_ones = ("".join(column) for column in zip(*single, strict=True))
    expression = f"translate(lower(value COLLATE \"C\"), '{ones}', '{folds_of_ones}')"
    for one, fold in changed.items():
        if len(fold) > 1:
            expression = f"replace({expression}, '{one}', '{fold}')"
    return (
        "CREATE FUNCTION folded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ "
        'SELECT CASE WHEN octet_length(value) = length(value) THEN lower(value COLLATE "C") '
        f"ELSE {expression} END $$"
    )
