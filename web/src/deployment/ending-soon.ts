/** Shows the state and the last minutes of a deployment in the page's title and icon, for users in another tab. */
import { useEffect, useState } from 'react';
import { printCountdown } from '../parts/time.ts';
import type { Deployment, Status } from '../service/records.ts';

/** The remaining time from which the page shows that the deployment ends soon. */
export const soonMs = 10 * 60_000;

/** Milliseconds until it ends, to the second once that is soon; undefined where it does not end. Also while the page is hidden. */
function useLeft(expiresAt: string | undefined): number | undefined {
  const [now, setNow] = useState(Date.now);
  const left = expiresAt === undefined ? undefined : Date.parse(expiresAt) - now;
  const isSoon = left !== undefined && left <= soonMs + 1_000;
  useEffect(() => {
    if (expiresAt === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), isSoon ? 1_000 : 5_000);
    return () => clearInterval(timer);
  }, [expiresAt, isSoon]);
  return left;
}

/** Sets the title and icon of the page, and notifies once if the user wants that. */
export function useEndingSoon(deployment: Deployment | undefined): void {
  const isHeld = deployment?.reservation.held ?? false;
  const expiresAt = isHeld ? undefined : deployment?.expiresAt;
  const left = useLeft(expiresAt);
  const isSoon = left !== undefined && left > 0 && left <= soonMs;
  const name = deployment?.applicationName;
  const minutes = isSoon ? Math.ceil(left / 60_000) : undefined;

  useEffect(() => {
    if (deployment) document.title = titleOf(deployment, isSoon ? left : undefined);
  }, [deployment, isSoon, left]);

  useEffect(() => {
    if (minutes === undefined) return undefined;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!icon) return undefined;
    const before = icon.href;
    icon.href = iconOf(minutes);
    return () => {
      icon.href = before;
    };
  }, [minutes]);

  useEffect(() => {
    if (isSoon && name !== undefined && expiresAt !== undefined) notifyOnce(name, expiresAt);
  }, [isSoon, name, expiresAt]);
}

/** The title of the browser tab: the time left, the state, and the name. */
function titleOf({ applicationName, status: { health, progress } }: Deployment, left: number | undefined): string {
  const ending = left === undefined ? '' : `${printCountdown(left)} · `;
  const reported = health === 'deploying' ? `${progress} % · ` : (titlesOfHealth[health] ?? '');
  return `${ending}${reported}${applicationName} · Berth`;
}

const titlesOfHealth: Partial<Record<Status['health'], string>> = {
  failed: 'Failed · ',
  serving: 'Update failed · ',
  degraded: 'Degraded · ',
  stopped: 'Stopped · ',
  asleep: 'Asleep · ',
};

/** Returns an icon with the remaining minutes instead of the boat. */
function iconOf(minutes: number): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#ab332a"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#fff">${minutes}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const wishKey = 'berth.notify';

/** Returns whether this browser supports notifications and the user has not decided yet. */
export function canRequestNotifications(): boolean {
  if (!('Notification' in window) || Notification.permission === 'denied') return false;
  return Notification.permission === 'default' || localStorage.getItem(wishKey) === null;
}

/** @returns whether the reader lets us. */
export async function requestNotifications(): Promise<boolean> {
  const permission = await Notification.requestPermission();
  if (permission === 'granted') localStorage.setItem(wishKey, 'yes');
  return permission === 'granted';
}

/** Once for each time limit, from the first tab that sees it. */
function notifyOnce(name: string, expiresAt: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const key = `berth.notified/${name}`;
  if (localStorage.getItem(wishKey) === null || localStorage.getItem(key) === expiresAt) return;
  localStorage.setItem(key, expiresAt);
  const minutes = Math.max(1, Math.round((Date.parse(expiresAt) - Date.now()) / 60_000));
  const body = `It expires in ${minutes} min. Extend or claim it to keep it.`;
  const note = new Notification(`${name} ends soon`, { body, tag: key });
  note.onclick = () => {
    window.focus();
    note.close();
  };
}
