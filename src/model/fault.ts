import type { ErrorCode } from './errors.ts';

/** Keys from the root of the body, or of the parameters, to the faulty value. */
export type FaultPath = readonly (string | number)[];

/** A fault of the caller's input: its path, and a sentence that says what to write instead. */
export interface Fault {
  readonly code: Extract<ErrorCode, 'invalid_body' | 'invalid_filter' | 'invalid_parameter'>;
  readonly path: FaultPath;
  readonly message: string;
}

interface Refusal {
  readonly ok: false;
  readonly fault: Fault;
}

/** The value, or the caller's fault. Faulty input is expected, so it is not thrown. */
export type Result<Value> = { readonly ok: true; readonly value: Value } | Refusal;

export function success<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

export function filterFault(path: FaultPath, message: string): Refusal {
  return { ok: false, fault: { code: 'invalid_filter', path, message } };
}

export function bodyFault(path: FaultPath, message: string): Refusal {
  return { ok: false, fault: { code: 'invalid_body', path, message } };
}
