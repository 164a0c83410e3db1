import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read } from '../../../test/support/compose-reading.ts';

/** `name path port` of every public service. */
function routes(services: string): string[] {
  return read(`services:\n${services.replace(/^/gm, '  ')}`).pods.flatMap(({ name, path, servicePorts }) =>
    path === undefined ? [] : [`${name} ${path} ${servicePorts[0]}`],
  );
}

describe('the published HTTP services', () => {
  test('the first one gets /, further ones /<service>', () => {
    assert.deepEqual(
      routes('web: { image: "a:1", ports: ["8080:3000"] }\napi: { image: "b:1", ports: ["4000:4000"] }'),
      ['web / 3000', 'api /api 4000'],
    );
  });
  test('the one on port 80 of the host is the way in', () => {
    const text =
      'api: { image: "b:1", ports: ["8000:8000"] }\nproxy: { image: "nginx:1", ports: ["80:8080", "443:8443"] }';
    assert.deepEqual(routes(text), ['api /api 8000', 'proxy / 8080']);
  });
  test('what a proxy in front waits for is reached through it, and published nowhere else', () => {
    const text = `
web1: { image: "a:1", ports: ["81:5000"] }
web2: { image: "a:1", ports: ["82:5000"] }
docs: { image: "b:1", ports: ["83:5000"] }
nginx: { image: "c:1", ports: ["80:80"], depends_on: [web1, web2] }`;
    assert.deepEqual(routes(text), ['docs /docs 5000', 'nginx / 80']);
    const named = text.replace('ports: ["81:5000"]', 'ports: ["81:5000"], x-berth: { path: /one }');
    assert.deepEqual(routes(named), ['web1 /one 5000', 'docs /docs 5000', 'nginx / 80']);
  });
  test('a front end that is not a proxy leaves its back end published', () => {
    const text =
      'api: { image: "a:1", ports: [4000] }\nfrontend: { image: "b:1", ports: ["80:3000"], depends_on: [api] }';
    assert.deepEqual(routes(text), ['api /api 4000', 'frontend / 3000']);
  });
  const ways: [string, string, string][] = [
    [
      'a front end comes before the back end that is written first',
      'backend: { image: "a:1", ports: ["5000:5000"] }\nfrontend: { image: "b:1", ports: ["3000:3000"] }',
      'frontend / 3000',
    ],
    [
      'a front end comes before a back end on port 80',
      'backend: { image: "a:1", ports: ["80:80"] }\nclient: { image: "b:1", ports: ["3000:3000"] }',
      'client / 3000',
    ],
    [
      'a service that depends on the other published ones comes first',
      'orders: { image: "a:1", ports: ["8000:8000"] }\nshop: { image: "b:1", ports: ["4000:4000"], depends_on: [orders] }',
      'shop / 4000',
    ],
    [
      'over several steps, too',
      'app: { image: "a:1", ports: ["8000:8000"] }\nmid: { image: "m:1", depends_on: [app] }\nnuxt: { image: "b:1", ports: [3000], depends_on: [mid] }',
      'nuxt / 3000',
    ],
    [
      'a proxy in front of a front end comes first',
      'ui: { image: "a:1", ports: [3000] }\ngate: { image: "nginx:1", ports: ["8080:80"], depends_on: [ui] }',
      'gate / 80',
    ],
    [
      'a worker that waits for the front end is not a front end',
      'worker: { image: "a:1", ports: [9000], depends_on: [web] }\nweb: { image: "b:1", ports: [3000] }',
      'web / 3000',
    ],
    [
      'a gateway comes before the services that it leads to',
      'orders: { image: "a:1", ports: [1] }\nbills: { image: "b:1", ports: [2], depends_on: [orders] }\napi-gateway: { image: "c:1", ports: [3], depends_on: [bills] }',
      'api-gateway / 3',
    ],
    [
      'a gateway comes after the page that calls it',
      'api-gateway: { image: "c:1", ports: [3] }\nweb: { image: "a:1", ports: [1], depends_on: [api-gateway] }',
      'web / 1',
    ],
    [
      'a front end for which the back end waits comes first all the same',
      'backend: { image: "a:1", ports: [1], depends_on: [frontend] }\nfrontend: { image: "b:1", ports: [2] }',
      'frontend / 2',
    ],
    [
      'the image decides if the name does not',
      'one: { image: "acme/shop-api:1", ports: [8000] }\ntwo: { image: "acme/shop-frontend:1", ports: [3000] }',
      'two / 3000',
    ],
    [
      'a monitoring tool comes after the application',
      'grafana: { image: "grafana/grafana:12.0.0", ports: [3000] }\nshop: { image: "a:1", ports: [8000] }',
      'shop / 8000',
    ],
  ];
  for (const [sentence, text, root] of ways) {
    test(sentence, () =>
      assert.deepEqual(
        routes(text).filter((route) => route.split(' ')[1] === '/'),
        [root],
      ),
    );
  }
  test('databases and brokers are not published', () => {
    const text = `
db: { image: "postgres:16", ports: ["5432:5432"] }
cache: { image: "redis:7", ports: ["6379:6379"] }
search: { image: "elasticsearch:8.17.0", ports: ["9200:9200"] }
own: { image: "acme/own-database:1", ports: ["3306:3306"] }
web: { image: "a:1", ports: [3000] }`;
    assert.deepEqual(routes(text), ['web / 3000']);
  });
  test('a data store with HTTP is published when nothing else is', () => {
    assert.deepEqual(routes('search: { image: "getmeili/meilisearch:v1", ports: ["7700:7700"] }'), ['search / 7700']);
  });
  test('tools for operators come after the application', () => {
    const text = 'adminer: { image: "adminer:5", ports: [8080] }\nweb: { image: "a:1", ports: [3000] }';
    assert.deepEqual(routes(text), ['adminer /adminer 8080', 'web / 3000']);
  });
  test('the port for HTTP is taken, not those for HTTPS, debuggers or FastCGI', () => {
    assert.deepEqual(routes('web: { image: "a:1", ports: ["443:443", "9229:9229", "80:80"] }'), ['web / 80']);
    const text = 'php: { image: "php:8.3-fpm", ports: [9000] }\nweb: { image: "nginx:1", ports: [80] }';
    assert.deepEqual(routes(text), ['web / 80']);
  });
  describe('a port that is published on the machine itself alone', () => {
    const addresses = ['127.0.0.1', '[::1]', '192.168.1.5', '${BIND:-127.0.0.1}'];
    for (const address of addresses) {
      test(`${address}: is internal where something else is public`, () => {
        const text = `services:
  site: { image: "a:1", ports: ["80:80"] }
  panel: { image: "b:1", ports: ["${address}:8080:8080"] }
  db: { image: "postgres:16", ports: ["${address}:5432:5432"], volumes: [/var/lib/postgresql/data], environment: [POSTGRES_PASSWORD=pw] }`;
        const { pods, said } = read(text);
        assert.deepEqual(
          pods.map(({ path }) => path),
          ['/', undefined, undefined],
        );
        assert.deepEqual(said, [
          'warning local-port 3: the ports 8080 of "panel", 5432 of "db" are published on the machine itself alone, and stay internal',
        ]);
      });
    }
    test('the long form has its host_ip', () => {
      const panel = '{ image: "b:1", ports: [{ target: 8080, host_ip: 127.0.0.1 }] }';
      assert.deepEqual(routes(`site: { image: "a:1", ports: [80] }\npanel: ${panel}`), ['site / 80']);
    });
    test('gets /, and says so, where nothing else is for visitors', () => {
      const { pods, said } = read('services: { web: { image: "a:1", ports: ["127.0.0.1:8000:80"] } }');
      assert.equal(pods[0]?.path, '/');
      assert.match(said.join('\n'), /^warning local-port 1: "web" .* everyone can reach it here$/);
    });
    test('never does so for a tool of operators or a data store', () => {
      const text = 'adminer: { image: "adminer:5", ports: ["127.0.0.1:8080:8080"] }';
      assert.deepEqual(routes(`${text}\nsearch: { image: "couchdb:3", ports: ["127.0.0.1:5984:5984"] }`), []);
      assert.deepEqual(routes('minio: { image: "minio/minio:1", ports: ["127.0.0.1:9000:9000"] }'), []);
    });
    test('is public when it is published openly, too', () => {
      assert.deepEqual(
        routes('a1: { image: "a:1", ports: ["127.0.0.1:1:80", "80"] }\nb2: { image: "b:1", ports: [81] }'),
        ['a1 / 80', 'b2 /b2 81'],
      );
    });
  });
  test('no port for HTTPS or of another protocol is offered instead of the one that is taken', () => {
    const hintOf = (ports: string) => read(`services: { git: { image: "a:1", ports: [${ports}] } }`).hints.join();
    assert.equal(hintOf('"80:80", "443:443"'), '');
    assert.doesNotMatch(hintOf('"80:80", "22:22", "443:443"'), /x-berth/);
    assert.match(hintOf('"80:80", "22:22", "443:443", "9000:9000"'), /x-berth: \{ port: 9000 \}/);
  });
  test('x-berth has the last word', () => {
    const text = `
web: { image: "a:1", ports: [80], x-berth: { path: /shop/ } }
admin: { image: "b:1", ports: [80, 8080], x-berth: { port: 8080 } }
secret: { image: "c:1", ports: [80], x-berth: { path: false } }
db: { image: "couchdb:3", x-berth: { path: /db } }`;
    assert.deepEqual(routes(text), ['web /shop 80', 'admin / 8080', 'db /db 5984']);
  });
  test('none at all is an error that says what to publish', () => {
    const { said } = read('services: { bot: { image: "a:1" }, db: { image: "postgres:16", ports: [5432] } }');
    assert.match(said.join('\n'), /error no-public-path 1: no service publishes an HTTP port/);
  });
  test('two with the same path are an error that names both', () => {
    const service = '{ image: "a:1", ports: [80], x-berth: { path: / } }';
    assert.match(
      read(`services: { a1: ${service}, b2: ${service} }`).said.join('\n'),
      /"a1" and "b2" have the same path/,
    );
  });
  test("an address of the author's machine in a variable is pointed out", () => {
    const { said } = read(`services:
  web: { image: "a:1", ports: ["3000:80"], environment: { API: "http://localhost:4000/v1", OWN: "http://localhost:9999" } }
  api: { image: "b:1", ports: ["4000:8080"] }
`);
    assert.ok(
      said.some((line) => line.startsWith('warning localhost-reference 2: http://localhost:4000 is')),
      said.join('\n'),
    );
    assert.equal(said.filter((line) => line.includes('localhost-reference')).length, 1);
  });
});

test('the options of a route are those of x-berth, and one without a path is a warning at its line', () => {
  const { pods, said } = read(`services:
  web: { image: "a:1", ports: [80], x-berth: { path: /api, stripPrefix: true, sticky: yes } }
  cache:
    image: me/cache:1
    expose: ["6379"]
    x-berth:
      sticky: true
`);
  assert.deepEqual(
    pods.map(({ path, stripPrefix, sticky }) => [path, stripPrefix, sticky]),
    [
      ['/api', true, true],
      [undefined, undefined, true],
    ],
  );
  assert.deepEqual(
    said.filter((line) => line.includes('option-without-path')),
    ['warning option-without-path 7: has no effect: the service has no public path'],
  );
});
