/**
 * The deployments that were started in this browser, with their tokens: stored for this origin, so that other origins,
 * including the applications, cannot read them.
 */
import { useSyncExternalStore } from 'react';
import type { Target } from '../service/calls.ts';
import { documentOf, draftOf } from '../stored-texts/names.ts';
import { drop, dropAllBut } from '../stored-texts/use-stored-text.ts';
import { forget, type Remembered, readRemembered, remember, withEnd } from './list.ts';

const key = 'berth.deployments';
const listeners = new Set<() => void>();
let known: { text: string; list: Remembered[] } = { text: '', list: [] };

export function useRemembered(): Remembered[] {
  return useSyncExternalStore(subscribe, remembered);
}

export function rememberDeployment(deployment: Remembered): void {
  write(remember(remembered(), deployment));
}

export function forgetDeployment(deployment: Pick<Remembered, 'environment' | 'applicationName'>): void {
  drop(draftOf(deployment));
  drop(documentOf(deployment));
  write(forget(remembered(), deployment));
}

/** `restorableUntil`: a date-time; empty where it cannot be restored, absent where that is not known. */
export function recordEnd(
  deployment: Pick<Remembered, 'environment' | 'applicationName'>,
  hasEnded: boolean,
  restorableUntil?: string,
): void {
  const before = remembered();
  const list = withEnd(before, deployment, hasEnded, restorableUntil);
  if (list !== before) write(list);
}

/**
 * Removes stored texts that belong to the account: those of deployments without a token in this browser, and their
 * drafts.
 */
export function forgetTextsOfAccount(): void {
  const own = new Set(remembered().flatMap((one) => [draftOf(one), documentOf(one)]));
  dropAllBut((name) => own.has(name));
}

/** Returns the deployment with the token that this browser has stored, if any. */
export function targetOf({ environment, applicationName }: { environment: string; applicationName: string }): Target {
  const found = remembered().find((one) => one.environment === environment && one.applicationName === applicationName);
  return { environment, applicationName, sessionToken: found?.sessionToken };
}

/** Returns the same list while nothing has changed. */
function remembered(): Remembered[] {
  const text = stored();
  if (text !== known.text) known = { text, list: readRemembered(text) };
  return known.list;
}

function stored(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    // Without storage, the list exists while its page is open.
    return known.text;
  }
}

function write(list: readonly Remembered[]): void {
  const text = JSON.stringify(list);
  try {
    localStorage.setItem(key, text);
  } catch {
    known = { text, list: [...list] };
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const fromElsewhere = (event: StorageEvent) => event.key === key && listener();
  listeners.add(listener);
  window.addEventListener('storage', fromElsewhere);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', fromElsewhere);
  };
}
