import { brandError, TidewatchError } from '../../api/tidewatch-error.ts';

/**
 * - `missing`: a program of the control plane is on none of the places where it is looked for.
 * - `start`: a program ended, or was not ready in time; the message carries its last log lines.
 * - `state`: the plane or the program is not in a state where the call makes sense.
 * - `etcd`: etcd refused what it was asked.
 * - `certificate`: a client certificate could not be made.
 */
export type ControlPlaneErrorKind = 'missing' | 'start' | 'state' | 'etcd' | 'certificate';

/** A control plane could not be started, or one of its programs failed. */
export class ControlPlaneError extends TidewatchError {
  declare readonly kind: ControlPlaneErrorKind;

  static {
    brandError(ControlPlaneError, 'ControlPlaneError');
  }

  constructor(kind: ControlPlaneErrorKind, message: string, options?: ErrorOptions) {
    super(kind, message, options);
  }
}
