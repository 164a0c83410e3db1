/** PURE. Why an image does not come to the host, as a fault of the engine. */
import { ImageFault } from '../../images/image-fault.ts';
import { EngineFault } from '../engine.ts';

/** Image faults are reported to the owner. Other errors are passed on. */
export function asEngineFault(error: unknown): unknown {
  if (!(error instanceof ImageFault)) return error;
  const { kind, message, image, hint } = error;
  const faultKind = kind === 'out-of-disk' || kind === 'over-budget' ? 'unavailable' : kind;
  return new EngineFault(faultKind, message, { cause: error, image, ...(hint !== undefined && { hint }) });
}
