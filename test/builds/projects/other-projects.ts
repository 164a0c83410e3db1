/** Projects in other languages, and with files for containers, as their frameworks begin them. Each answers with `hello from here`. */
import { type Project, packageOf } from './project.ts';

export const otherProjects: Project[] = [
  {
    name: 'a page',
    files: {
      'index.html':
        '<!doctype html><html><head><title>hello from here</title></head><body><div id="root">hello from here</div></body></html>',
      'style.css': 'p{}',
    },
  },
  {
    name: 'a page in a folder',
    files: {
      'public/index.html':
        '<!doctype html><html><head><title>hello from here</title></head><body><div id="root">hello from here</div></body></html>',
    },
  },
  {
    name: 'Deno',
    files: {
      'deno.json': JSON.stringify({ tasks: { dev: 'deno run --watch main.ts' } }),
      'main.ts': `Deno.serve(() => new Response('hello from here'));
`,
    },
  },
  {
    name: 'Deno with a task and a package',
    files: {
      'deno.json': JSON.stringify({
        tasks: { start: 'deno run --allow-net --allow-env main.ts' },
        imports: { hono: 'npm:hono@^4' },
      }),
      'main.ts': `import { Hono } from 'hono';
const app = new Hono();
app.get('/', (c) => c.text('hello from here'));
Deno.serve({ port: 8000 }, app.fetch);
`,
    },
  },
  {
    name: 'Go',
    files: {
      'go.mod': `module shop

go 1.19
`,
      'main.go': `package main

import (
	"fmt"
	"net/http"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello from here") })
	http.ListenAndServe(":8090", nil)
}
`,
    },
  },
  {
    name: 'Go with a command in a folder',
    files: {
      'go.mod': `module shop

go 1.19
`,
      'cmd/server/main.go': `package main

import (
	"net/http"
	"os"
	"shop/words"
)

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(words.Hello)) })
	http.ListenAndServe(":"+port, nil)
}
`,
      'words/words.go': `package words

const Hello = "hello from here"
`,
    },
  },
  {
    name: 'Rust',
    files: {
      'Cargo.toml': `[package]
name = "shop"
version = "0.1.0"
edition = "2021"
`,
      'src/main.rs': `use std::io::{Read, Write};
use std::net::TcpListener;
fn main() {
    let port = std::env::var("PORT").unwrap_or("8080".into());
    let listener = TcpListener::bind(format!("0.0.0.0:{port}")).unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut buffer = [0; 4096];
        let _ = stream.read(&mut buffer);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\\r\\ncontent-length: 15\\r\\nconnection: close\\r\\n\\r\\nhello from here");
    }
}
`,
    },
  },
  {
    name: 'Flask',
    files: {
      'requirements.txt': `flask
`,
      'app.py': `from flask import Flask
app = Flask(__name__)
@app.get('/')
def hello():
    return 'hello from here'
`,
    },
  },
  {
    name: 'Flask with Gunicorn and a Procfile',
    files: {
      'requirements.txt': `flask
gunicorn
`,
      'wsgi.py': `from flask import Flask
application = Flask(__name__)
@application.get('/')
def hello():
    return 'hello from here'
`,
      Procfile: `web: gunicorn wsgi:application --bind 0.0.0.0:$PORT
`,
    },
  },
  {
    name: 'Django',
    files: {
      'requirements.txt': `django
gunicorn
`,
      'manage.py': `import os, sys
from django.core.management import execute_from_command_line
os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')
execute_from_command_line(sys.argv)
`,
      'shop/__init__.py': '',
      'shop/settings.py': `SECRET_KEY = 'x'
DEBUG = False
ALLOWED_HOSTS = ['*']
ROOT_URLCONF = 'shop.urls'
WSGI_APPLICATION = 'shop.wsgi.application'
`,
      'shop/urls.py': `from django.http import HttpResponse
from django.urls import path
urlpatterns = [path('', lambda r: HttpResponse('hello from here'))]
`,
      'shop/wsgi.py': `import os
from django.core.wsgi import get_wsgi_application
os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')
application = get_wsgi_application()
`,
    },
  },
  {
    name: 'FastAPI',
    files: {
      'requirements.txt': `fastapi
uvicorn
`,
      'main.py': `from fastapi import FastAPI
app = FastAPI()
@app.get('/')
def hello():
    return 'hello from here'
`,
    },
  },
  {
    name: 'Python without packages',
    files: {
      'requirements.txt': '',
      'main.py': `from http.server import BaseHTTPRequestHandler, HTTPServer
class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'hello from here')
port = 9000
HTTPServer(('', port), Hello).serve_forever()
`,
    },
  },
  {
    name: 'PHP',
    files: {
      'index.php': `<?php echo 'hello from here';
`,
    },
  },
  {
    name: 'PHP with Composer',
    files: {
      'composer.json': JSON.stringify({ name: 'a/shop', autoload: { 'psr-4': { 'App\\': 'src/' } } }),
      'public/index.php': `<?php require __DIR__ . '/../vendor/autoload.php'; echo App\\Hello::words();
`,
      'src/Hello.php': `<?php namespace App; class Hello { static function words() { return 'hello from here'; } }
`,
    },
  },
  {
    name: 'Java with Gradle',
    files: {
      'build.gradle': `apply plugin: 'java'
sourceCompatibility = '17'
jar { manifest { attributes 'Main-Class': 'Shop' } }
`,
      'src/main/java/Shop.java': `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
public class Shop { public static void main(String[] a) throws Exception { var s = HttpServer.create(new InetSocketAddress(8080), 0); s.createContext("/", e -> { var b = "hello from here".getBytes(); e.sendResponseHeaders(200, b.length); e.getResponseBody().write(b); e.close(); }); s.start(); } }
`,
    },
  },
  {
    name: 'a Dockerfile with stages',
    files: {
      Dockerfile: `FROM node:24-slim AS build
WORKDIR /app
COPY package.json ./
RUN npm install
FROM node:24-slim
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY . .
USER node
EXPOSE 3000
CMD ["node", "server.js"]
`,
      'package.json': packageOf({ dependencies: { express: '^5' } }),
      'server.js': `const express = require('express');
const app = express();
app.get('/', (_, r) => r.send('hello from here'));
app.listen(process.env.PORT || 3000);
`,
    },
  },
  {
    name: 'a Compose project with two builds',
    files: {
      'compose.yaml': `services:
  web:
    build: ./web
    ports: ['80:3000']
    environment:
      API: http://api:4000
  api:
    build:
      context: ./api
      args:
        WORDS: hello from here
`,
      'web/Dockerfile': `FROM node:24-slim
WORKDIR /app
COPY . .
EXPOSE 3000
CMD ["node", "web.mjs"]
`,
      'web/web.mjs': `import { createServer } from 'node:http';
createServer(async (_, r) => { try { r.end(await (await fetch(process.env.API)).text()); } catch (e) { r.statusCode = 503; r.end(String(e)); } }).listen(3000);
`,
      'api/Dockerfile': `FROM node:24-slim
ARG WORDS
ENV WORDS=$WORDS
WORKDIR /app
COPY . .
EXPOSE 4000
CMD ["node", "api.mjs"]
`,
      'api/api.mjs': `import { createServer } from 'node:http';
createServer((_, r) => r.end(process.env.WORDS)).listen(4000);
`,
    },
  },
  {
    name: 'a berth.yaml with a build',
    files: {
      'berth.yaml': `application:
  name: shop
  pods:
    - name: web
      build: .
      path: /
      servicePorts: [3000]
`,
      Dockerfile: `FROM node:24-slim
COPY server.js /
CMD ["node", "/server.js"]
`,
      'server.js': `require('http').createServer((_, r) => r.end('hello from here')).listen(3000)
`,
    },
  },
];
