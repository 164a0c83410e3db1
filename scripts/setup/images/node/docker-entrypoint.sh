#!/bin/sh
# An option, or a word that is no program, is meant for Node: `docker run node:26-slim app.js`.
set -e
if [ "${1#-}" != "$1" ] || ! command -v "$1" >/dev/null 2>&1 || { [ -f "$1" ] && [ ! -x "$1" ]; }; then
  set -- node "$@"
fi
exec "$@"
