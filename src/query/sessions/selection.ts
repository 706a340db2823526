import type { OrganizationId } from '../../model/ids.ts';
import type { FilterNode } from '../filter/ast.ts';

/** Inclusive time bounds, Unix milliseconds; undefined is no bound. */
export interface ArrivalRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** A query of sessions. A session is its requests in the range. */
export interface SessionSelection {
  readonly tenant: OrganizationId;
  readonly range: ArrivalRange;
  /** A request is matched when the filter holds for it; a session is when one of its requests is. */
  readonly filter: FilterNode;
}
