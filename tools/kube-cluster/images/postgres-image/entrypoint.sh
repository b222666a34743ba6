#!/bin/sh
# Makes the database cluster at the first start, then runs the command.
set -eu

user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}

if [ "$1" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "${POSTGRES_PASSWORD:-}" ]; then
    echo 'POSTGRES_PASSWORD is not set' >&2
    exit 1
  fi
  # A first start that was cut short leaves a folder that initdb would refuse.
  rm -rf "$PGDATA.new"
  mkdir -p "$(dirname "$PGDATA")"
  umask 077
  printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
  # Release 16 has no locales of its own.
  case "$(postgres --version)" in
    *' 16.'*) locale='--locale=C.UTF-8' ;;
    *) locale='--locale-provider=builtin --locale=C.UTF-8' ;;
  esac
  initdb --pgdata="$PGDATA.new" --username="$user" --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8 $locale
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA.new/pg_hba.conf"
  {
    echo "listen_addresses = '*'"
    echo "unix_socket_directories = '/var/run/postgresql'"
  } >>"$PGDATA.new/postgresql.conf"
  if [ "$database" != postgres ]; then
    echo "CREATE DATABASE \"$database\"" | postgres --single -D "$PGDATA.new" postgres >/dev/null
  fi
  for file in /docker-entrypoint-initdb.d/*.sql; do
    if [ -e "$file" ]; then postgres --single -D "$PGDATA.new" "$database" <"$file" >/dev/null; fi
  done
  mv -T "$PGDATA.new" "$PGDATA"
fi

exec "$@"
