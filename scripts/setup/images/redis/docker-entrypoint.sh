#!/bin/sh
# Starts Redis as its own user. Options or a configuration file alone mean: the server, with them.
set -e

case "${1:-}" in
  -* | *.conf) set -- redis-server "$@" ;;
esac

if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
  find . \! -user redis -exec chown redis '{}' +
  exec gosu redis "$0" "$@"
fi

# A container's network is private already; Debian's Redis would refuse everyone but itself without a password.
if [ "$1" = redis-server ]; then
  case " $* " in
    *protected-mode* | *' -v '* | *' --version '* | *' -h '* | *' --help '* | *' --test-memory '* | *' --check-system '*) ;;
    *)
      file=${2:-}
      [ -f "$file" ] && grep -qi '^[[:space:]]*protected-mode' "$file" || set -- "$@" --protected-mode no
      ;;
  esac
fi

# What Redis writes is its user's alone.
[ "$(umask)" != 0022 ] || umask 0077
exec "$@"
