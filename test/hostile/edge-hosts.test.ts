/** A request for one host never reaches another one, nor the API: names, targets and headers that could mean two. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Outcome, openWorld, plain, statusOf, type World } from './edge-world.ts';

/** `reaches` what it may: a refusal's status, or the attacker's own site. The mark is part of every path. */
type Row = [title: string, reaches: '400' | '404' | '405' | 'attacker', bytes: (mark: string) => string];

const get =
  (host: string, headers: string[] = []) =>
  (mark: string) =>
    plain(host, `/${mark}`, headers);
const lines = (...all: string[]) => [...all, '', ''].join('\r\n');

const rows: Row[] = [
  // Two hosts in one request.
  ['two Host headers', '400', get('attacker.test', ['Host: victim.test'])],
  ['two Host headers, the other way round', '400', get('victim.test', ['Host: attacker.test'])],
  ['two Host headers in different case', '400', get('attacker.test', ['hOST: victim.test'])],
  ['a Host header and one with a space before its colon', '400', get('attacker.test', ['Host : victim.test'])],
  ['a list of hosts', '400', get('attacker.test, victim.test')],
  ['two hosts and a space', '400', get('attacker.test victim.test')],
  ['two hosts and a tab', '400', get('attacker.test\tvictim.test')],
  ['a user before the host', '400', get('attacker.test@victim.test')],
  ['a user and a port before the host', '400', get('attacker.test:80@victim.test')],
  ['a user before the host of the API', '400', get('attacker.test@localhost')],
  ['a path behind the host', '400', get('victim.test/attacker.test')],
  ['a query behind the host', '400', get('victim.test?.attacker.test')],
  ['a fragment behind the host', '400', get('victim.test#.attacker.test')],
  ['a backslash behind the host', '400', get('victim.test\\.attacker.test')],
  ['a semicolon behind the host', '400', get('victim.test;attacker.test')],
  ['a NUL within the host', '400', get('victim.test\0.attacker.test')],
  ['a bare carriage return within the host', '400', get('victim.test\r.attacker.test')],
  ['a host folded over two lines', '400', get('attacker.test\r\n victim.test')],
  ['an invalid port', '400', get('victim.test:80.attacker.test')],
  ['two ports', '400', get('victim.test:80:80')],

  // Spellings of a host that a parser may read as another host.
  ['a percent-encoded host', '400', get('victim%2etest')],
  ['two trailing dots', '400', get('victim.test..')],
  ['a leading dot', '400', get('.victim.test')],
  ['letters that lower-case to others (Kelvin sign)', '400', get(Buffer.from('\u212Aocalhost').toString('latin1'))],
  ['full-width letters', '400', get(Buffer.from('ｖictim.test').toString('latin1'))],
  ['a soft hyphen', '400', get('vic\u00ADtim.test')],
  ['an IPv6 address with a zone', '400', get('[::1%25lo]')],
  ['an IPv6 address with a name behind it', '400', get('[::1]victim.test')],
  ['an IPv6 spelling of the address of the API', '404', get('[0:0:0:0:0:0:0:1]')],
  ['a number that is the address of the machine', '404', get('2130706433')],
  ['a host below that of the API', '404', get('x.localhost')],
  ['a host that ends like the victim', '404', get('xvictim.test')],
  ['a host below the victim', '404', get('x.victim.test')],
  ['an empty host', '400', get('')],
  ['no host at all', '400', (mark) => lines(`GET /${mark} HTTP/1.1`, 'Connection: close')],
  ['no host, in HTTP/1.0', '400', (mark) => lines(`GET /${mark} HTTP/1.0`)],

  // The target says another host than the header.
  ['an absolute target', '400', (mark) => plain('attacker.test', `http://victim.test/${mark}`)],
  ['an absolute target for the API', '400', (mark) => plain('attacker.test', `http://localhost/${mark}`)],
  [
    'an absolute target with a user',
    '400',
    (mark) => plain('attacker.test', `http://attacker.test@victim.test/${mark}`),
  ],
  ['an absolute target of another scheme', '400', (mark) => plain('attacker.test', `ftp://victim.test/${mark}`)],
  ['a target without its scheme', 'attacker', (mark) => plain('attacker.test', `//victim.test/${mark}`)],
  ['a target with three slashes', 'attacker', (mark) => plain('attacker.test', `///victim.test/${mark}`)],
  ['a target that is a host', '400', (mark) => plain('attacker.test', `victim.test/${mark}`)],
  ['a target that begins with an at sign', '400', (mark) => plain('attacker.test', `@victim.test/${mark}`)],
  [
    'CONNECT to the victim',
    '405',
    (mark) => lines('CONNECT victim.test:80 HTTP/1.1', 'Host: victim.test:80', `X: ${mark}`, 'Connection: close'),
  ],
  [
    'CONNECT to a port of this machine',
    '405',
    (mark) => lines('CONNECT 127.0.0.1:22 HTTP/1.1', 'Host: 127.0.0.1:22', `X: ${mark}`, 'Connection: close'),
  ],

  // Headers that some servers believe.
  ...[
    'X-Forwarded-Host: victim.test',
    'X_Forwarded_Host: victim.test',
    'X-Forwarded-Server: victim.test',
    'Forwarded: host=victim.test',
    'X-Host: victim.test',
    'X-Original-Host: victim.test',
    'X-Original-URL: /admin',
    'X-Rewrite-URL: http://victim.test/',
    'X-HTTP-Host-Override: victim.test',
    'X-Berth-Host: localhost',
    ':authority: victim.test',
    'Connection: Host',
  ].map(
    (header): Row => [
      `the header ${header}`,
      header.startsWith(':') ? '400' : 'attacker',
      get('attacker.test', [header]),
    ],
  ),

  // Other protocols.
  ['HTTP/0.9', '400', (mark) => `GET /${mark}\r\n\r\n`],
  ['the preface of HTTP/2', '400', (mark) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${plain('victim.test', `/${mark}`)}`],
  [
    'an upgrade to HTTP/2',
    'attacker',
    (mark) =>
      lines(
        `GET /${mark} HTTP/1.1`,
        'Host: attacker.test',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
        'Connection: close',
      ),
  ],
  ['an invalid version', '400', (mark) => `GET /${mark} HTTP/1.1 HTTP/1.1\r\nHost: victim.test\r\n\r\n`],
  ['a PROXY line', '400', (mark) => `PROXY TCP4 192.0.2.1 127.0.0.1 1 80\r\n${plain('victim.test', `/${mark}`)}`],
  [
    'a space before the first header',
    '400',
    (mark) => `GET /${mark} HTTP/1.1\r\n Host: victim.test\r\nHost: attacker.test\r\n\r\n`,
  ],
];

/** Hosts that are the victim's or the API's own: what reaches them shows that the others could have. */
const controls: [title: string, reaches: string, bytes: (mark: string) => string][] = [
  ['the host of the victim', 'victim', get('victim.test')],
  ['its host twice', 'victim', get('victim.test', ['Host: victim.test'])],
  ['its host with a port', 'victim', get('victim.test:8080')],
  ['its host in upper case', 'victim', get('VICTIM.Test')],
  ['its host with a dot at the end', 'victim', get('victim.test.')],
  ['its host in an absolute target too', 'victim', (mark) => plain('victim.test', `http://victim.test/${mark}`)],
  ['the host of the API', 'api', get('localhost')],
  ['the host of the API as an address', 'api', get('[::1]:8080')],
];

let world: World;
let outcomes: Map<string, Outcome>;
const all = [...rows, ...controls].map(([title, reaches, bytes], index) => {
  const mark = `mark-${index}`;
  return { title, reaches, mark, bytes: bytes(mark) };
});

before(async () => {
  world = await openWorld();
  outcomes = await world.attempt(all);
});
after(() => world.end());

for (const { title, reaches, mark } of all) {
  const isRefused = /^\d+$/.test(reaches);
  test(`${title}: ${isRefused ? `refused with ${reaches}` : `reaches the ${reaches} alone`}`, () => {
    const { answer, reached } = outcomes.get(mark)!;
    const owners = reached.map((line) => line.split(' ')[0]);
    assert.deepEqual(owners, isRefused ? [] : [reaches], answer.slice(0, 200));
    if (isRefused) assert.equal(statusOf(answer), reaches);
  });
}
