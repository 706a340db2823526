import { endOfCharacters, exceedsBytes } from '../text.ts';
import { textLimits } from '../vocabulary/limits.ts';

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
  /** At most 1 KiB of UTF-8; empty: not told, or the response is not kept. */
  readonly message: string;
}

const maxFailureMessageBytes = 1024;

/** The client left before the end: the call has not failed. */
export const clientLeftStatus = 499;

/** Whether a status alone says that a call failed. */
export function isFailedStatus(status: number): boolean {
  return status !== clientLeftStatus && (status < 200 || status >= 400);
}

/**
 * Whether the `error` of a reply says anything. Some providers send one beside each good answer: null, an empty text or object, or an
 * object of members that are empty themselves (Apertis: `{"message": "", "type": "", "param": "", "code": null}`).
 */
export function tellsError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return Boolean(error);
  return Object.values<unknown>({ ...error }).some((member) => (typeof member === 'object' ? !isEmpty(member) : Boolean(member)));
}

function isEmpty(value: object | null): boolean {
  return value === null || Object.keys(value).length === 0;
}

/** The failure that a status tells of, where no more is known. */
export function failureOfStatus(status: number): Failure | null {
  if (!isFailedStatus(status)) return null;
  return { kind: status === 0 ? 'no_reply' : 'status', type: '', message: '' };
}

/** A type as records keep it: one that is too long for an identifier is not told. */
export function keptType(type: string): string {
  return exceedsBytes(type, textLimits.identifierBytes) ? '' : type;
}

/** The beginning of a message, without half a character at its end. */
export function cutMessage(message: string): string {
  if (!exceedsBytes(message, maxFailureMessageBytes)) return message;
  const bytes = Buffer.from(message.slice(0, maxFailureMessageBytes));
  return bytes.toString('utf8', 0, endOfCharacters(bytes, maxFailureMessageBytes));
}
