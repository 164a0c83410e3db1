/** One request stays one request: lengths, codings and line ends that two servers could read in two ways. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Outcome, openWorld, plain, statusOf, type World } from './edge-world.ts';

/** Every attempt is sent to the attacker's own site, and holds a second request, which is for the victim. */
type Row = [title: string, reaches: '400' | 'attacker' | 'nobody' | 'itself', bytes: (hidden: string) => string];

const post = (headers: string[], body: string) =>
  ['POST /carrier HTTP/1.1', 'Host: attacker.test', ...headers, '', body].join('\r\n');
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
/** Its end is where the coding says, its rest is hidden. */
const chunkedWith = (header: string) => (hidden: string) =>
  post([`Content-Length: ${5 + hidden.length}`, header], `0\r\n\r\n${hidden}`);
const lengthOf = (headers: string[]) => (hidden: string) => post(headers, hidden);
const chunked = (body: (hidden: string) => string) => (hidden: string) =>
  post(['Transfer-Encoding: chunked'], body(hidden));

/** Bytes after the head go through the tunnel. */
const tunnel = (path: string, headers: string[] = []) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: attacker.test',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
    '\r\n',
  ].join('\r\n');

const rows: Row[] = [
  // Two ways to say where the body ends.
  ['a length and a coding, the length covering both requests', 'attacker', chunkedWith('Transfer-Encoding: chunked')],
  [
    'a length and a coding, the length ending early',
    'attacker',
    (hidden) => post(['Content-Length: 4', 'Transfer-Encoding: chunked'], `${chunk(hidden)}0\r\n\r\n`),
  ],
  [
    'a coding before the length',
    'attacker',
    (hidden) => post(['Transfer-Encoding: chunked', 'Content-Length: 4'], `${chunk(hidden)}0\r\n\r\n`),
  ],
  ['two lengths', '400', (hidden) => post(['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden)],
  [
    'two lengths, the other way round',
    '400',
    (hidden) => post([`Content-Length: ${hidden.length}`, 'Content-Length: 0'], hidden),
  ],
  ['a list of lengths', '400', (hidden) => post([`Content-Length: 0, ${hidden.length}`], hidden)],
  ['a length with a sign', '400', (hidden) => post([`Content-Length: +${hidden.length}`], hidden)],
  ['a negative length', '400', lengthOf(['Content-Length: -1'])],
  ['a length in hexadecimal', '400', lengthOf(['Content-Length: 0x10'])],
  ['a length with a fraction', '400', lengthOf(['Content-Length: 1.0'])],
  ['an empty length', '400', lengthOf(['Content-Length: '])],
  ['a length beyond 64 bits', '400', lengthOf(['Content-Length: 18446744073709551617'])],
  ['a length with a space within', '400', lengthOf(['Content-Length: 1 0'])],
  ['a length with a space before its colon', '400', (hidden) => post([`Content-Length : ${hidden.length}`], hidden)],
  [
    'a length folded over two lines',
    '400',
    (hidden) => post([`Content-Length:\r\n ${hidden.length}`, 'Content-Length: 0'], hidden),
  ],
  [
    'a length spelled with an underscore',
    'attacker',
    (hidden) => post(['Content-Length: 0', `Content_Length: ${hidden.length}`, 'Connection: close'], hidden),
  ],

  // Codings that one server knows and another does not.
  ...[
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunkedx',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: gzip, chunked, gzip',
    'Transfer-Encoding: "chunked"',
    'Transfer-Encoding: cow',
    'Transfer-Encoding: ',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: cow',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding\t: chunked',
    'Transfer-Encoding\r\n : chunked',
    ' Transfer-Encoding: chunked',
    'X: x\nTransfer-Encoding: chunked',
    'X: x\rTransfer-Encoding: chunked',
    'Transfer-Encoding: \x0bchunked',
    'Transfer-Encoding: chunked\x0b',
    'Transfer-Encoding: chunked\0',
    'Transfer\0-Encoding: chunked',
    'Transfer_Encoding: chunked',
    'Transfer-Encoding: identity, chunked',
  ].map((header): Row => [`the coding ${JSON.stringify(header)}`, 'nobody', chunkedWith(header)]),

  // Chunks.
  ['a chunk that is shorter than it says', '400', chunked((hidden) => `1\r\nab\r\n0\r\n\r\n${hidden}`)],
  ['a chunk of a negative size', '400', chunked((hidden) => `-1\r\n\r\n${hidden}`)],
  ['a chunk of a size beyond 64 bits', '400', chunked((hidden) => `10000000000000000\r\n${hidden}`)],
  ['a chunk of a size in C', '400', chunked((hidden) => `0x0\r\n\r\n${hidden}`)],
  ['a chunk of no size', '400', chunked((hidden) => `\r\n\r\n${hidden}`)],
  ['a chunk with bare line feeds, which ends here', 'itself', chunked((hidden) => `0\n\n${hidden}`)],
  ['a chunk with a bare carriage return', '400', chunked((hidden) => `0\r\r\n\r\n${hidden}`)],
  [
    'a chunk with an extension and a bare line feed',
    'nobody',
    chunked((hidden) => `2;\nxx\r\n${chunk(hidden)}0\r\n\r\n`),
  ],
  ['a trailer that is a header', 'attacker', chunked(() => `0\r\nHost: victim.test\r\nContent-Length: 9\r\n\r\n`)],
  [
    'a body of chunks in HTTP/1.0',
    'nobody',
    (hidden) => chunkedWith('Transfer-Encoding: chunked')(hidden).replace('HTTP/1.1', 'HTTP/1.0'),
  ],

  // Line ends and folds.
  [
    'bare line feeds',
    'nobody',
    (hidden) => `POST /carrier HTTP/1.1\nHost: attacker.test\nContent-Length: ${hidden.length}\n\n${hidden}`,
  ],
  ['a line feed within a value', '400', lengthOf(['X: a\nb', 'Content-Length: 0'])],
  [
    'a header that is folded',
    'nobody',
    (hidden) => post([`X: a\r\n\tb`, `Content-Length: ${hidden.length}`, 'Connection: close'], hidden),
  ],
  ['a header without a colon', '400', lengthOf(['X', 'Content-Length: 0'])],
  ['a header without a name', '400', lengthOf([': x', 'Content-Length: 0'])],
  [
    'an encoded line end in the target',
    'attacker',
    (hidden) =>
      plain('attacker.test', `/carrier%20HTTP/1.1%0d%0aHost:%20victim.test%0d%0a%0d%0a${encodeURIComponent(hidden)}`),
  ],

  // Requests that are thought to have no body, and answers that do not come.
  [
    'a GET with a body',
    'attacker',
    (hidden) =>
      `GET /carrier HTTP/1.1\r\nHost: attacker.test\r\nContent-Length: ${hidden.length}\r\nConnection: close\r\n\r\n${hidden}`,
  ],
  [
    'a HEAD with a body',
    'attacker',
    (hidden) =>
      `HEAD /carrier HTTP/1.1\r\nHost: attacker.test\r\nContent-Length: ${hidden.length}\r\nConnection: close\r\n\r\n${hidden}`,
  ],
  [
    'a body that is promised for later',
    'attacker',
    (hidden) => post([`Content-Length: ${hidden.length}`, 'Expect: 100-continue', 'Connection: close'], hidden),
  ],
  ['a tunnel that the site refuses', 'itself', (hidden) => `${tunnel('/carrier')}${hidden}`],
  [
    'a tunnel that the site refuses, with a body',
    'attacker',
    (hidden) => tunnel('/carrier', [`Content-Length: ${hidden.length}`]) + hidden,
  ],
  ['a tunnel that the site grants', 'attacker', (hidden) => `${tunnel('/willing')}${hidden}`],
];

let world: World;
let outcomes: Map<string, Outcome>;
const hiddenFor = (mark: string, host = 'victim.test') =>
  `GET /secret?${mark} HTTP/1.1\r\nHost: ${host}\r\nX: ${mark}\r\n\r\n`;
const all = rows.map(([title, reaches, bytes], index) => {
  const mark = `mark-${index}`;
  // The carrier has the mark too, so that its destination can be recognized.
  const attempt = bytes(hiddenFor(mark))
    .replace('/carrier', `/carrier?${mark}`)
    .replace('/willing', `/willing?${mark}`);
  return { title, reaches, mark, bytes: attempt };
});
const controls = [
  { mark: 'behind-1', bytes: post(['Content-Length: 0'], hiddenFor('behind-1')) },
  { mark: 'behind-2', bytes: chunked((hidden) => `0\r\n\r\n${hidden}`)(hiddenFor('behind-2')) },
  { mark: 'behind-3', bytes: post(['Content-Length: 0'], hiddenFor('behind-3', 'localhost')) },
];

before(async () => {
  world = await openWorld();
  outcomes = await world.attempt([...all, ...controls]);
});
after(() => world.end());

const says = {
  '400': 'is refused with 400',
  attacker: 'is one request to one site',
  nobody: 'smuggles nothing, refused or not',
  itself: 'is two requests in the open',
};

for (const { title, reaches, mark } of all) {
  test(`${title} ${says[reaches]}`, () => {
    const { answer, reached, heads } = outcomes.get(mark)!;
    const [hidden, carriers] = [/\/secret/, /\/(?:carrier|willing)/].map((path) =>
      reached.filter((each) => path.test(each)),
    );
    // A second request that the edge itself reads as one is what any client may send: it is routed by its own host.
    assert.deepEqual(hidden, reaches === 'itself' ? [`victim /secret?${mark}`] : [], 'hidden');
    if (reaches === '400') assert.deepEqual([statusOf(answer), reached], ['400', []]);
    else if (reaches !== 'nobody') assert.equal(carriers!.length, 1, answer.slice(0, 200));
    for (const head of heads) assertPlain(head);
  });
}

test('a second request on the same connection does reach the victim, or the API, when it stands in the open', () => {
  const reachedBy = (mark: string) => outcomes.get(mark)!.reached.join();
  assert.equal(reachedBy('behind-1'), 'victim /secret?behind-1');
  assert.equal(reachedBy('behind-2'), 'victim /secret?behind-2');
  assert.equal(reachedBy('behind-3'), 'api /secret?behind-3');
});

test('a head with two lengths, a fold or two hosts would be found', () => {
  for (const header of ['content-length: 1\r\ntransfer-encoding: chunked', 'x: a\r\n b', 'x: a\nb', 'host: other'])
    assert.throws(() => assertPlain(`POST / HTTP/1.1\r\nhost: attacker.test\r\n${header}\r\n\r\n`), header);
});

/** A head that no server can read in two ways. */
function assertPlain(head: string): void {
  const names = Array.from(head.matchAll(/^([^:\r\n]+):/gm), ([, name]) => name!.toLowerCase());
  const count = (name: string) => names.filter((each) => each === name).length;
  assert.equal(count('host'), 1, head);
  assert.ok(count('content-length') + count('transfer-encoding') <= 1, head);
  assert.doesNotMatch(head, /(?<!\r)\n|\r(?!\n)|\0|\n[ \t]|^(?:content_length|transfer_encoding):/im);
  if (count('transfer-encoding')) assert.match(head, /^transfer-encoding: chunked\r$/m);
}
