#!/bin/sh
# Starts MariaDB as its own user, and makes its data directory first when there is none: by variables of the official image.
set -e

case "${1:-}" in
  -*) set -- mariadbd "$@" ;;
esac
[ "${1:-}" = mariadbd ] || exec "$@"

data=/var/lib/mysql
if [ "$(id -u)" = 0 ]; then
  find "$data" /run/mysqld \! -user mysql -exec chown mysql '{}' +
  exec gosu mysql "$0" "$@"
fi

quoted() {
  printf %s "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g"
}

named() {
  printf %s "$1" | sed 's/`/``/g'
}

if [ ! -d "$data/mysql" ]; then
  mariadb-install-db --datadir="$data" --skip-test-db --auth-root-authentication-method=normal >/dev/null
  first=$(umask 0077 && mktemp)
  {
    printf "ALTER USER root@localhost IDENTIFIED BY '%s';\n" "$(quoted "$MARIADB_ROOT_PASSWORD")"
    printf "CREATE USER root@'%%' IDENTIFIED BY '%s';\n" "$(quoted "$MARIADB_ROOT_PASSWORD")"
    printf "GRANT ALL ON *.* TO root@'%%' WITH GRANT OPTION;\n"
    if [ -n "$MARIADB_DATABASE" ]; then
      printf 'CREATE DATABASE `%s`;\n' "$(named "$MARIADB_DATABASE")"
    fi
    if [ -n "$MARIADB_USER" ]; then
      printf "CREATE USER '%s'@'%%' IDENTIFIED BY '%s';\n" "$(quoted "$MARIADB_USER")" "$(quoted "$MARIADB_PASSWORD")"
      printf "GRANT ALL ON \`%s\`.* TO '%s'@'%%';\n" "$(named "$MARIADB_DATABASE")" "$(quoted "$MARIADB_USER")"
    fi
  } >"$first"
  set -- "$@" --init-file="$first"
fi

exec "$@" --datadir="$data" --socket=/run/mysqld/mysqld.sock
