/** Checks configurations in a worker, or with the service if the browser cannot run the worker. */
import type { Diagnostic } from '../../../src/config/diagnostics/diagnostics.ts';
import type { PodPlace } from '../../../src/config/document/pod-places.ts';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { call } from '../service/request.ts';

export type Checked = {
  isValid: boolean;
  diagnostics: Diagnostic[];
  /** For a valid configuration: whether the service checked its images. Absent before the service responds. */
  images?: 'checked' | 'not checked';
  /** The outline of a valid configuration. The service does not return it. */
  outline?: { name: string; pods: PodOutline[]; places: PodPlace[] };
};

export type Task = { number: number; kind: 'check' | 'fix'; text: string };
export type Reply = { number: number } & ({ kind: 'check'; checked: Checked } | { kind: 'fix'; text: string });

let worker: Worker | undefined;
let isBroken = false;
let last = 0;
const waiting = new Map<number, { task: Task; resolve: (reply: Reply) => void }>();

export async function checkText(text: string): Promise<Checked> {
  const reply = await give('check', text);
  return reply.kind === 'check' ? reply.checked : { isValid: false, diagnostics: [] };
}

/** The findings of the service for a valid text: whether it can get the images, and whether it has the resources. */
export async function checkOnService(text: string): Promise<Pick<Checked, 'diagnostics' | 'images'> | undefined> {
  const answer = await call('validateConfig', { body: text, query: { images: 'true' } });
  if (!answer.ok) return undefined;
  const { diagnostics, images } = answer.value;
  return { diagnostics, images };
}

/** The text with all fixes that are certain. */
export async function fixText(text: string): Promise<string> {
  const reply = await give('fix', text);
  return reply.kind === 'fix' ? reply.text : text;
}

function give(kind: Task['kind'], text: string): Promise<Reply> {
  const task: Task = { number: ++last, kind, text };
  if (isBroken) return giveToService(task);
  return new Promise((resolve) => {
    waiting.set(task.number, { task, resolve });
    theWorker().postMessage(task);
  });
}

/** Started when it is first needed; it holds 100 kB that the first view can do without. */
function theWorker(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'checker' });
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    waiting.get(data.number)?.resolve(data);
    waiting.delete(data.number);
  };
  worker.onerror = () => {
    isBroken = true;
    for (const { task, resolve } of waiting.values()) void giveToService(task).then(resolve);
    waiting.clear();
  };
  return worker;
}

async function giveToService({ number, kind, text }: Task): Promise<Reply> {
  const answer = await call('validateConfig', { body: text, query: { fix: 'true' } });
  if (kind === 'fix') return { number, kind, text: answer.ok ? (answer.value.fixed ?? text) : text };
  const checked = answer.ok
    ? { isValid: answer.value.valid, diagnostics: answer.value.diagnostics }
    : { isValid: false, diagnostics: [{ ...nowhere, message: answer.problem.error }] };
  return { number, kind, checked };
}

/** The place of an error without one: invalid YAML, or no response. */
const nowhere = { severity: 'error', code: 'unchecked', path: '', line: 1, column: 1 } as const;
