import { type ReadLog, readLog, type ToldLog } from './read-log.ts';
import { type ErrorCode, type ErrorDetails, GatelogError, messageOf } from '../../model/errors.ts';
import { type PackedCalls, packCalls, unpackCalls } from '../record/packed-calls.ts';

/** A log as a thread has read it. */
export type LargeLog =
  | (Omit<ReadLog, 'call'> & { readonly calls: PackedCalls })
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails | undefined } };

/** Never throws. */
export function readLargeLog(body: Buffer, told: ToldLog): LargeLog {
  try {
    const { call, ...beside } = readLog(body, told);
    return { ...beside, calls: packCalls([call]) };
  } catch (error) {
    const { code, message, details } = error instanceof GatelogError ? error : new GatelogError('internal', messageOf(error));
    return { refusal: { code, message, details } };
  }
}

/** @throws GatelogError that the thread met. */
export function unpackLog(large: LargeLog): ReadLog {
  if ('refusal' in large) {
    const { code, message, details } = large.refusal;
    throw new GatelogError(code, message, details === undefined ? {} : { details });
  }
  const { calls, ...beside } = large;
  const [call] = [...unpackCalls(calls)];
  if (call === undefined) throw new TypeError('a thread read a log without a call');
  return { ...beside, call };
}
