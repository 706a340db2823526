import { filterWrappers } from '../filter/leaf.ts';
import { bodyFault, type Result, success } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { allOf, conjuncts, type FilterNode } from '../filter/ast.ts';
import { parseFilter } from '../filter/parse.ts';
import { isRowLevel } from '../filter/sql/compile.ts';

/** A live stream bound to its tenant. */
export interface StreamPlan {
  readonly tenant: OrganizationId;
  readonly filter: FilterNode;
  readonly includeBodies: boolean;
  /** The caller has every record up to this number; undefined: only what is stored from now on. */
  readonly after: number | undefined;
}

export interface StreamInput {
  readonly filter: unknown;
  readonly includeBodies: boolean;
  readonly cursor: string | undefined;
}

/** @returns the first fault in the filter or the cursor. */
export function planStream(tenant: OrganizationId, { filter, includeBodies, cursor }: StreamInput): Result<StreamPlan> {
  const parsed = parseFilter(filter, { wrappers: filterWrappers, unwrappedProperties: 'refuse' });
  if (!parsed.ok) return parsed;
  const after = cursor === undefined ? undefined : positionIn(cursor);
  if (cursor !== undefined && after === undefined) {
    return bodyFault(['cursor'], 'A position is the `id` of an event, a whole number. Leave it out to begin with what comes from now on.');
  }
  return success({ tenant, filter: parsed.value.filter, includeBodies, after });
}

/**
 * The part of a filter that each record decides by itself. The store leaves out the other records, and the whole filter decides about these.
 */
export function requestPart(filter: FilterNode): FilterNode {
  return allOf(conjuncts(filter).filter(isRowLevel));
}

function positionIn(cursor: string): number | undefined {
  const position = /^\d{1,16}$/.test(cursor) ? Number(cursor) : Number.NaN;
  return Number.isSafeInteger(position) ? position : undefined;
}
