/** A real mail server of the test's own, on a port of this machine, which keeps what it is sent. */
import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { until } from '../scenarios/berth.ts';

export type Mail = { from: string; to: string[]; text: string };

/** `login`: the server only accepts clients that send it. */
export async function startMailServer(login?: { user: string; password: string }) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _, done) {
      const isKnown = username === login?.user && password === login?.password;
      done(isKnown ? null : new Error('Invalid login'), { user: username });
    },
    async onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: decode(Buffer.concat(chunks)) });
      done();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as { port: number };
  return {
    url: new URL(`smtp://${login ? `${login.user}:${login.password}@` : ''}127.0.0.1:${port}`),
    mails,
    /** The link in the next mail to an address, which is then taken out. */
    async linkTo(address: string): Promise<URL> {
      const mail = await until(`a mail to ${address}`, async () => mails.find(({ to }) => to.includes(address)));
      mails.splice(mails.indexOf(mail), 1);
      return new URL(/https?:\/\/\S+/.exec(mail.text)![0]);
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable, as far as our mails need it. */
function decode(message: Buffer): string {
  const [head = '', ...rest] = message.toString().split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (!/content-transfer-encoding: quoted-printable/i.test(head)) return `${head}\n\n${body}`;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  return `${head}\n\n${bytes}`;
}
