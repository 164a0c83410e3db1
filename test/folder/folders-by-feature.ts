/** Folders as public projects have them, each with a feature of Compose that `berth up` has to know. */
import type { Written } from '../support/project-folder.ts';
import { nodeDockerfile, pythonDockerfile } from './sample-dockerfiles.ts';

/** Folders by their feature. */
export const foldersByFeature: Record<string, Record<string, Written>> = {
  'a tool with a profile, which is not meant': {
    'compose.yaml': `services:
  app: { build: ., ports: ["3000:3000"] }
  seed: { build: ., command: node seed.js, profiles: [tools] }
`,
    Dockerfile: nodeDockerfile,
  },

  'an initial schema mounted into the database': {
    'compose.yaml': `services:
  api: { build: ., ports: ["3000:3000"], depends_on: { db: { condition: service_healthy } } }
  db:
    image: postgres:17
    environment: { POSTGRES_PASSWORD: secret }
    volumes: ["./db/init.sql:/docker-entrypoint-initdb.d/init.sql", "./pgdata:/var/lib/postgresql/data"]
    healthcheck: { test: ["CMD-SHELL", "pg_isready -U postgres"], interval: 5s }
`,
    Dockerfile: nodeDockerfile,
    'db/init.sql': 'create table notes (id int);\n',
  },

  'an inline Dockerfile and a configuration in the document': {
    'compose.yaml': `services:
  page:
    build:
      dockerfile_inline: |
        FROM nginx:1.29
        COPY site /usr/share/nginx/html
    ports: ["80"]
    configs: [{ source: conf, target: /etc/nginx/conf.d/default.conf }]
configs: { conf: { content: "server { listen 80; }" } }
`,
    'site/index.html': 'hello',
  },

  'parts of the application in files of their own': {
    'compose.yaml':
      'include: [infra/compose.yaml]\nservices:\n  app:\n    extends: { file: base.yaml, service: base }\n    ports: ["3000:3000"]\n    depends_on: [cache]\n',
    'base.yaml': 'services:\n  base: { build: ., environment: { CACHE: "redis://cache:6379" } }\n',
    'infra/compose.yaml': 'services:\n  cache: { image: "valkey/valkey:8" }\n',
    Dockerfile: nodeDockerfile,
  },

  'Flask with a value that is nowhere': {
    'compose.yaml':
      'services:\n  web:\n    build: .\n    ports: ["5000:5000"]\n    environment: { API_KEY: "${WEATHER_API_KEY}" }\n',
    Dockerfile: `${pythonDockerfile}EXPOSE 5000\n`,
    '.env.example': 'WEATHER_API_KEY=\n',
  },

  'Traefik in front, which learns from labels': {
    'compose.yaml': `services:
  traefik:
    image: traefik:v3
    command: ["--providers.docker"]
    ports: ["80:80"]
    volumes: ["/var/run/docker.sock:/var/run/docker.sock:ro"]
  whoami:
    build: .
    labels:
      - traefik.http.routers.whoami.rule=PathPrefix(\`/\`)
      - traefik.http.services.whoami.loadbalancer.server.port=3000
`,
    Dockerfile: nodeDockerfile,
  },

  'a monitor of the host, which no shared host can run': {
    'compose.yaml': `services:
  page: { build: ., ports: ["3000:3000"] }
  agent:
    image: portainer/agent:2.27.0
    privileged: true
    volumes: ["/var/run/docker.sock:/var/run/docker.sock"]
`,
    Dockerfile: nodeDockerfile,
  },
};
