/** The rules of the native form about names, routes, ports and images: what is written, and what is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { database, podOf, podsOf, verdictOn, web } from './documents.ts';

type Row = [sentence: string, text: string, verdict: string];

const rows: Row[] = [
  ['a pod with what it needs is valid', podsOf(web), 'valid'],

  // Names.
  ['upper case in the name of the application is refused', podOf('', 'Shop'), 'error bad-name application.name'],
  ['a name of two letters is refused', podOf('', 'ab'), 'error bad-name application.name'],
  ['a name of 65 letters is refused', podOf('', 'a'.repeat(65)), 'error bad-name application.name'],
  ['a name of 64 letters is accepted', podOf('', 'a'.repeat(64)), 'valid'],
  ['dots in the name of the application are accepted', podOf('', 'shop.v2'), 'valid'],
  ['a name that ends with a hyphen is refused', podOf('', 'shop-'), 'error bad-name application.name'],
  [
    'an underscore in the name of a pod is refused',
    podsOf(web.replace('web', 'my_web')),
    'error bad-name application.pods[0].name',
  ],
  ['a pod of 63 letters is accepted', podsOf(web.replace('web', 'a'.repeat(63))), 'valid'],
  [
    'a pod of 64 letters is refused: no name in DNS is so long',
    podsOf(web.replace('web', 'a'.repeat(64))),
    'error bad-name application.pods[0].name',
  ],
  [
    'two pods of the same name are refused',
    podsOf(web, web.replace('path: /', 'path: /b')),
    'error duplicate-pod application.pods[1].name',
  ],
  [
    'a pod named like a replica of another is refused',
    podsOf(
      web,
      `${database}\nresourceType: statefulset\nreplicas: 2`,
      database.replace('db', 'db-1').replace('name: data', 'name: own'),
    ),
    'error ambiguous-name application.pods[1].name',
  ],

  // Routes and ports.
  [
    'two pods with the same path are refused',
    podsOf(web, web.replace('web', 'api')),
    'error duplicate-path application.pods[1].path',
  ],
  [
    'a slash at the end makes no other path',
    podsOf(web.replace('path: /', 'path: /a'), web.replace('web', 'api').replace('path: /', 'path: /a/')),
    'error duplicate-path application.pods[1].path',
  ],
  ['no public path is refused', podsOf(database), 'error no-public-path application.pods'],
  ['jobs alone need no public path', podsOf('name: seed\nimage: busybox:1\nresourceType: job'), 'valid'],
  [
    'a path without its slash is read with it',
    podsOf(web.replace('path: /', 'path: api')),
    'warning lenient-value application.pods[0].path',
  ],
  [
    'a path with a star is refused',
    podsOf(web.replace('path: /', 'path: /api/*')),
    'error bad-value application.pods[0].path',
  ],
  [
    'a path with a question mark is refused',
    podsOf(web.replace('path: /', 'path: /a?b')),
    'error bad-value application.pods[0].path',
  ],
  [
    'a public path without any port is refused',
    podsOf('name: web\nimage: me/app:1\npath: /'),
    'error path-without-port application.pods[0].path',
  ],
  [
    'the port of a public pod is taken from PORT',
    podsOf('name: web\nimage: me/app:1\npath: /\nvars: { PORT: 3000 }'),
    'warning inferred-port application.pods[0]',
  ],
  [
    'the port of a public pod is taken from a well-known image',
    podsOf('name: web\nimage: nginx:1\npath: /'),
    'warning inferred-port application.pods[0]',
  ],
  [
    'a pod without ports is a worker',
    podsOf(web, 'name: worker\nimage: me/app:1'),
    'warning no-ports application.pods[1]',
  ],
  [
    'ports as texts are accepted',
    podOf('').replace('[80]', '["80"]'),
    'warning lenient-value application.pods[0].servicePorts[0]',
  ],
  [
    'a port alone, without brackets, is accepted',
    podOf('').replace('[80]', '80'),
    'warning lenient-value application.pods[0].servicePorts',
  ],
  [
    'of a pair of ports that of the container counts',
    podOf('').replace('[80]', '["8080:80"]'),
    'warning lenient-value application.pods[0].servicePorts[0]',
  ],
  [
    'a port above 65535 is refused',
    podOf('').replace('[80]', '[70000]'),
    'error bad-value application.pods[0].servicePorts[0]',
  ],
  [
    'ports as Kubernetes has them are refused',
    podOf('').replace('[80]', '[{ containerPort: 80 }]'),
    'error wrong-type application.pods[0].servicePorts[0]',
  ],
  [
    'a port twice is a warning',
    podOf('').replace('[80]', '[80, 80]'),
    'warning duplicate-port application.pods[0].servicePorts[1]',
  ],
  [
    'a database with a public path is a warning',
    podsOf(web, `${database}\npath: /db`),
    'warning database-with-path application.pods[1].path',
  ],
  [
    'a job with a path is a warning',
    podsOf(web, 'name: seed\nimage: busybox:1\nresourceType: job\npath: /seed'),
    'warning path-on-job application.pods[1].path',
  ],
  [
    'a subdomain without the domain is refused',
    podOf('subdomain: admin'),
    'error subdomain-without-url application.pods[0].subdomain',
  ],
  [
    'a custom domain says when it takes effect',
    podOf('').replace('  pods', '  url: shop.example.com\n  pods'),
    'warning custom-domain application.url',
  ],
  [
    'a subdomain needs a proof of its name, and one without a path is unreachable',
    podsOf(
      web,
      `${web.replace('name: web', 'name: admin')}\nsubdomain: admin`,
      'name: jobs\nimage: busybox:1\nsubdomain: jobs',
    ).replace('  pods', '  url: shop.example.com\n  pods'),
    'warning custom-domain application.url\nwarning custom-domain application.pods[1].subdomain\nwarning no-ports application.pods[2]\nwarning custom-domain application.pods[2].subdomain',
  ],
  [
    'a custom domain with https:// is read without',
    podOf('').replace('  pods', '  url: https://shop.example.com/\n  pods'),
    'warning lenient-value application.url\nwarning custom-domain application.url',
  ],
  [
    'an invalid domain is ignored',
    podOf('').replace('  pods', '  url: my shop\n  pods'),
    'warning bad-domain application.url',
  ],

  // Images.
  [
    'an image in words is a placeholder',
    podOf('').replace('nginx:1', '"# filled by pipeline"'),
    'error image-placeholder application.pods[0].image',
  ],
  [
    'an image behind a comment sign is a placeholder',
    podOf('').replace('nginx:1', '# filled by pipeline'),
    'error image-placeholder application.pods[0].image',
  ],
  [
    'an image in angle brackets is a placeholder',
    podOf('').replace('nginx:1', '<your-image>:1'),
    'error image-placeholder application.pods[0].image',
  ],
  [
    'an image with a variable of a pipeline is a placeholder',
    podOf('').replace('nginx:1', '"ghcr.io/me/app:${{ github.sha }}"'),
    'error image-placeholder application.pods[0].image',
  ],
  ['an image in double braces is a placeholder', podOf('').replace('nginx:1', '{{ image }}'), 'error unparsable'],
  [
    'an image without a tag is refused',
    podOf('').replace('nginx:1', 'nginx'),
    'error image-without-tag application.pods[0].image',
  ],
  ['a digest is as good as a tag', podOf('').replace('nginx:1', `nginx@sha256:${'a'.repeat(64)}`), 'valid'],
  [
    "a registry's port is not a tag",
    podOf('').replace('nginx:1', 'registry.example.com:5000/app'),
    'error image-without-tag application.pods[0].image',
  ],
  [
    'upper case in an image is read as lower case',
    podOf('').replace('nginx:1', 'ghcr.io/Me/App:V1'),
    'warning image-case application.pods[0].image',
  ],
  [
    'latest is a warning',
    podOf('').replace('nginx:1', 'nginx:latest'),
    'warning latest-image application.pods[0].image',
  ],
  [
    'a missing image is refused',
    podsOf('name: web\npath: /\nservicePorts: [80]'),
    'error missing-field application.pods[0].image',
  ],
  [
    'an address is not an image',
    podOf('').replace('nginx:1', 'https://ghcr.io/me/app:1'),
    'error bad-image application.pods[0].image',
  ],
  [
    'the registry scriptlet without a login is a warning',
    podOf('').replace('nginx:1', '<% REGISTRY %>/me/my-app:1'),
    'warning registry-without-login application.pods[0].image',
  ],
  [
    'a login that no image needs is a warning',
    podOf('').replace('  pods', '  registryLogin: { registry: ghcr.io, username: me, personalAccessToken: t }\n  pods'),
    'warning unused-login application.registryLogin.registry',
  ],
  [
    'a login without its token is refused',
    podOf('').replace('  pods', '  registryLogin: { registry: docker.io, username: me }\n  pods'),
    'error missing-field application.registryLogin.personalAccessToken',
  ],
];

for (const [sentence, text, verdict] of rows) {
  test(sentence, () => assert.equal(verdictOn(text), verdict));
}
