/**
 * PURE. The server's side of a push in Git's protocol: what it advertises, the commands of the client, and the answer.
 * https://git-scm.com/docs/gitprotocol-pack. No history is kept here, so each push sends all objects of its commit.
 */
import { flush, PacketError, packet, readLeadingPackets } from './pkt-lines.ts';

/** `hash`: undefined for a ref to remove. `ref`: in Latin-1, so that the answer has the same bytes. */
export type PushCommand = { ref: string; hash: string | undefined };

/** `pack`: the rest of the body. */
export type PushRequest = {
  commands: PushCommand[];
  /** The values of `git push --push-option`. */
  options: string[];
  pack: AsyncIterable<Buffer>;
};

const noHash = '0'.repeat(40);

/** The answer has two channels, and reports the outcome of each ref. Clients support both since 2009. */
const required = ['report-status', 'side-band-64k'];
const offered = [...required, 'push-options', 'ofs-delta', 'object-format=sha1', 'agent=berth'];

/** A thousand refs. */
const maxCommandBytes = 128 * 1024;
const maxOptionBytes = 16 * 1024;

/** As an empty repository. `delete-refs` is missing, so clients refuse to remove a ref. */
export const advertisement = [
  packet('# service=git-receive-pack\n'),
  flush,
  packet(`${noHash} capabilities^{}\0${offered.join(' ')}\n`),
  flush,
].join('');

/** Throws PacketError. A body without commands is a test of the connection; Git sends it before a large pack. */
export async function readPush(body: AsyncIterable<Uint8Array>): Promise<PushRequest> {
  const { packets, rest } = await readLeadingPackets(body, maxCommandBytes);
  const commands: PushCommand[] = [];
  let capabilities: ReadonlySet<string> | undefined;
  for (const line of packets) {
    const [command = '', listed] = line.toString('latin1').replace(/\n$/, '').split('\0');
    // A shallow clone has commits without their parents.
    if (/^shallow [0-9a-f]{40}$/.test(command)) continue;
    const [, hash, ref] = /^[0-9a-f]{40} ([0-9a-f]{40}) (refs\/.{1,1000})$/.exec(command) ?? [];
    if (hash === undefined || ref === undefined) throw new PacketError('not a command of a push');
    capabilities ??= new Set(listed?.split(' '));
    commands.push({ ref, hash: hash === noHash ? undefined : hash });
  }
  if (commands.length > 0 && !required.every((each) => capabilities?.has(each)))
    throw new PacketError('the client does not support the answer');
  if (!capabilities?.has('push-options')) return { commands, options: [], pack: rest };
  const optional = await readLeadingPackets(rest, maxOptionBytes);
  return { commands, options: optional.packets.map((option) => option.toString('utf8')), pack: optional.rest };
}

/** The branch or the tag without its prefix, as text. */
export function shortRef(ref: string): string {
  return Buffer.from(ref.replace(/^refs\/(?:heads|tags)\//, ''), 'latin1').toString('utf8');
}

/** Packets have at most 65,520 bytes, and older clients read 1,000. */
const pieceBytes = 990;

/** Text that the client shows behind `remote: `. */
export function shownText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(band(2, bytes.subarray(at, at + pieceBytes)));
  return Buffer.concat(pieces);
}

/** Ends the answer before the outcome: the client shows the text and fails. */
export function fatalAnswer(text: string): Buffer {
  return band(3, Buffer.from(text).subarray(0, pieceBytes));
}

/** Shows nothing; proxies see that the connection is in use. */
export const keepAlivePacket = band(1, Buffer.alloc(0));

/** The end of the answer. `refusal`: one line. */
export function outcomeOf(commands: readonly PushCommand[], refusal: string | undefined): Buffer {
  const lines = commands.map(({ ref }) => packetOf(refusal === undefined ? `ok ${ref}\n` : `ng ${ref} ${refusal}\n`));
  const report = Buffer.concat([packetOf('unpack ok\n'), ...lines, Buffer.from(flush)]);
  const pieces: Buffer[] = [];
  for (let at = 0; at < report.length; at += pieceBytes) pieces.push(band(1, report.subarray(at, at + pieceBytes)));
  return Buffer.concat([...pieces, Buffer.from(flush)]);
}

function band(number: 1 | 2 | 3, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from((content.length + 5).toString(16).padStart(4, '0')), Buffer.of(number), content]);
}

function packetOf(latin1: string): Buffer {
  const content = Buffer.from(latin1, 'latin1');
  return Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), content]);
}
