/** `berth validate` without `--no-images`: the service looks for the images of each valid document. */
import { validate } from '../validate.ts';
import type { Run } from './command.ts';

export const validateWithImages: Run = async ({ given, connection: { client }, terminal, streams, signal }) =>
  await validate(given, {
    asJson: terminal.asJson,
    process: streams,
    checkWithService: async (text) => {
      const answer = await client.call('validateConfig', { body: text, query: { images: 'true' }, signal });
      if (!answer.ok) return { images: `not checked: ${answer.problem.error}` };
      const { valid, diagnostics, images } = answer.value;
      // Another program may listen at the default address.
      if (!Array.isArray(diagnostics)) return { images: 'not checked: the server is not a Berth service' };
      return { isValid: valid, diagnostics, ...(images === 'not checked' && { images }) };
    },
  });
