import { GatelogError } from '../model/errors.ts';
import type { Fault, FaultPath, Result } from '../model/fault.ts';

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
