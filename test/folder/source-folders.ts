/** Folders of source code without a Dockerfile, as their frameworks begin them, and the Dockerfile that each gets. */

import { nodeFolders, pack } from './node-folders.ts';

export type SourceFolder = {
  name: string;
  files: Record<string, string>;
  port: number;
  /** Nothing in the folder says the port. */
  isGuess?: true;
  /** Lines of the Dockerfile, in order. */
  lines: string[];
};

const python: SourceFolder[] = [
  {
    name: 'FastAPI in a package',
    files: {
      'requirements.txt': 'fastapi\nuvicorn\n',
      'app/main.py': 'from fastapi import FastAPI\napi = FastAPI()\n',
    },
    port: 8000,
    lines: [
      'FROM python:3.13-slim',
      'RUN pip install --no-cache-dir -r requirements.txt',
      'CMD ["uvicorn","app.main:api","--host","0.0.0.0","--port","8000"]',
    ],
  },
  {
    name: 'Flask with Gunicorn and a Procfile',
    files: {
      'requirements.txt': 'flask\ngunicorn\n',
      'app.py': 'app = Flask(__name__)\n',
      Procfile: 'release: flask db upgrade\nweb: gunicorn app:app --bind 0.0.0.0:$PORT\n',
    },
    port: 8000,
    lines: ['CMD ["sh","-c","exec gunicorn app:app --bind 0.0.0.0:$PORT"]'],
  },
  {
    name: 'Django with pages of Node',
    files: {
      'requirements.txt': 'django\ngunicorn\n',
      'manage.py': '',
      'shop/wsgi.py': '',
      'package.json': pack({ build: 'tailwindcss' }),
    },
    port: 8000,
    lines: ['CMD ["gunicorn","-b","0.0.0.0:8000","shop.wsgi"]'],
  },
  {
    name: 'Streamlit with a version of Python',
    files: { 'requirements.txt': 'streamlit\n', 'app.py': 'import streamlit\n', '.python-version': '3.11.4\n' },
    port: 8000,
    lines: [
      'FROM python:3.11-slim',
      'CMD ["streamlit","run","app.py","--server.address","0.0.0.0","--server.port","8000"]',
    ],
  },
  {
    name: 'uv',
    files: { 'pyproject.toml': 'dependencies = ["fastapi"]', 'uv.lock': '', 'main.py': 'app = FastAPI()\n' },
    port: 8000,
    lines: ['COPY pyproject.toml uv.lock ./', 'RUN pip install --no-cache-dir uvicorn'],
  },
  {
    name: 'Poetry',
    files: { 'pyproject.toml': 'flask = "*"\ngunicorn = "*"', 'poetry.lock': '', 'app.py': 'web = Flask("a")\n' },
    port: 8000,
    lines: ['COPY pyproject.toml poetry.lock ./', 'CMD ["gunicorn","-b","0.0.0.0:8000","app:web"]'],
  },
];

const others: SourceFolder[] = [
  {
    name: 'Go',
    files: {
      'go.mod': 'module shop\n\ngo 1.22\n',
      'go.sum': '',
      'main.go': 'package main\n\nfunc main() {\n\thttp.ListenAndServe(":8090", nil)\n}\n',
    },
    port: 8090,
    lines: ['COPY go.mod go.sum ./', 'RUN go mod download', 'RUN go build -o /program .', 'CMD ["program"]'],
  },
  {
    name: 'Go with commands',
    files: {
      'go.mod': 'module shop\n',
      'cmd/server/main.go': 'package main\n\nfunc main() {\n}\n',
      'cmd/migrate/main.go': 'package main\n\nfunc main() {\n}\n',
    },
    port: 8080,
    isGuess: true,
    lines: ['RUN go build -o /program ./cmd/server'],
  },
  {
    name: 'Rust',
    files: {
      'Cargo.toml': '[package]\nname = "shop-api"\nversion = "0.1.0"\n',
      'Cargo.lock': '',
      'src/main.rs': 'let listener = TcpListener::bind("0.0.0.0:3030").await;',
    },
    port: 3030,
    lines: [
      'RUN cargo build --release --locked',
      'COPY --from=build /app/target/release/shop-api /usr/local/bin/program',
    ],
  },
  {
    name: 'Rails',
    files: {
      Gemfile: 'gem "rails"\ngem "puma"\n',
      'Gemfile.lock': '',
      'config/application.rb': '',
      'config.ru': '',
      'package.json': pack({ build: 'esbuild' }),
      '.ruby-version': 'ruby-3.3.0\n',
    },
    port: 3000,
    lines: ['FROM ruby:3.3-slim', 'CMD ["bundle","exec","rails","server","-b","0.0.0.0","-p","3000"]'],
  },
  {
    name: 'Sinatra',
    files: { Gemfile: 'gem "sinatra"\ngem "puma"\n', 'config.ru': 'run App' },
    port: 9292,
    lines: ['CMD ["bundle","exec","puma","-b","tcp://0.0.0.0:9292"]'],
  },
  {
    name: 'Laravel',
    files: {
      'composer.json': '{}',
      'composer.lock': '{}',
      artisan: '',
      'public/index.php': '<?php',
      'package.json': pack({ build: 'vite build' }),
    },
    port: 80,
    lines: [
      'FROM composer:2 AS build',
      'FROM php:8-apache',
      'COPY --chown=www-data:www-data --from=build /app/ /var/www/html',
    ],
  },
  {
    name: 'pages of PHP',
    files: { 'index.php': '<?php echo 1;' },
    port: 80,
    lines: ['FROM php:8-apache', 'COPY --chown=www-data:www-data . /var/www/html'],
  },
  {
    name: 'Spring Boot with Maven',
    files: {
      'pom.xml': '<parent>spring-boot-starter-parent</parent><java.version>17</java.version>',
      mvnw: '',
      'src/main/resources/application.properties': 'server.port=8085\n',
    },
    port: 8085,
    lines: ['FROM maven:3-eclipse-temurin-17 AS build', 'FROM eclipse-temurin:17-jre'],
  },
  {
    name: 'Spring Boot with Gradle',
    files: { 'build.gradle.kts': 'id("org.springframework.boot")\nlanguageVersion = JavaLanguageVersion.of(21)' },
    port: 8080,
    lines: ['FROM gradle:jdk21 AS build', 'CMD ["java","-XX:MaxRAMPercentage=75","-jar","program.jar"]'],
  },
  {
    name: 'ASP.NET',
    files: {
      'Shop.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web"><TargetFramework>net8.0</TargetFramework></Project>',
      'Program.cs': '',
    },
    port: 8080,
    lines: ['FROM mcr.microsoft.com/dotnet/sdk:8.0 AS build', 'CMD ["dotnet","Shop.dll"]'],
  },
  {
    name: 'Deno',
    files: { 'deno.json': '{}', 'main.ts': 'Deno.serve({ port: 8100 }, () => new Response("x"))' },
    port: 8100,
    lines: ['FROM denoland/deno:2', 'CMD ["deno","run","-A","main.ts"]'],
  },
  {
    name: 'pages',
    files: { 'public/index.html': '<p>' },
    port: 80,
    lines: ['FROM nginx:1', 'COPY public /usr/share/nginx/html'],
  },
];

export const sourceFolders: SourceFolder[] = [...nodeFolders, ...python, ...others];
