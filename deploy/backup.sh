#!/bin/sh
# Backs up the store of all gateways while they run: deploy/backup.sh FILE
# CONDUCT_STORE is the PostgreSQL's URL. The data key is not in the backup: keep CONDUCT_DATA_KEY at a place of its own.
set -eu
file=${1:?"usage: CONDUCT_STORE=postgres://... deploy/backup.sh FILE"}
: "${CONDUCT_STORE:?set CONDUCT_STORE to the URL of the PostgreSQL}"
command -v pg_dump >/dev/null || { echo "pg_dump is not installed: apt-get install postgresql-client" >&2; exit 1; }
if [ -e "$file" ]; then
  echo "$file exists already, and is not overwritten." >&2
  exit 1
fi

umask 077
part="$file.part"
trap 'rm -f "$part"' EXIT
# One snapshot of all tables: what a gateway writes meanwhile is in the next backup.
pg_dump --format=custom --no-owner --no-privileges --file="$part" "$CONDUCT_STORE"
# A backup that cannot be listed cannot be restored.
pg_restore --list "$part" >/dev/null
mv "$part" "$file"
echo "Backed up to $file."
