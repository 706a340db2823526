import type { Fault, FaultPath, Result } from '../contract/fault.ts';

/** A value that was read well. */
export function success<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

/** A filter that the caller has to mend at `path`. */
export function filterFault(path: FaultPath, message: string): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { code: 'invalid_filter', path, message } };
}

/** A body field that the caller has to mend at `path`. */
export function bodyFault(path: FaultPath, message: string): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { code: 'invalid_body', path, message } };
}
