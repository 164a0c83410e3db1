/** Mistakes as people and language models make them. */
import type { Realistic } from './realistic-document.ts';

const bad = (title: string, expect: string[], text: string): Realistic => ({ title, text, expect });

export const mistakes: Realistic[] = [
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
