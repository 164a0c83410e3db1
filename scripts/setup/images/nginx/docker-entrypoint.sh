#!/bin/sh
# Prepares the configuration as the official image does, then starts what was asked for:
# templates (/etc/nginx/templates/*.template, with the environment's values for $NAME and ${NAME}) become files of
# /etc/nginx/conf.d, and the scripts of /docker-entrypoint.d run in the order of their names.
set -e

substitute() {
  # Names that the environment does not have are nginx's own variables, and stay.
  awk '{
    done = ""; rest = $0
    while (match(rest, /\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)/)) {
      word = substr(rest, RSTART, RLENGTH); name = word; gsub(/[${}]/, "", name)
      done = done substr(rest, 1, RSTART - 1) (name in ENVIRON ? ENVIRON[name] : word)
      rest = substr(rest, RSTART + RLENGTH)
    }
    print done rest
  }' "$1"
}

if [ "$1" = nginx ] || [ "$1" = nginx-debug ]; then
  templates=${NGINX_ENVSUBST_TEMPLATE_DIR:-/etc/nginx/templates}
  target=${NGINX_ENVSUBST_OUTPUT_DIR:-/etc/nginx/conf.d}
  if [ -d "$templates" ]; then
    find "$templates" -follow -type f -name '*.template' | while read -r template; do
      name=${template#"$templates"/}
      mkdir -p "$(dirname "$target/$name")"
      substitute "$template" >"$target/${name%.template}"
    done
  fi
  for script in /docker-entrypoint.d/*; do
    case "$script" in
      *.envsh) [ ! -x "$script" ] || . "$script" ;;
      *.sh) [ ! -x "$script" ] || "$script" ;;
    esac
  done
fi

exec "$@"
