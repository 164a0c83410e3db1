/** PURE. Why an image does not come to the host: its registry, the gate, or the engine itself. */
import { ImageFault, outOfDisk } from '../../../images/image-fault.ts';
import { EngineFault } from '../../engine.ts';
import { engineIsSilent, isSilence, textOf } from '../faults.ts';

/** Whatever the layer of images says is for the owner. Anything else is passed on. */
export function asEngineFault(error: unknown): unknown {
  if (!(error instanceof ImageFault)) return error;
  const { kind, message, image, hint } = error;
  const faultKind = kind === 'out-of-disk' ? 'unavailable' : kind;
  return new EngineFault(faultKind, message, { cause: error, image, ...(hint !== undefined && { hint }) });
}

/** The engine did not take an image that the gate has for it. */
export function pullFault(error: unknown, image: string): EngineFault {
  if (error instanceof EngineFault) return error;
  if (isSilence(error)) return new EngineFault('unavailable', engineIsSilent, { cause: error, image });
  if (/no space left on device/i.test(textOf(error))) {
    const { message, hint = '' } = outOfDisk(image);
    return new EngineFault('unavailable', message, { cause: error, image, hint });
  }
  return new EngineFault('unavailable', `The container engine could not take image ${image}.`, { cause: error, image });
}
