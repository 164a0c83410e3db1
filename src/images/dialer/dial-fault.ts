/** Why a request to a user's address was refused, or failed. */

export type DialFaultKind =
  /** The name leads to an address that is not public. Nothing was sent. */
  | 'private-address'
  /** Plain HTTP, another port, or not a web address. Nothing was sent. */
  | 'not-https'
  /** The domain name system has no address for the name. */
  | 'unknown-name'
  /** No connection, a certificate that is not valid for the name, or one that was cut. */
  | 'unreachable'
  | 'too-slow'
  | 'too-long'
  | 'too-many-redirects';

export class DialFault extends Error {
  readonly kind: DialFaultKind;
  /** The requested host, with its port if it has one. */
  readonly host: string;

  constructor(kind: DialFaultKind, host: string, options?: ErrorOptions) {
    super(`${kind}: ${host}`, options);
    this.name = 'DialFault';
    this.kind = kind;
    this.host = host;
  }
}
