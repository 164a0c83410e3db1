/** Folders as public projects have them, in words of our own: what people have on their disk and expect to run. */
import type { Written } from '../support/project-folder.ts';
import { foldersByFeature } from './folders-by-feature.ts';
import { nodeDockerfile, pythonDockerfile } from './sample-dockerfiles.ts';

/** Folders by their kind. */
export const kindsOfFolders: Record<string, Record<string, Written>> = {
  'a Node service with nothing but a Dockerfile': { Dockerfile: nodeDockerfile, 'server.js': '' },

  'a static site behind nginx, mounted': {
    'docker-compose.yml': `version: "3.8"
services:
  site:
    image: nginx:1.29-alpine
    ports: ["8080:80"]
    volumes: ["./public:/usr/share/nginx/html:ro"]
`,
    'public/index.html': '<h1>Bakery</h1>',
    'public/style.css': 'body { color: brown }',
  },

  'a Node service with its sources mounted for development': {
    'compose.yaml': `services:
  app:
    build: .
    ports: ["3000:3000"]
    volumes:
      - .:/app
      - /app/node_modules
    command: npm run dev
`,
    Dockerfile: nodeDockerfile,
    'server.js': '',
  },

  'Django with PostgreSQL and an env_file': {
    'compose.yaml': `services:
  web:
    build: .
    command: python manage.py runserver 0.0.0.0:8000
    volumes: [".:/code"]
    ports: ["8000:8000"]
    env_file: [.env.dev]
    depends_on: [db]
  db:
    image: postgres:17
    volumes: ["pg:/var/lib/postgresql/data"]
    environment:
      POSTGRES_USER: \${DB_USER}
      POSTGRES_PASSWORD: \${DB_PASSWORD}
volumes: { pg: }
`,
    Dockerfile: pythonDockerfile,
    '.env.dev': 'DEBUG=1\nDATABASE_URL=postgres://library:books@db/library\n',
    '.env': 'DB_USER=library\nDB_PASSWORD=books\n',
    'manage.py': '',
  },

  'Rails with PostgreSQL, Redis and a worker from one image': {
    'compose.yml': `x-app: &app
  build: .
  environment: &env
    DATABASE_URL: postgres://rails:rails@db/rails
    REDIS_URL: redis://redis:6379/0
  depends_on: [db, redis]
services:
  web:
    <<: *app
    command: bundle exec puma -b tcp://0.0.0.0:3000
    ports: ["3000:3000"]
  sidekiq:
    <<: *app
    command: bundle exec sidekiq
  db:
    image: postgres:17
    environment: { POSTGRES_USER: rails, POSTGRES_PASSWORD: rails }
    volumes: ["./tmp/db:/var/lib/postgresql/data"]
  redis: { image: "redis:8" }
`,
    Dockerfile: 'FROM ruby:3.4\nWORKDIR /rails\nCOPY . .\nEXPOSE 3000\n',
  },

  'Go with a build of two stages and a database on a folder': {
    'compose.yaml': `services:
  api:
    build: { context: ., target: final }
    ports: ["\${PORT:-9000}:9000"]
    environment: [DSN=root:secret@tcp(mysql:3306)/shop]
  mysql:
    image: mysql:8.4
    environment: { MYSQL_ROOT_PASSWORD: secret, MYSQL_DATABASE: shop }
    volumes: ["./data/mysql:/var/lib/mysql"]
    ports: ["3306:3306"]
`,
    Dockerfile:
      'FROM golang:1.25 AS build\nWORKDIR /src\nCOPY . .\nRUN go build -o /shop\nFROM debian:bookworm-slim AS final\nCOPY --from=build /shop /shop\nEXPOSE 9000\nENTRYPOINT ["/shop"]\n',
    'main.go': 'package main\n',
  },

  'PHP-FPM with nginx in front, both on the same mounted sources': {
    'docker-compose.yml': `services:
  nginx:
    image: nginx:1.29
    ports: ["80:80"]
    volumes:
      - ./src:/var/www/html
      - ./nginx/default.conf:/etc/nginx/conf.d/default.conf
    depends_on: [php]
  php:
    image: php:8.4-fpm
    volumes: ["./src:/var/www/html"]
`,
    'src/index.php': '<?php echo "hello";',
    'nginx/default.conf': 'server { root /var/www/html; }\n',
  },

  'Spring Boot with a wrapper script and MariaDB': {
    'compose.yaml': `services:
  backend:
    build: backend
    ports: ["8080:8080"]
    environment:
      SPRING_DATASOURCE_URL: jdbc:mariadb://db:3306/inventory
      SPRING_DATASOURCE_PASSWORD_FILE: /run/secrets/db-password
    secrets: [db-password]
  db:
    image: mariadb:11
    environment: { MARIADB_DATABASE: inventory, MARIADB_ROOT_PASSWORD_FILE: /run/secrets/db-password }
    secrets: [db-password]
    volumes: ["db-data:/var/lib/mysql"]
secrets:
  db-password: { file: db/password.txt }
volumes: { db-data: {} }
`,
    'backend/Dockerfile':
      'FROM eclipse-temurin:21 AS build\nWORKDIR /b\nCOPY . .\nRUN ./mvnw package\nFROM eclipse-temurin:21-jre\nCOPY --from=build /b/target/app.jar /app.jar\nEXPOSE 8080\nENTRYPOINT ["java","-jar","/app.jar"]\n',
    'backend/mvnw': { program: '#!/bin/sh\n' },
    'db/password.txt': 'four words of nothing\n',
  },

  'a repository with a front end and a back end, each with a Dockerfile': {
    'compose.yaml': `services:
  frontend:
    build: ./frontend
    ports: ["3000:80"]
    depends_on: [backend]
  backend:
    build: ./backend
    ports: ["4000:4000"]
    environment: { MONGO_URL: "mongodb://mongo:27017/notes" }
  mongo:
    image: mongo:8
    volumes: ["mongo:/data/db"]
volumes: { mongo: }
`,
    'frontend/Dockerfile':
      'FROM node:26-slim AS build\nCOPY . .\nFROM nginx:1.29\nCOPY --from=build /dist /usr/share/nginx/html\n',
    'backend/Dockerfile': 'FROM node:26-slim\nCOPY . .\nEXPOSE 4000\n',
  },

  'Next.js with arguments for the build': {
    'compose.yaml': `services:
  next:
    build:
      context: .
      args:
        NEXT_PUBLIC_TITLE: \${TITLE:-Garden}
    ports: ["3000:3000"]
    restart: always
`,
    Dockerfile: `FROM node:26-slim\nARG NEXT_PUBLIC_TITLE\nENV NEXT_PUBLIC_TITLE=$NEXT_PUBLIC_TITLE\nCOPY . .\nRUN npm run build\nEXPOSE 3000\n`,
  },

  'an override for development next to the main file': {
    'compose.yaml':
      'services:\n  api:\n    build: .\n    ports: ["3000:3000"]\n    environment: { MODE: production }\n',
    'compose.override.yaml':
      'services:\n  api:\n    environment: { MODE: development }\n    volumes: ["./src:/app/src"]\n',
    Dockerfile: nodeDockerfile,
    'src/index.js': '',
  },

  'a message queue with a port that is not HTTP, a consumer and a page': {
    'compose.yaml': `services:
  rabbit:
    image: rabbitmq:4-management
    ports: ["5672:5672", "15672:15672"]
  consumer: { build: ./consumer, depends_on: [rabbit] }
  page: { build: ./page, ports: ["8000:8000"], depends_on: [rabbit] }
`,
    'consumer/Dockerfile': pythonDockerfile,
    'page/Dockerfile': `${pythonDockerfile}EXPOSE 8000\n`,
  },

  'WordPress with its uploads in a folder': {
    'docker-compose.yml': `services:
  wordpress:
    image: wordpress:6
    ports: ["8000:80"]
    environment:
      WORDPRESS_DB_HOST: db
      WORDPRESS_DB_USER: wp
      WORDPRESS_DB_PASSWORD: wp
      WORDPRESS_DB_NAME: wp
    volumes: ["./wp-content:/var/www/html/wp-content"]
  db:
    image: mariadb:11
    environment: { MARIADB_DATABASE: wp, MARIADB_USER: wp, MARIADB_PASSWORD: wp, MARIADB_RANDOM_ROOT_PASSWORD: "1" }
    volumes: ["db:/var/lib/mysql"]
volumes: { db: }
`,
    'wp-content/themes/own/style.css': '/* Theme Name: Own */',
  },

  'two instances behind nginx': {
    'compose.yaml': `services:
  redis: { image: "redis:8", ports: ["6379:6379"] }
  web1: { build: ./web, ports: ["81:5000"] }
  web2: { build: ./web, ports: ["82:5000"] }
  nginx: { build: ./nginx, ports: ["80:80"], depends_on: [web1, web2] }
`,
    'web/Dockerfile': `${nodeDockerfile.replace('3000', '5000')}`,
    'nginx/Dockerfile': 'FROM nginx:1.29\nCOPY nginx.conf /etc/nginx/conf.d/default.conf\n',
    'nginx/nginx.conf': 'upstream web { server web1:5000; server web2:5000; }\n',
  },

  'Prometheus and Grafana with their settings mounted': {
    'compose.yaml': `services:
  prometheus:
    image: prom/prometheus:v3.1.0
    command: ["--config.file=/etc/prometheus/prometheus.yml"]
    ports: ["9090:9090"]
    volumes: ["./prometheus:/etc/prometheus", "prom:/prometheus"]
  grafana:
    image: grafana/grafana:12.0.0
    ports: ["3000:3000"]
    volumes: ["./grafana:/etc/grafana/provisioning/datasources"]
volumes: { prom: }
`,
    'prometheus/prometheus.yml': 'scrape_configs: []\n',
    'grafana/datasource.yml': 'apiVersion: 1\n',
  },

  ...foldersByFeature,
};
