import type { AcceptedChange, ChangeEntry } from '../../model/change.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { changeRows } from '../insert/change-rows.ts';
import { makeInsertRows } from '../insert/insert.ts';
import type { Connections } from '../engine/connections.ts';
import { withRetries } from '../update/change.ts';
import type { StoredName } from './stored-name.ts';

/** A span whose call another record has, as that record's history names it. */
export interface Teller extends StoredName, Pick<AcceptedChange, 'keyId' | 'acceptedAt' | 'number'> {}

export type JoinedValue = Pick<ChangeEntry, 'kind' | 'name' | 'old' | 'new'>;

/** Writes what a span changes in the record of its call, before it does: at most once for both and `part`, also over a death in between. */
export async function insertJoined(
  connections: Connections,
  organizationId: OrganizationId,
  { teller, into, part, values }: JoinedHistory,
): Promise<void> {
  const { keyId, acceptedAt, number } = teller;
  const accepted = { organizationId, requestId: into.requestId, keyId, acceptedAt, number };
  const rows = [changeRows(values.map((value): ChangeEntry => ({ ...accepted, ...value })))];
  const insert = makeInsertRows(connections, 'history');
  await withRetries(() => insert('changes', rows, `${part}-${teller.requestId}-${into.requestId}`));
}

interface JoinedHistory {
  readonly teller: Teller;
  readonly into: StoredName;
  readonly part: 'details' | 'numbers';
  readonly values: readonly JoinedValue[];
}
