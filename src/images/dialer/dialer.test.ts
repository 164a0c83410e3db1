import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { type CountingServer, listenAndCount } from '../../../test/support/counting-server.ts';
import { readAtPace, readWhole } from './bounded-body.ts';
import { DialFault, type DialFaultKind } from './dial-fault.ts';
import { type Answer, createDialer, type DialerOptions, type DialRequest } from './dialer.ts';

/** These dialers treat 127.0.0.1 as a public address, and all other addresses as private. */
describe('the dialer', () => {
  let inside: CountingServer;
  let outside: CountingServer;
  let other: CountingServer;
  const routes: Record<string, RequestListener> = {};

  before(async () => {
    const pair = await makeCertificate(
      'DNS:outside.example',
      'DNS:other.example',
      'DNS:inside.example',
      'IP:127.0.0.1',
    );
    setDefaultCACertificates([...getCACertificates(), pair.cert]);
    const serve: RequestListener = (request, response) => {
      const route = routes[new URL(request.url!, 'https://x').pathname];
      return route ? route(request, response) : void response.end('hello');
    };
    [inside, outside, other] = await Promise.all([
      listenAndCount(createServer(pair, serve), '127.0.0.2'),
      listenAndCount(createServer(pair, serve), '127.0.0.1'),
      listenAndCount(createServer(pair, serve), '127.0.0.1'),
    ]);
  });
  after(async () => {
    for (const each of [inside, outside, other]) await each?.close();
  });

  const names: Record<string, string[]> = {
    'outside.example': ['127.0.0.1'],
    'other.example': ['127.0.0.1'],
    'inside.example': ['127.0.0.2'],
    'both.example': ['127.0.0.1', '127.0.0.2'],
    'wrong.example': ['127.0.0.1'],
    'mapped.example': ['::ffff:127.0.0.2'],
    'nothing.example': [],
  };
  const resolve = async (name: string) => names[name] ?? [];
  const isAllowed = (address: string) => address === '127.0.0.1';

  async function ask(url: string, more: Partial<DialRequest> = {}, options: DialerOptions = {}): Promise<Answer> {
    using dialer = createDialer({ resolve, isAllowed, ...options });
    const asking = { method: 'GET', mayUseListed: false, signal: AbortSignal.timeout(60_000), ...more } as const;
    const answer = await dialer.request(new URL(url), asking);
    // The connections end with the dialer.
    const text = await readWhole(answer.body, 1_000_000, answer.url.host);
    return { ...answer, text } as Answer & { text: Buffer };
  }
  const refused = (kind: DialFaultKind) => (error: unknown) => {
    assert.ok(error instanceof DialFault, String(error));
    assert.equal(error.kind, kind, String(error.cause));
    return true;
  };
  const at = ({ port }: CountingServer, name: string, path = '/') => `https://${name}:${port}${path}`;

  test('a public address is requested, by name and by number, with a certificate that is valid for it', async () => {
    assert.equal((await ask(at(outside, 'outside.example'))).status, 200);
    assert.equal((await ask(at(outside, '127.0.0.1'))).status, 200);
    await assert.rejects(ask(at(outside, 'wrong.example')), refused('unreachable'));
  });

  test('no name or form of an address reaches a non-public one', async () => {
    const before = inside.connections();
    const forms = [
      'inside.example',
      'both.example',
      'mapped.example',
      '127.0.0.2',
      '0x7f000002',
      '2130706434',
      '127.2',
    ];
    for (const name of [...forms, '[::ffff:7f00:2]', '[::ffff:127.0.0.2]', '[::1]'])
      await assert.rejects(ask(at(inside, name)), refused('private-address'), name);
    assert.equal(inside.connections(), before);
  });

  test('without more words, loopback, private networks and the metadata of clouds are not public', async () => {
    for (const host of ['127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254', '[fd00:ec2::254]'])
      await assert.rejects(
        async () => {
          using dialer = createDialer();
          const asking = { method: 'GET', mayUseListed: false, signal: AbortSignal.timeout(60_000) } as const;
          await dialer.request(new URL(`https://${host}:${outside.port}/`), asking);
        },
        refused('private-address'),
        host,
      );
  });

  test('a name that answers differently the next time leads to what was judged, or nowhere', async () => {
    const before = inside.connections();
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']];
    let requested = 0;
    const changing = { resolve: async () => answers[requested++ % answers.length]! };
    assert.equal((await ask(at(outside, 'outside.example'), {}, changing)).status, 200);
    assert.equal(requested, 1, 'each request resolves its name once');
    await assert.rejects(ask(at(inside, 'outside.example'), {}, changing), refused('private-address'));
    assert.equal(inside.connections(), before);
  });

  test('a redirect goes through the same door, and takes credentials to no other host', async () => {
    const seen: (string | undefined)[] = [];
    routes['/away'] = (_, response) =>
      void response.writeHead(307, { location: at(other, 'other.example', '/seen') }).end();
    routes['/within'] = (_, response) => void response.writeHead(302, { location: '/seen' }).end();
    routes['/inside'] = (_, response) => void response.writeHead(301, { location: at(inside, 'inside.example') }).end();
    routes['/plain'] = (_, response) => void response.writeHead(301, { location: 'http://outside.example/' }).end();
    routes['/file'] = (_, response) => void response.writeHead(301, { location: 'file:///etc/passwd' }).end();
    routes['/round'] = (_, response) => void response.writeHead(301, { location: '/round' }).end();
    routes['/seen'] = (request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    };
    const authorization = 'Bearer secret';
    const before = inside.connections();
    await ask(at(outside, 'outside.example', '/away'), { authorization });
    await ask(at(outside, 'outside.example', '/within'), { authorization });
    assert.deepEqual(seen, [undefined, authorization]);
    const redirected = (path: string) => ask(at(outside, 'outside.example', path), { authorization });
    await assert.rejects(redirected('/inside'), refused('private-address'));
    await assert.rejects(redirected('/plain'), refused('not-https'));
    await assert.rejects(redirected('/file'), refused('not-https'));
    await assert.rejects(redirected('/round'), refused('too-many-redirects'));
    assert.equal(inside.connections(), before);
  });

  test('without HTTPS, or with a login in the address, nothing is requested', async () => {
    await assert.rejects(ask(`http://127.0.0.1:${outside.port}/`), refused('not-https'));
    await assert.rejects(ask(`https://me:secret@127.0.0.1:${outside.port}/`), refused('not-https'));
  });

  test('a host on the operator’s list may be anywhere and without HTTPS, for requests that began at such a host', async () => {
    const plain = await listenAndCount(
      createPlainServer((_, response) => response.end('listed')),
      '127.0.0.2',
    );
    const listed = new Map([[`127.0.0.2:${plain.port}`, { plainHttp: true }]]);
    const url = `http://127.0.0.2:${plain.port}/`;
    routes['/listed'] = (_, response) => void response.writeHead(307, { location: url }).end();
    assert.equal((await ask(url, { mayUseListed: true }, { listed })).status, 200);
    await assert.rejects(ask(url, {}, { listed }), refused('not-https'));
    await assert.rejects(ask(at(outside, 'outside.example', '/listed'), {}, { listed }), refused('not-https'));
    await assert.rejects(ask(at(inside, '127.0.0.2'), { mayUseListed: true }, { listed }), refused('private-address'));
    assert.equal(plain.connections(), 1);
    await plain.close();
  });

  test('proxies of the environment are not used', async () => {
    const proxy = await listenAndCount(
      createPlainServer((_, response) => response.end()),
      '127.0.0.1',
    );
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])
      process.env[name] = `http://127.0.0.1:${proxy.port}`;
    assert.equal((await ask(at(outside, 'outside.example'))).status, 200);
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) delete process.env[name];
    assert.equal(proxy.connections(), 0);
    await proxy.close();
  });

  test('who has no address, no answer, or too long a one, is a fault', async () => {
    routes['/silent'] = () => {};
    routes['/long'] = (_, response) => void response.end(Buffer.alloc(1_000_001));
    await assert.rejects(ask(at(outside, 'nothing.example')), refused('unknown-name'));
    await assert.rejects(ask(at(outside, 'outside.example', '/silent'), {}, { answerMs: 50 }), refused('too-slow'));
    await assert.rejects(ask(at(outside, 'outside.example', '/long')), refused('too-long'));
    const reason = new Error('it is no longer needed');
    const giveUp = new AbortController();
    routes['/waiting'] = () => giveUp.abort(reason);
    await assert.rejects(ask(at(outside, 'outside.example', '/waiting'), { signal: giveUp.signal }), reason);
  });

  test('a body that comes too slowly is aborted, even after a large part came at once', async () => {
    routes['/drip'] = (_, response) => {
      response.write(Buffer.alloc(100_000));
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    };
    using dialer = createDialer({ resolve, isAllowed });
    const asking = { method: 'GET', mayUseListed: false, signal: AbortSignal.timeout(60_000) } as const;
    const { body } = await dialer.request(new URL(at(outside, 'outside.example', '/drip')), asking);
    const pace = { patienceMs: 300, minBytesPerSecond: 10_000 };
    await assert.rejects(Array.fromAsync(readAtPace(body as IncomingMessage, 'x', pace)), refused('too-slow'));
  });
});
