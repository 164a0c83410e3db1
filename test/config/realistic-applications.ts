/** Applications as people write them, complete. */
import { good, type Realistic } from './realistic-document.ts';

export const applications: Realistic[] = [
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
];
