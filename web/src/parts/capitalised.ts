/** Capitalizes a message of the service, which begins with a small letter if it can be part of a sentence. Pure. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
