import type { OrganizationId } from '../../model/ids.ts';
import type { FilterNode } from '../filter/ast.ts';

/** Bounds on the arrival of requests, both inclusive, Unix milliseconds; undefined is no bound. */
export interface ArrivalRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Which sessions are asked for. A session is its requests in the range. */
export interface SessionQueryStatement {
  readonly tenant: OrganizationId;
  readonly range: ArrivalRange;
  /** A request of the session is kept when the whole of it holds for that request; a session is in when one of its requests is kept. */
  readonly filter: FilterNode;
}
