/** What a failing health check answered, as far as its owner is shown it. The other side is hostile. Pure. */

/** So much is shown. */
const maxBytes = 500;

/** So much is read: a secret that begins in what is shown is known by its end. */
export const bytesRead = 2_000;

/** Colours of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const terminalCodes = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** All that is not seen, or changes how the rest is seen: control characters, marks of direction, halves of letters. */
const unseen = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}|\ufffd/gu;

/** Text from the first bytes of a body, whatever they are. */
export function readableText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\r\n?/g, '\n').replace(terminalCodes, '').replace(unseen, '').trim();
}

/** The beginning of a text without secrets: what is cut off here cannot end in half of one. */
export function shownBeginning(text: string): string {
  return readableText(Buffer.from(text).subarray(0, maxBytes));
}
