import { type ErrorCode, GatelogError } from '../model/errors.ts';

/** Keys from the root of the body, or of the parameters, to the faulty value. */
export type FaultPath = readonly (string | number)[];

/** A fault of the caller's input: its path, and a sentence that says what to write instead. */
export interface Fault {
  readonly code: Extract<ErrorCode, 'invalid_body' | 'invalid_filter' | 'invalid_parameter'>;
  readonly path: FaultPath;
  readonly message: string;
}

/** The value, or the caller's fault. Faulty input is expected, so it is not thrown. */
export type Result<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: Fault };

export function bodyFault(path: FaultPath, message: string): Result<never> {
  return { ok: false, fault: { code: 'invalid_body', path, message } };
}

/** The fault as an error of the API; `details.path` is its JSON path. */
export function errorOfFault(fault: Fault): GatelogError {
  return new GatelogError(fault.code, fault.message, { details: { path: jsonPath(fault.path) } });
}

/** @throws GatelogError 422 for a fault. */
export function unwrap<Value>(result: Result<Value>): Value {
  if (!result.ok) throw errorOfFault(result.fault);
  return result.value;
}

/** Steps shown at either end of a longer path, and characters per step: an allowed name is shown whole. */
const shown = { head: 8, tail: 8, characters: 128 } as const;

/**
 * `['filter', 'left', 'my field']` as `filter.left["my field"]`; the root is `$`. A long path is shown by its ends and the number of steps
 * between: `filter.left.left…(188 more)….left.request_response_rmt.cost.gt`.
 */
export function jsonPath(path: FaultPath): string {
  const left = path.length - shown.head - shown.tail;
  if (left <= 0) return steps(path) || '$';
  return `${steps(path.slice(0, shown.head))}…(${left} more)…${steps(path.slice(-shown.tail), '.')}`;
}

/** @param separator before a first key. */
function steps(path: FaultPath, separator = ''): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(key) && key.length <= shown.characters) text += text === '' ? separator + key : `.${key}`;
    else text += `[${JSON.stringify(clipped(key))}]`;
  }
  return text;
}

function clipped(key: string): string {
  const characters = Array.from(key);
  return characters.length <= shown.characters ? key : `${characters.slice(0, shown.characters).join('')}…`;
}
