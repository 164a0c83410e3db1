/** Applications of several pods, or with a place in a world that is not there. */
import { good, type Realistic } from './realistic-document.ts';

export const stacks: Realistic[] = [
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
];
