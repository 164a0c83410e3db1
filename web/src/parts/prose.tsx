/** A sentence of the service, in which names from the configuration stand between backticks. */
import { Fragment } from 'react';

export function Prose({ text }: { text: string }) {
  // Every second part stands between two of them; one without its other is a part of the text.
  const parts = text.split(/`([^`\n]+)`/);
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else to go by
    <Fragment key={index}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>
  ));
}
