/** PURE. Why an image does not come to the host: its registry, the gate, or the engine itself. */
import { ImageFault } from '../../../images/image-fault.ts';
import { EngineFault } from '../../engine.ts';
import { engineIsSilent, isSilence, outOfDiskHint, textOf } from '../faults.ts';

/** Whatever the layer of images says is for the owner. Anything else is passed on. */
export function asEngineFault(error: unknown): unknown {
  if (!(error instanceof ImageFault)) return error;
  const { kind, message, image, hint } = error;
  return new EngineFault(kind, message, { cause: error, image, ...(hint !== undefined && { hint }) });
}

/** The engine did not take an image that the gate has for it. */
export function pullFault(error: unknown, image: string): EngineFault {
  if (error instanceof EngineFault) return error;
  if (isSilence(error)) return new EngineFault('unavailable', engineIsSilent, { cause: error, image });
  if (/no space left on device/i.test(textOf(error))) {
    const words = `Out of disk: the host has no space left for image ${image}.`;
    return new EngineFault('unavailable', words, { cause: error, image, hint: outOfDiskHint });
  }
  return new EngineFault('unavailable', `The container engine could not take image ${image}.`, { cause: error, image });
}
