/** A command that runs in a pod, by the service's WebSocket. */
import type { Target } from '../service/calls.ts';

export type Size = { columns: number; rows: number };

/** How the terminal ended: with a message of the service, or without. */
export type End =
  | { kind: 'ended'; exitCode: number | null; message?: string }
  | { kind: 'refused'; error: string; hint?: string; code: string }
  | { kind: 'broken' };

export type Listener = { onOutput: (bytes: Uint8Array) => void; onOpen: () => void; onEnd: (end: End) => void };

export type Connection = { type: (text: string) => void; resize: (size: Size) => void; close: () => void };

/** A message may have 64 KiB, and a character has at most four bytes. */
const longestPiece = 16_000;

/** The token is in the first message: an address would be in the browser's memory, and in logs. */
export function openTerminal(target: Target, pod: string, size: Size, listener: Listener): Connection {
  const socket = new WebSocket(new URL('/openTerminal', location.href.replace(/^http/, 'ws')));
  socket.binaryType = 'arraybuffer';
  const encoder = new TextEncoder();
  let isOver = false;
  const end = (how: End) => {
    if (isOver) return;
    isOver = true;
    listener.onEnd(how);
    socket.close();
  };
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.onopen = () => {
    const { applicationName, environment, sessionToken } = target;
    const who = sessionToken === undefined ? { environment } : { sessionToken };
    send({ kind: 'open', applicationName, ...who, pod, terminal: size });
  };
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    // The first byte names the output stream; a terminal has one.
    if (typeof data !== 'string') return listener.onOutput(new Uint8Array(data, 1));
    const message = JSON.parse(data) as End | { kind: 'opened' };
    if (message.kind === 'opened') listener.onOpen();
    else end(message);
  };
  socket.onclose = () => end({ kind: 'broken' });
  return {
    type(text) {
      if (socket.readyState !== WebSocket.OPEN) return;
      for (let at = 0; at < text.length; at += longestPiece)
        socket.send(encoder.encode(text.slice(at, at + longestPiece)));
    },
    resize: (changed) => send({ kind: 'resize', ...changed }),
    close() {
      isOver = true;
      socket.close();
    },
  };
}
