/** Text → HTML: every character that could end a text or an attribute becomes a reference. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
