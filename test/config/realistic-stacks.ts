/** More of them. */
import type { Realistic } from './realistic.ts';

const good = (title: string, text: string, ...warns: string[]): Realistic => ({ title, text, expect: [], warns });

export const moreApplications: Realistic[] = [
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
    'a front end that calls its back end by localhost',
    `
application:
  name: full-stack
  pods:
    - name: frontend
      image: acme/frontend:1.0
      path: /
      servicePorts: [3000]
      vars:
        VITE_API_URL: http://localhost:8000
        API_INTERNAL_URL: http://localhost:8000
    - name: backend
      image: acme/backend:1.0
      path: /api
      servicePorts: [8000]
      vars:
        DATABASE_URL: postgresql://postgres:postgres@localhost:5432/app
        REDIS_HOST: localhost
        CORS_ORIGIN: http://localhost:3000
        APP_URL: http://localhost:8000
    - name: postgres
      image: postgres:16
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: postgres }
    - name: redis
      image: redis:7
      servicePorts: [6379]
`,
    'database-without-volume',
    'localhost-reference',
  ),
  good(
    'WordPress with a name that is not there',
    `
application:
  name: my-blog
  pods:
    - name: wordpress
      image: wordpress:6.7-apache
      path: /
      servicePorts: [80]
      vars:
        WORDPRESS_DB_HOST: db.pod
        WORDPRESS_DB_PASSWORD: wordpress
    - name: mysql
      image: mysql:8
      servicePorts: [3306]
      vars: { MYSQL_ROOT_PASSWORD: wordpress }
`,
    'database-without-volume',
    'unknown-pod',
  ),
  good(
    'an address from another deployment',
    `
application:
  name: moved-app
  pods:
    - name: web
      image: ghost:5.105-alpine
      path: /
      servicePorts: [2368]
      vars:
        url: https://brave-otter-moved-app.apps.example.com
        mail__from: noreply@brave-otter-moved-app.apps.example.com
`,
    'hard-coded-host',
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
    'empty keys that somebody will fill later',
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
    'a custom domain with its address',
    `
application:
  name: domain-app
  url: https://www.example.com
  pods:
    - name: web
      image: nginx:1.27
      path: /
      servicePorts: [80]
    - name: admin
      image: acme/admin:1
      path: /
      subdomain: admin
      servicePorts: [80]
`,
    'custom-domain',
    'lenient-value',
  ),
  good(
    'Django with a list of hosts, and its database behind Adminer',
    `
application:
  name: listed-hosts
  pods:
    - name: web
      image: acme/listed-hosts:3.1
      path: /
      servicePorts: [8000]
      vars:
        DJANGO_ALLOWED_HOSTS: localhost,listed.example.com
        OPENAI_API_KEY: \${OPENAI_API_KEY}
        DATABASE_URL: postgres://django:\${DB_PASSWORD}@db.pod:5432/shop
    - name: adminer
      image: adminer:4.8.1
      path: /adminer
      servicePorts: [8080]
    - name: db
      image: postgres:16
      servicePorts: [5432]
      vars:
        POSTGRES_PASSWORD: \${DB_PASSWORD}
`,
    'site-host-missing',
    'missing-key',
    'generated-value',
    'public-admin-tool',
    'database-without-volume',
  ),
  good(
    'PostgreSQL of the newest kind',
    `
application:
  name: pg-eighteen
  pods:
    - name: web
      image: adminer:4.8.1
      path: /
      servicePorts: [8080]
    - name: db
      image: postgres:18-alpine
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: secret }
      volumes:
        - { name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }
`,
    'public-admin-tool',
    'data-directory',
  ),
  good(
    'a stateful set of MongoDB',
    `
application:
  name: mongo-set
  pods:
    - name: web
      image: mongo-express:1.0.2
      path: /
      servicePorts: [8081]
      vars:
        ME_CONFIG_MONGODB_URL: mongodb://mongo-0.pod:27017,mongo-1.pod:27017,mongo-2.pod:27017/?replicaSet=rs0
    - name: mongo
      image: mongo:7
      servicePorts: [27017]
      resourceType: statefulset
      replicas: 3
      command: [mongod, --replSet, rs0, --bind_ip_all]
      volumes: [{ name: db, size: 2Gi, mountPath: /data/db }]
`,
    'public-admin-tool',
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
