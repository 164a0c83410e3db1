/** Times and spans in words. Pure. */

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The remaining time, to the second within the last hour: `1 h 59 min`, `12:05`, `0:00`. */
export function printCountdown(ms: number): string {
  const left = Math.max(0, ms);
  if (left >= dayMs) return `${Math.floor(left / dayMs)} d ${Math.floor((left % dayMs) / hourMs)} h`;
  if (left >= hourMs) return `${Math.floor(left / hourMs)} h ${twoDigits(Math.floor((left % hourMs) / minuteMs))} min`;
  const seconds = Math.floor(left / secondMs);
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`;
}

/** Prints a duration: `0.3 s`, `12 s`, `2 min 05 s`. */
export function printSpan(ms: number): string {
  if (ms < 10 * secondMs) return `${(Math.max(0, ms) / secondMs).toFixed(1)} s`;
  const seconds = Math.round(ms / secondMs);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
}

/** Prints how long ago an instant was: `just now`, `5 min ago`, `3 h ago`, `2 d ago`. */
export function printAgo(ms: number): string {
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  return ms < dayMs ? `${Math.floor(ms / hourMs)} h ago` : `${Math.floor(ms / dayMs)} d ago`;
}

/** Prints a time in the reader's time zone: `at 14:03`, or with the day if it differs. */
export function printMoment(atMs: number, nowMs: number): string {
  const moment = new Date(atMs);
  const clock = `${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`;
  if (moment.toDateString() === new Date(nowMs).toDateString()) return `at ${clock}`;
  const day = moment.toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
  return `${day} at ${clock}`;
}

/** The reader's own time of day, to the second: `14:03:27`. */
export function printClock(at: string): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
