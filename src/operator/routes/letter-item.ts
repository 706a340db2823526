import type { DeadLetterItem } from '../../contract/operator.ts';
import type { DeadLetterHead } from '../../ingest/dead-letters/store.ts';

export function itemOf({ id, at, reason, organizationId, requestId, openedAt, bytes }: DeadLetterHead): DeadLetterItem {
  return {
    id,
    at,
    reason,
    organization_id: organizationId,
    request_id: requestId,
    requested_at: openedAt === 0 ? null : new Date(openedAt).toISOString(),
    bytes,
  };
}
