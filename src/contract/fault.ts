import { type ErrorCode, GatelogError } from '../model/errors.ts';

/** Keys from the root of the caller's body, or of the address's parameters, down to the place that is wrong. */
export type FaultPath = readonly (string | number)[];

/** Input that a caller has to mend: where it is, and a sentence that says what to write instead. */
export interface Fault {
  readonly code: Extract<ErrorCode, 'invalid_body' | 'invalid_filter' | 'invalid_parameter'>;
  readonly path: FaultPath;
  readonly message: string;
}

/** What reading gives: the value, or what the caller has to mend. Input that is wrong is expected, so it is not thrown. */
export type Result<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: Fault };

/** A body that the caller has to mend at `path`. */
export function bodyFault(path: FaultPath, message: string): Result<never> {
  return { ok: false, fault: { code: 'invalid_body', path, message } };
}

/** The fault as the error that the API's door turns into an answer; `details.path` is its place as a JSON path. */
export function errorOfFault(fault: Fault): GatelogError {
  return new GatelogError(fault.code, fault.message, { details: { path: jsonPath(fault.path) } });
}

/** The value of a result. @throws GatelogError 422 for a fault. */
export function unwrap<Value>(result: Result<Value>): Value {
  if (!result.ok) throw errorOfFault(result.fault);
  return result.value;
}

/** Steps that are shown of either end of a path that is longer than both, and characters of a step: a name that is allowed is shown whole. */
const shown = { head: 8, tail: 8, characters: 128 } as const;

/**
 * `['filter', 'left', 'my field']` as `filter.left["my field"]`; the root of the body is `$`. Of a path with many steps both ends are shown,
 * with the number of the steps between: `filter.left.left…(188 more)….left.request_response_rmt.cost.gt`.
 */
export function jsonPath(path: FaultPath): string {
  const left = path.length - shown.head - shown.tail;
  if (left <= 0) return steps(path) || '$';
  return `${steps(path.slice(0, shown.head))}…(${left} more)…${steps(path.slice(-shown.tail), '.')}`;
}

/** @param separator what stands before a first key. */
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
