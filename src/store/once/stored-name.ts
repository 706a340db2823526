import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { dateTime64 } from '../../sql/time.ts';

/** A stored record. */
export interface StoredName {
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The record, by its key. */
export function isNamed({ requestId, createdAt }: StoredName): readonly Fragment[] {
  return [sql`created_at = ${dateTime64(createdAt, 'created')}`, sql`request_id = ${param(uuidToNumber(requestId), 'UInt128', 'request')}`];
}
