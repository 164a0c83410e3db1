/** Texts as parts of patterns. Of our own, because the checks run in browsers and in a Node that lack `RegExp.escape`. */

/** A pattern that matches the text itself, outside of brackets. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** As `URL.parse`, which some of the supported browsers lack. */
export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
