/**
 * Saves a response of the service as a file. If the browser lets a page write to a file that its user chooses, each
 * part is written as it arrives. Other browsers collect the whole response first.
 */
import { problemOf } from '../../../src/client/request.ts';
import type { Answer, Problem } from '../service/request.ts';

/** A type of the File System Access API, which is not a standard yet: https://wicg.github.io/file-system-access/ */
type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle & { remove?: () => Promise<void> }>;
type Place = Awaited<ReturnType<Picker>>;

const pickerOf = () => (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;

export function canChooseSaveLocation(): boolean {
  return pickerOf() !== undefined;
}

/** Undefined if the browser does not support it. Only possible in response to a click. */
export async function chooseSaveLocation(suggestedName: string): Promise<Place | 'declined' | undefined> {
  const pick = pickerOf();
  try {
    return await pick?.({ suggestedName });
  } catch (error) {
    if ((error as Error).name === 'AbortError') return 'declined';
    // The browser forbids it in this window. The fallback is still possible.
    return undefined;
  }
}

type Saving = {
  name: string;
  place: Place | undefined;
  signal: AbortSignal;
  /** Called with the number of received bytes. */
  onBytes: (received: number) => void;
};

export type Saved = { ok: true } | { ok: false; problem: Omit<Problem, 'status'> };

/** A broken download leaves no new file, and an existing file as it was. */
export async function saveResponse(answer: Answer<Response>, saving: Saving): Promise<Saved> {
  const saved = await save(answer, saving);
  if (!saved.ok && saving.place) await removeEmpty(saving.place).catch(() => {});
  return saved;
}

/** Choosing a location creates an empty file. An existing file that was to be replaced still has its content. */
async function removeEmpty(place: Place): Promise<void> {
  if ((await place.getFile()).size === 0) await place.remove?.();
}

async function save(answer: Answer<Response>, { name, place, signal, onBytes }: Saving): Promise<Saved> {
  if (!answer.ok) return answer;
  const { value: response } = answer;
  if (!response.ok || !response.body)
    return { ok: false, problem: problemOf(response, await response.json().catch(() => undefined)) };
  const counted = response.body.pipeThrough(counting(onBytes));
  try {
    if (place) await counted.pipeTo(await place.createWritable(), { signal });
    else handOver(name, await new Response(counted, { headers: response.headers }).blob());
    return { ok: true };
  } catch {
    const error = 'The export was interrupted, and nothing was saved.';
    return { ok: false, problem: { code: 'broken', error, hint: 'Check that there is room for it, and try again.' } };
  }
}

function counting(onBytes: (received: number) => void) {
  let received = 0;
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      received += chunk.byteLength;
      onBytes(received);
      controller.enqueue(chunk);
    },
  });
}

function handOver(download: string, blob: Blob): void {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href, download }).click();
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
