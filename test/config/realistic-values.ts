/** Values as people write them: commands, ports, names, keys, and variables of every kind. */
import { good, type Realistic } from './realistic-document.ts';

export const values: Realistic[] = [
  good(
    'names in the style of Compose',
    `
application:
  name: volumes-app
  pods:
    - name: web
      image: nginx:1.27
      path: /
      servicePorts: ["80"]
      volumes:
        - name: web_data
          size: 1G
          mountPath: /usr/share/nginx/html
        - name: Cache
          size: 512mb
          mountPath: /var/cache/nginx/
`,
    'lenient-value',
  ),
  good(
    'a shell line as command',
    `
application:
  name: shell-line
  pods:
    - name: web
      image: node:22-alpine
      path: /
      servicePorts: [3000]
      command: npm install --omit=dev && npm run build && npm start
`,
    'shell-syntax',
  ),
  good(
    'a multi-line script',
    `
application:
  name: script-app
  pods:
    - name: web
      image: python:3.13-slim
      path: /
      servicePorts: [8000]
      entrypoint: ["/bin/bash", "-c"]
      command:
        - |
          set -euo pipefail
          pip install fastapi uvicorn
          exec uvicorn app:app --host 0.0.0.0 --port \${PORT:-8000} \${EXTRA[@]}
`,
  ),
  good(
    'a port that is only in PORT',
    `
application:
  name: port-only
  pods:
    - name: web
      image: acme/web:1
      path: /
      vars:
        PORT: 8080
`,
    'inferred-port',
  ),
  good(
    'empty keys to fill in later',
    `
application:
  name: empty-keys
  url:
  registryLogin:
  pods:
    - name: web
      image: nginx:1.27
      path: /
      servicePorts: [80]
      vars:
      secrets:
      volumes: []
      command:
`,
  ),
  good(
    'a secret file with a key in PEM',
    `
application:
  name: pem-app
  pods:
    - name: web
      image: acme/web:1
      path: /
      servicePorts: [443]
      secrets:
        - name: tls
          fileName: tls.key
          mountPath: /etc/tls
          data: |
            -----BEGIN PRIVATE KEY-----
            MIIEvQIBADANBgkqhkiG9w0BAQEFAASC
            -----END PRIVATE KEY-----
        - name: tls-cert
          fileName: tls.crt
          mountPath: /etc/tls
          data: "\${TLS_CERT:-none}"
`,
  ),
  good(
    'odd values of variables',
    `
application:
  name: odd-values
  pods:
    - name: web
      image: acme/web:1
      path: /
      servicePorts: [80]
      vars:
        JSON: '{"a": {"b": [1, 2]}}'
        YESNO: yes
        OCTAL: 0644
        VERSION: 1.10
        DATE: 2026-01-01
        TIME: 12:30
        EMPTY: ""
        NULLISH: null
        MULTI: |
          one
          two
        FOLDED: >-
          one
          two
        URL_WITH_HASH: http://example.com/#/home
        BCRYPT: $2b$12$abcdefghijklmnopqrstuv
        TEMPLATE: "{{ .Values.x }} %s \${"
        UNICODE: "größe – 日本語 🚀"
        0NUMBER_FIRST: x
        dotted.name: y
`,
  ),
];
