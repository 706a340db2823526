import { GatelogError } from '../../model/errors.ts';
import { parseJson } from '../../model/text.ts';

/** The filter of an address: JSON, or `all`, which is also the one of an address without. @throws GatelogError 422. */
export function filterParameter(text: string | undefined): unknown {
  const parsed = text === undefined || text === 'all' ? 'all' : parseJson(text);
  if (parsed !== undefined) return parsed;
  throw new GatelogError('invalid_parameter', '`filter` takes a filter as URL-encoded JSON, or all.', { details: { path: 'filter' } });
}
