#!/bin/bash
# Starts PostgreSQL, and makes the cluster first when there is none: the variables and folders of the official image.
# Written for any POSIX shell; bash reads it because initdb.d/*.sh files are sourced, and people write them for bash.
set -e

# NAME, or the content of the file that NAME_FILE names, or a default.
setting() {
  eval "value=\${$1:-} file=\${$1_FILE:-}"
  if [ -n "$value" ] && [ -n "$file" ]; then
    echo "error: both $1 and $1_FILE are set" >&2
    exit 1
  fi
  [ -z "$file" ] || value=$(cat "$file")
  export "$1=${value:-$2}"
  unset "$1_FILE"
}

become_postgres() {
  mkdir -p "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  chmod 3775 /var/run/postgresql
  find "$PGDATA" /var/run/postgresql \! -user postgres -exec chown postgres '{}' +
  exec gosu postgres "$0" "$@"
}

refuse_without_password() {
  if [ -z "$POSTGRES_PASSWORD" ] && [ "$POSTGRES_HOST_AUTH_METHOD" != trust ]; then
    cat >&2 <<'END'
Error: Database is uninitialized and superuser password is not specified.
       You must specify POSTGRES_PASSWORD to a non-empty value for the
       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".

       You may also use "POSTGRES_HOST_AUTH_METHOD=trust" to allow all
       connections without a password. This is *not* recommended.
END
    exit 1
  fi
}

make_cluster() {
  umask 0077
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
  eval "set -- $POSTGRES_INITDB_ARGS"
  [ -z "$POSTGRES_INITDB_WALDIR" ] || set -- --waldir="$POSTGRES_INITDB_WALDIR" "$@"
  [ -z "$POSTGRES_PASSWORD" ] || set -- --pwfile="$password" "$@"
  initdb --username="$POSTGRES_USER" "$@"
  rm -f "$password"
}

make_database() {
  [ "$POSTGRES_DB" != postgres ] || return 0
  # A server without a network or a socket: quicker than starting one, asking it and stopping it again.
  name=$(printf %s "$POSTGRES_DB" | sed 's/"/""/g')
  printf 'CREATE DATABASE "%s"\n' "$name" | postgres --single -c exit_on_error=true postgres >/dev/null
}

# The official image's name for it: people's scripts call it.
docker_process_sql() {
  PGHOST='' PGHOSTADDR='' psql -v ON_ERROR_STOP=1 --no-password --no-psqlrc \
    --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" "$@"
}

# Nobody from outside meets a server that is not ready: until everything ran, it listens on its socket only.
run_init_files() {
  set -- "$@" -c listen_addresses=
  "$@" &
  server=$!
  until pg_isready --quiet --username "$POSTGRES_USER"; do
    kill -0 "$server" || exit 1
    sleep 0.05
  done
  for file in /docker-entrypoint-initdb.d/*; do
    echo "$0: running $file"
    case "$file" in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) docker_process_sql -f "$file" ;;
      *.sql.gz) gunzip -c "$file" | docker_process_sql ;;
      *) echo "$0: ignoring $file" ;;
    esac
  done
  kill -INT "$server"
  wait "$server"
}

# Options alone mean: the server, with them.
case "${1:-}" in
  -*) set -- postgres "$@" ;;
esac
case " $* " in
  *' --help '* | *' -? '* | *' --version '* | *' -V '* | *' --describe-config '*) exec "$@" ;;
esac
[ "${1:-}" = postgres ] || exec "$@"

: "${PGDATA:=/var/lib/postgresql/data}"
export PGDATA
[ "$(id -u)" != 0 ] || become_postgres "$@"

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  setting POSTGRES_PASSWORD ''
  setting POSTGRES_USER postgres
  setting POSTGRES_DB "$POSTGRES_USER"
  setting POSTGRES_INITDB_ARGS ''
  setting POSTGRES_HOST_AUTH_METHOD ''
  refuse_without_password
  (make_cluster)
  # By the way in which passwords are kept, which the options given here may change.
  method=$POSTGRES_HOST_AUTH_METHOD
  [ -n "$method" ] || [ $# -gt 1 ] || method=scram-sha-256
  [ -n "$method" ] || method=$("$@" -C password_encryption)
  printf '\nhost all all all %s\n' "$method" >>"$PGDATA/pg_hba.conf"
  make_database
  if [ -n "$(ls -A /docker-entrypoint-initdb.d 2>/dev/null)" ]; then run_init_files "$@"; fi
fi

exec "$@"
