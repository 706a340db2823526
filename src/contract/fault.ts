import { type ErrorCode, GatelogError } from '../model/errors.ts';

/** Keys from the root of the caller's body down to the place that is wrong. */
export type FaultPath = readonly (string | number)[];

/** Input that a caller has to mend: where it is, and a sentence that says what to write instead. */
export interface Fault {
  readonly code: Extract<ErrorCode, 'invalid_body' | 'invalid_filter'>;
  readonly path: FaultPath;
  readonly message: string;
}

export type Result<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: Fault };

/** The fault as the error that the API's door turns into an answer; `details.path` is its place as a JSON path. */
export function errorOfFault(fault: Fault): GatelogError {
  return new GatelogError(fault.code, fault.message, { details: { path: jsonPath(fault.path) } });
}

/** `['filter', 'left', 'my field']` as `filter.left["my field"]`; the root of the body is `$`. */
export function jsonPath(path: FaultPath): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text === '' ? '$' : text;
}
