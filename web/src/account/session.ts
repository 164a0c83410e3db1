/** The signed-in account, if any. Requested once, and again after each change. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Account, SignInMethods } from '../service/records.ts';
import { call, request } from '../service/request.ts';

export type Visitor = { kind: 'unknown' } | { kind: 'anonymous' } | { kind: 'account'; account: Account };

let visitor: Visitor = { kind: 'unknown' };
let isRequested = false;
let methods: Promise<SignInMethods | undefined> | undefined;
const listeners = new Set<() => void>();

export function useVisitor(): Visitor {
  useEffect(() => {
    if (isRequested) return;
    isRequested = true;
    void findVisitor();
  }, []);
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => visitor,
  );
}

/** Call it after each sign-in, sign-out or change of the account. */
export async function findVisitor(): Promise<Visitor> {
  // Returns null to a visitor who is not signed in. `getAccount` would refuse, and browsers write refusals to their
  // console.
  const signIn = await request<{ user: unknown } | null>('/api/auth/get-session');
  const account = signIn.ok && signIn.value ? await call('getAccount') : undefined;
  visitor = account?.ok ? { kind: 'account', account: account.value } : { kind: 'anonymous' };
  for (const listener of listeners) listener();
  return visitor;
}

/** Returns the available sign-in methods. Undefined if the service does not respond. */
export function signInMethods(): Promise<SignInMethods | undefined> {
  methods ??= call('getSignInMethods').then((answer) => {
    if (answer.ok) return answer.value;
    methods = undefined;
    return undefined;
  });
  return methods;
}

/** Returns whether this server sends mails. Undefined until that is known. */
export function useSendsMail(): boolean | undefined {
  const [sendsMail, setSendsMail] = useState<boolean>();
  useEffect(() => void signInMethods().then((known) => setSendsMail(known?.sendsMail)), []);
  return sendsMail;
}
