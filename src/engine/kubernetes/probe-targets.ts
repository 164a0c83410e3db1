/** PURE. The targets that a pod of a user may and may not reach, and the problem if a test shows otherwise. */

export type Target = { words: string; host: string; port: number; mayReach: boolean };

/** `reached`, or why not. */
export type Outcome = string;

export type Places = {
  /** A pod of the same deployment. */
  peer: string;
  /** A pod of another one. */
  victim: string;
  apiService: string | undefined;
  /** Host and port, as we reach it. */
  apiServer: string;
  nodes: readonly string[];
};

export const probePort = 7_000;

/** By the same address on every cloud. */
const metadata = { host: '169.254.169.254', port: 80 };

const kubeletPort = 10_250;

/** Of large clusters some. */
const mostNodes = 3;

export function targetsOf({ peer, victim, apiService, apiServer, nodes }: Places): Target[] {
  const { hostname, port } = new URL(`https://${apiServer}`);
  const closed = (words: string, host: string, at: number): Target => ({ words, host, port: at, mayReach: false });
  return [
    { words: 'another pod of its own deployment, by name', host: 'peer.pod', port: probePort, mayReach: true },
    { words: 'another pod of its own deployment, by address', host: peer, port: probePort, mayReach: true },
    closed('a pod of another deployment', victim, probePort),
    closed("the cloud's metadata service", metadata.host, metadata.port),
    ...(apiService === undefined ? [] : [closed("the cluster's API, by its service", apiService, 443)]),
    closed("the cluster's API, by its address", hostname.replace(/^\[|\]$/g, ''), Number(port || 443)),
    ...nodes.slice(0, mostNodes).map((node) => closed(`the kubelet of node ${node}`, node, kubeletPort)),
  ];
}

/** One line for each target that is not as it has to be. */
export function complaintsAbout(targets: readonly Target[], outcomes: readonly Outcome[]): string[] {
  return targets.flatMap(({ words, mayReach }, index) => {
    const outcome = outcomes[index] ?? 'nothing was tried';
    if (mayReach) return outcome === reached ? [] : [`A pod does not reach ${words} (${outcome}).`];
    return outcome === reached ? [`A pod reaches ${words}.`] : [];
  });
}

const reached = 'reached';

/** Tests the requested targets at once. Only Berth and its own deployment can reach it. */
export const probeProgram = `
import { createServer } from 'node:http';
import { connect } from 'node:net';
const attempt = ({ host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port });
  const end = (outcome) => { socket.destroy(); resolve(outcome); };
  socket.setTimeout(3000, () => end('no answer'));
  socket.once('connect', () => end('${reached}'));
  socket.once('error', ({ code }) => end(code));
});
createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request);
  const targets = JSON.parse(Buffer.concat(chunks).toString() || '[]');
  response.end(JSON.stringify(await Promise.all(targets.map(attempt))));
}).listen(${probePort});
`;
