/** Renders a sentence of the service. Names from the configuration are in backticks. */
import { Fragment } from 'react';

export function Prose({ text }: { text: string }) {
  // Every second part is between two backticks. An unmatched backtick is text.
  const parts = text.split(/`([^`\n]+)`/);
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else to go by
    <Fragment key={index}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>
  ));
}
