/** Why an image cannot be used, as a message for the owner of the deployment. It contains no text of a registry. */
import { printBytes } from '../config/values/units.ts';

export type ImageFaultKind =
  | 'image-not-found'
  | 'image-access-denied'
  | 'image-wrong-architecture'
  | 'registry-unreachable'
  | 'out-of-disk'
  | 'over-budget'
  | 'bad-request';

export class ImageFault extends Error {
  readonly kind: ImageFaultKind;
  /** The reference that it is about. */
  readonly image: string;
  /** How the owner can fix it. */
  readonly hint: string | undefined;
  /** The registry did not answer, so an immediate retry is pointless. */
  readonly isSilence: boolean;

  constructor(
    kind: ImageFaultKind,
    image: string,
    message: string,
    options: ErrorOptions & { hint?: string; isSilence?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'ImageFault';
    this.kind = kind;
    this.image = image;
    this.hint = options.hint;
    this.isSilence = options.isSilence ?? false;
  }
}

/** The host has no room for it, now. */
export function outOfDisk(image: string): ImageFault {
  const words = `Out of disk: the host has no space left for image ${image}.`;
  return new ImageFault('out-of-disk', image, words, { hint: 'the operator has to make room' });
}

/** The client has had too many bytes unpacked in this hour. */
export function overBudget(image: string, bytesPerHour: number, resetsInMs: number): ImageFault {
  const words = `Image ${image} is not unpacked yet: in one hour, at most ${printBytes(bytesPerHour)} of layers are unpacked for each user.`;
  const hint = `Berth continues in about ${Math.ceil(resetsInMs / 60_000)} min; smaller images take less`;
  return new ImageFault('over-budget', image, words, { hint });
}

/** The hint if no action is needed, because failed deployments are retried. */
export const whenItAnswers = 'it starts as soon as its registry answers';

/** For an image that exists but has no variant for this host. */
export const architectureHint = 'build it for this processor, for example with docker build --platform';
