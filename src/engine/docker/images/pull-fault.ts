/** PURE. Why the engine does not take an image that the gate has for it. */
import { outOfDisk } from '../../../images/image-fault.ts';
import { EngineFault } from '../../engine.ts';
import { engineIsSilent, isSilence, textOf } from '../faults.ts';

export function pullFault(error: unknown, image: string): EngineFault {
  if (error instanceof EngineFault) return error;
  if (isSilence(error)) return new EngineFault('unavailable', engineIsSilent, { cause: error, image });
  if (/no space left on device/i.test(textOf(error))) {
    const { message, hint = '' } = outOfDisk(image);
    return new EngineFault('unavailable', message, { cause: error, image, hint });
  }
  return new EngineFault('unavailable', `The container engine could not take image ${image}.`, { cause: error, image });
}
