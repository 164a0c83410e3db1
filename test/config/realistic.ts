/** Documents as people and language models write them: complete applications, and the mistakes they make in them. */

/** `expect`: the codes of the errors in document order; none when it is accepted. `warns`: warnings and notes it must have. */
export type Realistic = { title: string; text: string; expect: string[]; warns?: string[] };

const good = (title: string, text: string, ...warns: string[]): Realistic => ({ title, text, expect: [], warns });
const bad = (title: string, expect: string[], text: string): Realistic => ({ title, text, expect });

export const docs: Realistic[] = [
  good(
    'a static page',
    `
application:
  name: landing-page
  pods:
    - name: web
      image: nginx:1.27-alpine
      path: /
      servicePorts:
        - 80
`,
  ),
  good(
    'Next.js with PostgreSQL and Prisma',
    `
application:
  name: saas-starter
  pods:
    - name: web
      image: ghcr.io/acme/saas-starter:sha-4f2c1a9
      path: /
      servicePorts: [3000]
      vars:
        DATABASE_URL: postgresql://app:\${POSTGRES_PASSWORD}@postgres.pod:5432/app?schema=public
        NEXTAUTH_URL: <% URL %>
        NEXTAUTH_SECRET: \${NEXTAUTH_SECRET}
        NEXT_PUBLIC_APP_URL: <% URL %>
      command: sh -c "npx prisma migrate deploy && node server.js"
    - name: postgres
      image: postgres:16-alpine
      servicePorts: [5432]
      vars:
        POSTGRES_USER: app
        POSTGRES_PASSWORD: \${POSTGRES_PASSWORD}
        POSTGRES_DB: app
      volumes:
        - name: pg-data
          size: 5Gi
          mountPath: /var/lib/postgresql/data
`,
    'generated-value',
  ),
  good(
    'Django with Celery and Redis',
    `
application:
  name: django-shop
  pods:
    - name: web
      image: acme/django-shop:2.3.1
      path: /
      servicePorts: [8000]
      command: gunicorn shop.wsgi:application --bind 0.0.0.0:8000 --workers 3
      vars: &env
        DJANGO_SETTINGS_MODULE: shop.settings.production
        SECRET_KEY: \${SECRET_KEY}
        DATABASE_URL: postgres://django:django@db.pod:5432/shop
        CELERY_BROKER_URL: redis://redis.pod:6379/0
        ALLOWED_HOSTS: "*"
        CSRF_TRUSTED_ORIGINS: <% URL %>
    - name: worker
      image: acme/django-shop:2.3.1
      command: ["celery", "-A", "shop", "worker", "-l", "info"]
      vars:
        <<: *env
        WORKER: "1"
    - name: beat
      image: acme/django-shop:2.3.1
      command: celery -A shop beat -l info
      vars: *env
    - name: migrate
      image: acme/django-shop:2.3.1
      resourceType: job
      command: python manage.py migrate --noinput
      vars: *env
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_USER: django, POSTGRES_PASSWORD: django, POSTGRES_DB: shop }
    - name: redis
      image: redis:7-alpine
      servicePorts: [6379]
`,
    'database-without-volume',
    'no-ports',
    'generated-value',
  ),
  good(
    'Spring Boot with MySQL and a health check',
    `
application:
  name: petclinic
  pods:
    - name: app
      image: springio/petclinic:3.2.0
      path: /
      servicePorts: [8080]
      vars:
        SPRING_PROFILES_ACTIVE: mysql
        SPRING_DATASOURCE_URL: jdbc:mysql://mysql.pod:3306/petclinic
        SPRING_DATASOURCE_USERNAME: petclinic
        SPRING_DATASOURCE_PASSWORD: petclinic
        JAVA_TOOL_OPTIONS: -XX:MaxRAMPercentage=75.0
        LOGGING_PATTERN_CONSOLE: "%d{HH:mm:ss} \${spring.application.name:-app} %m%n"
      resources:
        requests: { cpu: 250m, memory: 512Mi }
        limits: { cpu: "1", memory: 1Gi }
      healthCheck:
        path: /actuator/health
        port: 8080
        initialDelaySeconds: 30
        failureThreshold: 10
    - name: mysql
      image: mysql:8.4
      servicePorts: [3306]
      vars:
        MYSQL_ROOT_PASSWORD: root
        MYSQL_DATABASE: petclinic
        MYSQL_USER: petclinic
        MYSQL_PASSWORD: petclinic
      volumes: [{ name: data, size: 5Gi, mountPath: /var/lib/mysql }]
`,
  ),
  good(
    'a page whose sources are in the document',
    `
application:
  name: hello-files
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            const greet = (name) => \`Hello \${name}, <% URL %>\`;
            createServer((request, response) => response.end(greet(request.url))).listen(3000);
        - path: /app/views/index.ejs
          content: |
            <% if (user) { %><h1><%= user.name %></h1><% } %>
`,
  ),
  good(
    'Windows line ends',
    'application:\r\n  name: windows-app\r\n  pods:\r\n    - name: web\r\n      image: nginx:1.27\r\n      path: /\r\n      servicePorts:\r\n        - 80\r\n      vars:\r\n        A: "1"\r\n',
  ),
  good(
    'JSON',
    JSON.stringify(
      {
        application: {
          name: 'json-app',
          pods: [{ name: 'web', image: 'nginx:1.27', path: '/', servicePorts: [80], vars: { A: 1, B: true } }],
        },
      },
      null,
      '\t',
    ),
  ),
  good(
    'everything in one line',
    'application: { name: one-line, pods: [ { name: web, image: "nginx:1.27", path: /, servicePorts: [80] } ] }',
  ),
  good(
    'an AI stack with Ollama and a GPU',
    `
application:
  name: local-llm
  pods:
    - name: webui
      image: ghcr.io/open-webui/open-webui:v0.5.4
      path: /
      servicePorts: [8080]
      vars:
        OLLAMA_BASE_URL: http://ollama.pod:11434
        WEBUI_SECRET_KEY: \${WEBUI_SECRET_KEY}
      volumes:
        - { name: webui, size: 2Gi, mountPath: /app/backend/data }
    - name: ollama
      image: ollama/ollama:0.5.4
      servicePorts: [11434]
      useGPU: true
      volumes:
        - { name: models, size: 50Gi, mountPath: /root/.ollama }
`,
    'generated-value',
  ),
  good(
    'a private registry',
    `
application:
  name: private-shop
  registryLogin:
    registry: https://registry.gitlab.com
    username: deploy-token
    personalAccessToken: \${REGISTRY_TOKEN}
  pods:
    - name: web
      image: registry.gitlab.com/acme/shop/web:1.4
      path: /
      servicePorts: [80]
`,
    'lenient-value',
    'login-placeholder',
  ),
  good(
    'Kafka by the older names of pods',
    `
application:
  name: streaming
  pods:
    - name: broker
      image: bitnami/kafka:3.7
      servicePorts: [9092]
      vars:
        KAFKA_CFG_ADVERTISED_LISTENERS: PLAINTEXT://streaming-broker.pod:9092
    - name: ui
      image: provectuslabs/kafka-ui:v0.7.2
      path: /
      servicePorts: [8080]
      vars:
        KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: streaming-broker.pod:9092
        DYNAMIC_CONFIG_ENABLED: true
`,
    'public-admin-tool',
  ),
  good(
    'variables as a list, as older documents have them',
    `
application:
  name: older-form
  pods:
    - name: web
      image: nginx:1.27
      path: /
      servicePorts:
        - 80
      vars:
        - key: NODE_ENV
          value: production
        - key: EMPTY
        - key: PORT
          value: 8080
`,
  ),
  good(
    'variables as Kubernetes has them',
    `
application:
  name: kube-vars
  pods:
    - name: web
      image: nginx:1.27
      path: /
      servicePorts: [80]
      vars:
        - name: NODE_ENV
          value: "production"
        - name: PORT
          value: "80"
`,
    'vars-list',
  ),
  good(
    'fields of Compose in a pod',
    `
application:
  name: mixed-up
  pods:
    - name: web
      image: nginx:1.27
      path: /
      ports: [80]
      environment:
        NODE_ENV: production
      restart: always
`,
    'unknown-field',
    'inferred-port',
  ),
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

  bad(
    'the answer of a language model, with its fences',
    ['unparsable'],
    `Here is the configuration:

\`\`\`yaml
application:
  name: fenced
  pods: []
\`\`\`
`,
  ),
  bad(
    'a document that is indented with tabs',
    ['unparsable'],
    'application:\n\tname: tabbed\n\tpods:\n\t\t- name: web\n',
  ),
  bad(
    'a colon without its space',
    ['unparsable'],
    'application:\n  name:shop\n  pods:\n    - name: web\n      image: nginx:1\n',
  ),
  bad(
    'a password with a colon and a hash',
    ['unparsable'],
    'application:\n  name: shop\n  pods:\n    - name: web\n      image: nginx:1\n      vars:\n        PASS: @bc: #def\n',
  ),
  bad(
    'a Deployment of Kubernetes',
    ['foreign-form'],
    `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
`,
  ),
  bad(
    'pods as a map',
    ['wrong-type'],
    `
application:
  name: map-app
  pods:
    web:
      image: nginx:1
      path: /
`,
  ),
  bad(
    'everything at the top level',
    ['no-application'],
    `
name: top-level
pods:
  - name: web
    image: nginx:1
    path: /
    servicePorts: [80]
`,
  ),
  bad(
    'app instead of application',
    ['no-application'],
    'app:\n  name: shop\n  pods:\n    - name: web\n      image: nginx:1\n      path: /\n      servicePorts: [80]\n',
  ),
  bad(
    'many mistakes at once',
    [
      'bad-name',
      'bad-name',
      'image-without-tag',
      'bad-value',
      'unlikely-quantity',
      'duplicate-path',
      'nested-var',
      'missing-field',
    ],
    `
application:
  name: My App
  pods:
    - name: Web_Server
      image: nginx
      path: /
      servicePorts: [99999]
      resources: { limits: { memory: 256 } }
    - name: api
      image: node:22
      path: /
      servicePorts: [3000]
      vars:
        CONFIG:
          debug: true
      volumes:
        - name: data
          size: 1Gi
`,
  ),
  bad(
    'images to be built',
    ['missing-field', 'missing-field'],
    `
application:
  name: build-app
  pods:
    - name: web
      build: ./web
      path: /
      servicePorts: [3000]
    - name: api
      build:
        context: .
        dockerfile: Dockerfile
      servicePorts: [8000]
`,
  ),
  bad(
    'placeholders of a template',
    ['image-placeholder', 'image-placeholder', 'image-placeholder', 'image-placeholder'],
    `
application:
  name: templated
  pods:
    - { name: aa, image: "<DOCKER_IMAGE>", path: /, servicePorts: [80] }
    - { name: bb, image: "REPLACE_ME", servicePorts: [80] }
    - { name: cc, image: "\${IMAGE}:latest", servicePorts: [80] }
    - { name: dd, image: TODO, servicePorts: [80] }
`,
  ),
  bad(
    'everything public, nothing at its own path',
    ['duplicate-path', 'duplicate-path'],
    `
application:
  name: all-public
  pods:
    - { name: web, image: "acme/web:1", path: /, servicePorts: [3000] }
    - { name: api, image: "acme/api:1", path: /, servicePorts: [4000] }
    - { name: db, image: "postgres:16", path: /, servicePorts: [5432] }
`,
  ),
  bad(
    'nothing public',
    ['no-public-path'],
    `
application:
  name: nothing-public
  pods:
    - { name: api, image: "acme/api:1", servicePorts: [4000] }
    - { name: db, image: "postgres:16", servicePorts: [5432] }
`,
  ),
  bad(
    'a file of the host as volume',
    ['missing-field'],
    `
application:
  name: host-paths
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      volumes:
        - name: conf
          size: 1Gi
          hostPath: ./nginx.conf
`,
  ),
  bad(
    'volumes in the short form of Compose',
    ['wrong-type'],
    `
application:
  name: short-volumes
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      volumes:
        - data:/usr/share/nginx/html
`,
  ),
  bad(
    'JSON as YAML in a secret',
    ['wrong-type'],
    `
application:
  name: yaml-secret
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      secrets:
        - name: conf
          fileName: conf.json
          data:
            key: value
`,
  ),
  bad(
    'a reference to a secret of Kubernetes',
    ['bad-value'],
    `
application:
  name: secret-ref
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars:
        - name: PASSWORD
          valueFrom: { secretKeyRef: { name: db, key: password } }
`,
  ),
  bad(
    'a page of Docker Hub as image',
    ['bad-image'],
    `
application:
  name: hub-page
  pods:
    - name: web
      image: https://hub.docker.com/_/nginx
      path: /
      servicePorts: [80]
`,
  ),
  bad(
    'an unknown scriptlet',
    ['unknown-scriptlet', 'unknown-scriptlet'],
    `
application:
  name: scriptlets
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars:
        A: <% APP_URL %>/x
        B: <% env.SECRET %>
`,
  ),
  bad(
    'a circle of three',
    ['dependency-cycle'],
    `
application:
  name: circle
  pods:
    - { name: aa, image: "a/a:1", path: /, servicePorts: [80], dependsOn: [bb] }
    - { name: bb, image: "a/b:1", servicePorts: [80], dependsOn: [cc] }
    - { name: cc, image: "a/c:1", servicePorts: [80], dependsOn: [aa] }
`,
  ),
];
