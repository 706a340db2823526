/**
 * Why a call failed. `status`: the provider's status says so. `reply`: its status is good, and the reply carries an error. `stream`: the
 * reply broke off before its end. `no_reply`: there was none. `refused`: by us.
 */
export const failureKinds = ['status', 'reply', 'stream', 'no_reply', 'refused'] as const;
export type FailureKind = (typeof failureKinds)[number];

export interface Failure {
  readonly kind: FailureKind;
  /** The provider's own word, such as `overloaded_error`, or our error code; empty: not told. */
  readonly type: string;
  /** At most {@link maxFailureMessageBytes} of UTF-8; empty: not told, or the response is not kept. */
  readonly message: string;
}

export const maxFailureMessageBytes = 1024;

/** The client left before the end: the call has not failed. */
const clientLeftStatus = 499;

/** Whether a status alone says that a call failed. */
export function isFailedStatus(status: number): boolean {
  return status !== clientLeftStatus && (status < 200 || status >= 400);
}

/** The failure that a status tells of, where no more is known. */
export function failureOfStatus(status: number): Failure | null {
  if (!isFailedStatus(status)) return null;
  return { kind: status === 0 ? 'no_reply' : 'status', type: '', message: '' };
}
