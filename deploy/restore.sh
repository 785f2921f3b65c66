#!/bin/sh
# Restores a backup into an empty database: deploy/restore.sh FILE
# CONDUCT_STORE is the URL of the empty database. Stop all gateways first, and start them with the same CONDUCT_DATA_KEY.
set -eu
file=${1:?"usage: CONDUCT_STORE=postgres://... deploy/restore.sh FILE"}
: "${CONDUCT_STORE:?set CONDUCT_STORE to the URL of an empty PostgreSQL database}"
for program in psql pg_restore; do
  command -v "$program" >/dev/null || { echo "$program is not installed: apt-get install postgresql-client" >&2; exit 1; }
done

tables=$(psql --no-psqlrc --tuples-only --no-align "$CONDUCT_STORE" \
  --command "select count(*) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')")
if [ "$tables" != 0 ]; then
  echo "The database has $tables tables. Restore into an empty one: createdb NAME, then change CONDUCT_STORE." >&2
  exit 1
fi
# All or nothing: a restore that fails leaves the database empty.
pg_restore --single-transaction --exit-on-error --no-owner --no-privileges --dbname="$CONDUCT_STORE" "$file"
echo "Restored $file. Check it: conduct behavior verify"
