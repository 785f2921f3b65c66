#!/bin/sh
# Creates deploy/secrets with random passwords and keys: deploy/make-secrets.sh [FOLDER]
# It never overwrites a folder: without the data key, nobody can read the sealed content of the store.
set -eu
folder=${1:-"$(dirname "$0")/secrets"}
if [ -e "$folder" ]; then
  echo "$folder exists already, and is not overwritten. Move it away first if you really want new secrets." >&2
  exit 1
fi
command -v openssl >/dev/null || { echo "openssl is not installed: apt-get install openssl" >&2; exit 1; }

umask 077
mkdir -p "$folder"
postgres=$(openssl rand -hex 24)
redis=$(openssl rand -hex 24)
printf '%s' "$postgres" >"$folder/postgres-password"
printf 'requirepass %s\nsave ""\nappendonly no\ndir /data\n' "$redis" >"$folder/redis.conf"
cat >"$folder/gateway.env" <<END
CONDUCT_STORE=postgres://conduct:$postgres@postgres:5432/conduct
CONDUCT_REDIS_URL=redis://:$redis@redis:6379/0
CONDUCT_TOKEN=$(openssl rand -hex 24)
CONDUCT_DATA_KEY=$(openssl rand -hex 32)
CONDUCT_URL=http://127.0.0.1:4870
END
# PostgreSQL and Redis run as accounts of their own and read these two. The folder keeps others out.
chmod 644 "$folder/postgres-password" "$folder/redis.conf"
echo "Created $folder. Back up CONDUCT_DATA_KEY of $folder/gateway.env at a place of its own."
