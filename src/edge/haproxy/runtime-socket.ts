/** HAProxy's runtime socket. One connection a line: for a whole map of 10,000 routes 60 connections and 4 ms of 28. */
import { createConnection } from 'node:net';
import type { RequestCounts } from '../../deployment/metrics/use.ts';
import { parseCounts, underWayTable } from './request-counts.ts';

/** A command with its payload must fit into HAProxy's buffer of 16 KiB, of which 1 KiB is reserved. */
const payloadBytes = 12_000;
/** A response takes less than 10 ms. A process that is silent for this long is stuck. */
const patienceMs = 2000;
/** The timeout is counted in steps: a suspension of this process counts as one step of any length. */
const stepMs = 100;

/** Facts that the running HAProxy reports. */
export type Running = { pid: number; version: string; fingerprint: string };

/** @returns undefined if no HAProxy responds. */
export async function describeRunning(socketPath: string): Promise<Running | undefined> {
  const answer = await runCommand(socketPath, 'show info').catch(() => '');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(answer)?.[1] ?? '';
  const pid = Number(field('Pid'));
  return pid ? { pid, version: field('Version'), fingerprint: field('description') } : undefined;
}

/**
 * Returns whether every thread has finished its current work. HAProxy executes this command when no thread is busy.
 * Other commands are executed by one thread, while a delayed thread may still forward a request by an earlier decision.
 */
export async function awaitThreads(socketPath: string): Promise<boolean> {
  return await runCommand(socketPath, 'show fd 0').then(
    () => true,
    () => false,
  );
}

/** Replaces a whole map atomically. Entries are `key value` without line breaks (`routes.ts` ensures that). */
export async function replaceMap(socketPath: string, map: string, entries: string[]): Promise<void> {
  const prepared = await runCommand(socketPath, `prepare map ${map}`);
  const version = /New version created: (\d+)/.exec(prepared)?.[1];
  if (!version) throw new Error(`HAProxy did not prepare ${map}: ${prepared.trim()}`);
  for (const payload of chunks(entries)) await runSilently(socketPath, `add map @${version} ${map} <<\n${payload}`);
  await runSilently(socketPath, `commit map @${version} ${map}`);
}

/** Adds entries. An entry with an existing key is only found after the older one was removed. */
export async function addEntries(socketPath: string, map: string, entries: string[]): Promise<void> {
  for (const payload of chunks(entries)) await runSilently(socketPath, `add map ${map} <<\n${payload}`);
}

/** Returns the entries of a map in lookup order. */
export async function readMap(socketPath: string, map: string): Promise<string[]> {
  const answer = await runCommand(socketPath, `show map ${map}`);
  const lines = answer.split('\n').filter(Boolean);
  // Entries have the form `0x5581e0c0 key value`. Other lines are errors.
  const complaint = lines.find((line) => !/^0x[0-9a-f]+ /.test(line));
  if (complaint) throw new Error(`HAProxy did not show ${map}: ${complaint}`);
  return lines.map((line) => line.slice(line.indexOf(' ') + 1));
}

/** The value of a key in a map of strings, or undefined if it is missing. */
export async function mapValue(socketPath: string, map: string, key: string): Promise<string | undefined> {
  return /, value="([^"]*)"/.exec(await runCommand(socketPath, `get map ${map} ${key}`))?.[1];
}

/** Executes commands without output in order. They must not contain a `;`. */
export async function commandAll(socketPath: string, commands: string[]): Promise<void> {
  for (const line of chunks(commands)) await runSilently(socketPath, line.trim().replaceAll('\n', ';'));
}

/** Returns the number of requests under way at these addresses, tunnels included. */
export async function countUnderWay(socketPath: string, addresses: readonly string[]): Promise<number> {
  const answers = await Promise.all(
    addresses.map((address) => runCommand(socketPath, `show table ${underWayTable} key ${address}`)),
  );
  return answers.reduce((sum, answer) => sum + Number(/ conn_cur=(\d+)/.exec(answer)?.[1] ?? 0), 0);
}

/** Returns the request counts by address, for addresses with requests within the last hour. */
export async function countRequests(socketPath: string): Promise<Map<string, RequestCounts>> {
  return await parseCounts(await runCommand(socketPath, `show table ${underWayTable}`));
}

/**
 * Detects the end of HAProxy, which breaks this connection. @returns a function that ends the watch; `onEnd` is not
 * called then.
 */
export function watchRunning(socketPath: string, onEnd: () => void): () => void {
  const connection = createConnection(socketPath);
  let isWatching = true;
  connection.unref();
  connection.on('connect', () => connection.write('prompt\n'));
  connection.on('error', () => {});
  connection.resume();
  connection.on('close', () => {
    if (isWatching) onEnd();
  });
  return () => {
    isWatching = false;
    connection.destroy();
  };
}

function* chunks(entries: string[]): Generator<string> {
  let chunk = '';
  for (const entry of entries) {
    if (chunk.length + entry.length > payloadBytes) {
      yield chunk;
      chunk = '';
    }
    chunk += `${entry}\n`;
  }
  if (chunk) yield chunk;
}

/** Runs a command that has no output on success. */
async function runSilently(socketPath: string, command: string): Promise<void> {
  const answer = (await runCommand(socketPath, command)).trim();
  if (answer) throw new Error(`HAProxy refused "${command.split('\n', 1)[0]}": ${answer}`);
}

/** The answer to any command. */
export function runCommand(socketPath: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(socketPath);
    let answer = '';
    let silentMs = 0;
    const steps = setInterval(() => {
      silentMs += stepMs;
      if (silentMs >= patienceMs) connection.destroy(new Error('HAProxy does not respond'));
    }, stepMs);
    connection.setEncoding('utf8');
    connection.on('connect', () => connection.write(`${command}\n`));
    connection.on('data', (text: string) => {
      answer += text;
      silentMs = 0;
    });
    connection.on('end', () => resolve(answer));
    connection.on('error', reject);
    connection.on('close', () => {
      clearInterval(steps);
      reject(new Error('HAProxy closed its admin socket'));
    });
  });
}
