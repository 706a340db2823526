import type { Fault, FaultPath, Result } from '../contract/fault.ts';

export function success<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

/** A fault of the filter at `path`. */
export function filterFault(path: FaultPath, message: string): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { code: 'invalid_filter', path, message } };
}

/** A fault of a body field at `path`. */
export function bodyFault(path: FaultPath, message: string): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { code: 'invalid_body', path, message } };
}
