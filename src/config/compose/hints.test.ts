/** Users follow hints, so a hint must be correct for the author of the file. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read } from '../../../test/support/compose-reading.ts';

function hintsOf(services: string): string[] {
  return read(`services:\n${services.replace(/^/gm, '  ')}`).hints;
}

const bindHint = (bind: string, service = 'web') =>
  hintsOf(`${service}: { image: "a:1", ports: [80], volumes: ["${bind}"] }`).join('\n');

describe('instead of a mount of the host', () => {
  test('each folder of data gets a volume of its own', () => {
    const hints = hintsOf(`db: { image: "postgres:17", volumes: ["./pg:/var/lib/postgresql/data"] }
chat: { image: "a:1", ports: [80], volumes: ["/srv/synapse:/data", "/srv/synapse-media:/media"] }
proxy: { image: "b:1", volumes: ["/srv/caddy:/data"] }`);
    const named = hints.flatMap((hint) => /name a volume: (\S+),/.exec(hint)?.[1] ?? []);
    assert.deepEqual(named, [
      'db-data:/var/lib/postgresql/data',
      'chat-data:/data',
      'chat-media:/media',
      'proxy-data:/data',
    ]);
  });
  test('one that two services mount is one volume, and one of a name that is there is another', () => {
    const { hints } = read(`services:
  web: { image: "a:1", ports: [80], volumes: ["/srv/files:/files", "web-media:/own"] }
  job: { image: "b:1", volumes: ["/srv/files/:/in", "/srv/m:/media"] }
  web2: { image: "b:1", volumes: ["/srv/n:/media"] }
volumes: { web-media: , job-media: }`);
    const named = hints.flatMap((hint) => /name a volume: (\S+),/.exec(hint)?.[1] ?? []);
    assert.deepEqual(named, ['web-files:/files', 'web-files:/in', 'job-media-2:/media', 'web2-media:/media']);
  });
  test('what the hint says is accepted', () => {
    const hint = bindHint('/srv/x:/var/lib/x');
    const [, mount, top] = /name a volume: (\S+), with volumes: (\{.*?\}) at the top/.exec(hint) ?? [];
    const { said } = read(`services: { web: { image: "a:1", ports: [80], volumes: ["${mount}"] } }\nvolumes: ${top}`);
    assert.deepEqual(said, []);
  });
  const kinds: [string, RegExp][] = [
    [
      './nginx.conf:/etc/nginx/nginx.conf',
      /configs: \{ nginx-conf: \{ content: … \} \}.*target: \/etc\/nginx\/nginx.conf/,
    ],
    ['./Caddyfile:/etc/caddy/Caddyfile', /configs: \{ caddyfile: \{ content/],
    ['./init.sql:/docker-entrypoint-initdb.d/', /target: \/docker-entrypoint-initdb.d\/init.sql/],
    [
      './nginx/conf.d:/etc/nginx/conf.d',
      /put its files into the document, each as a config.*\/etc\/nginx\/conf.d\/FILE/,
    ],
    ['./initdb.d:/docker-entrypoint-initdb.d', /each as a config/],
    [
      './app.db:/app/app.db',
      /a file that is written belongs on a volume: name one for a folder of its own, web-data:\/data/,
    ],
    ['./db.sqlite3:/app/db.sqlite3', /a file that is written/],
    ['./logo.png:/usr/share/nginx/html/logo.png', /only texts can be in the document/],
    ['/proc:/host/proc:ro', /^remove it: a service cannot access the host/],
    ['/:/rootfs:ro', /^remove it: a service cannot/],
    ['/etc/letsencrypt:/etc/letsencrypt', /^remove it: visitors have HTTPS without it/],
    ['./src:/app', /^put the files into the image/],
    ['./frontend:/usr/src/app', /^put the files into the image/],
    ['./postgres-data:/var/lib/postgresql/data', /^for data, name a volume: web-data:/],
  ];
  for (const [bind, expected] of kinds) test(bind, () => assert.match(bindHint(bind), expected));
});

describe('of an image', () => {
  test('without a tag, the version that is offered exists', () => {
    const { said, hints } = read('services: { web: { image: nginx, ports: [80] }, api: { image: acme/api } }');
    assert.deepEqual(said, [
      'warning image-without-tag 1: the images "nginx", "acme/api" have no tag, and mean latest',
    ]);
    assert.deepEqual(hints, ['say which version, for example nginx:1.29']);
    const { hints: own } = read('services: { web: { image: acme/api, ports: [80] } }');
    assert.deepEqual(own, ['name the version that you run, as acme/api:VERSION']);
    const { hints: store } = read(
      'services: { web: { image: "a:1", ports: [80] }, db: { image: mysql, volumes: [/var/lib/mysql], environment: [MYSQL_ROOT_PASSWORD=p] } }',
    );
    assert.deepEqual(store, ['say which version, for example mysql:8.4; the next one may not read its data']);
  });
  test('that is built under a name of Docker Hub, another name is required', () => {
    const { hints } = read('services: { web: { image: "django:1", build: ., ports: [80] } }');
    assert.match(hints.join(), /push yours under a name of your own, such as ghcr.io\/OWNER\/django:1/);
    const { hints: own } = read('services: { web: { image: "me/django:1", build: ., ports: [80] } }');
    assert.deepEqual(own, ['push "me/django:1" first']);
  });
});

test('nothing of the native form is offered', () => {
  const { said } = read(`services:
  web: { image: "a:1", ports: [80], volumes: [/app/node_modules] }
  api: { image: "b:1", volumes: [/app/node_modules] }`);
  assert.deepEqual(said, []);
  const { hints } = read(`services:
  db: { image: "postgres:17", volumes: [/var/lib/postgresql/data], deploy: { replicas: 2 }, environment: [POSTGRES_PASSWORD=p] }
  web: { image: "a:1", ports: [80] }`);
  assert.deepEqual(hints, [
    'write x-berth: { resourceType: statefulset }: each replica then has its own, or one replica',
  ]);
});

describe('what a rule of both forms offers', () => {
  test('for a database without a volume is accepted when it is written', () => {
    const before =
      'services:\n  web: { image: "a:1", ports: [80] }\n  db: { image: "mysql:8.4", environment: [MYSQL_ROOT_PASSWORD=p]VOLUMES }\n';
    const { said, hints } = read(before.replace('VOLUMES', ''));
    assert.deepEqual(said, ['warning database-without-volume 3: mysql has no volume: an update deletes its data']);
    const [, volumes, top] = /^add (volumes: \[.*?\]), with (volumes: \{.*?\}) at the top$/.exec(hints[0]!) ?? [];
    assert.deepEqual(read(`${before.replace('VOLUMES', `, ${volumes}`)}${top}`).said, []);
  });
  test('for a database whose mount is refused is said once', () => {
    const { codes } = read(`services:
  web: { image: "a:1", ports: [80] }
  db: { image: "mysql:8.4", volumes: ["./mysql:/var/lib/mysql"], environment: [MYSQL_ROOT_PASSWORD=p] }`);
    assert.deepEqual(codes, ['bind-mount 3']);
  });
  test('for a value that an anchor repeats is said once', () => {
    const { codes } = read(`services:
  web: { image: "a:1", ports: [80], environment: &env { REDIS_HOST: localhost } }
  job: { image: "b:1", environment: *env }`);
    assert.deepEqual(codes, ['localhost-reference 2']);
  });
  test('for a tool that everyone can reach is accepted when it is written', () => {
    const text = (more: string) =>
      `services:\n  web: { image: "a:1", ports: [80] }\n  minio: { image: "minio/minio:1", ports: [9001]${more} }\n`;
    const { said, hints } = read(text(''));
    assert.match(
      said.join('\n'),
      /public-admin-tool 3: everyone can reach MinIO at \/minio, which has its default password/,
    );
    assert.match(
      hints.join('\n'),
      /write MINIO_ROOT_PASSWORD: <% SECRET MINIO_ROOT_PASSWORD %> under environment:, or write x-berth: \{ path: false \}/,
    );
    const own = text(', environment: { MINIO_ROOT_PASSWORD: <% SECRET MINIO_ROOT_PASSWORD %> }');
    for (const mended of [own, text(', x-berth: { path: false }')]) {
      assert.doesNotMatch(read(mended).said.join('\n'), /public-admin-tool/);
    }
  });
  test('names the other service as Compose does', () => {
    const { hints } = read(`services:
  web: { image: "a:1", ports: [80], environment: { DATABASE_URL: "postgres://u:p@localhost/x" } }
  store: { image: "postgres:17", volumes: [/var/lib/postgresql/data], environment: [POSTGRES_PASSWORD=p] }`);
    assert.deepEqual(hints, ['write store']);
  });
});

describe('one notice of a kind is enough', () => {
  test('for all ignored keys', () => {
    const { said, hints } = read(`services:
  web: { image: "a:1", ports: [80], logging: { driver: none }, cap_add: [NET_ADMIN], deploy: { placement: {} } }
  api: { image: "b:1", logging: { driver: none }, dns: 1.1.1.1 }`);
    assert.deepEqual(said, [
      'warning ignored 2: "logging", "cap_add: NET_ADMIN", "deploy.placement", "dns" are ignored',
    ]);
    assert.match(hints[0]!, /^logging: the last lines .*; cap_add: NET_ADMIN: most images .*; dns: names are resolved/);
  });
  test('for names that are changed, volumes that are not declared, and ports that are not of TCP', () => {
    const { said } = read(`services:
  web_1: { image: "a:1", ports: [80, "53:53/udp", "67:67/udp"], volumes: ["a:/a", "b:/b"] }
  api_1: { image: "b:1", volumes: ["c:/c"] }`);
    assert.deepEqual(said, [
      'warning renamed-service 2: "web_1" is called "web-1" here, "api_1" is called "api-1" here',
      'warning not-tcp 2: the ports 53/udp, 67/udp are not reachable from outside',
      'warning undeclared-volume 2: the volumes a, b, c are not in the top-level "volumes"',
    ]);
  });
  test('for addresses of the author, also where an anchor repeats them', () => {
    const { said, hints } = read(`services:
  web:
    image: a:1
    ports: ["3000:3000"]
    environment: &env
      APP_URL: http://localhost:3000
      FILES_URL: http://localhost:9000/files
  worker: { image: "b:1", environment: { <<: *env } }
  files: { image: "c:1", ports: ["9000:80"] }`);
    assert.deepEqual(
      said.filter((line) => line.includes('localhost')),
      [
        'warning localhost-reference 6: http://localhost:3000 is the address of "web", http://localhost:9000 is the address of "files" where Compose runs, and not here',
      ],
    );
    assert.ok(hints.includes('write <% URL %> for http://localhost:3000, <% URL %>/files for http://localhost:9000'));
  });
});
