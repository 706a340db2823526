import type { ReactNode } from 'react';
import type { AlertGroupState, AlertStatus } from '../../../src/client/types/alerts.ts';
import { Badge, type BadgeProps } from '../../ui/badge.tsx';

const kinds: Readonly<Record<AlertStatus['state'], BadgeProps['kind']>> = {
  ok: 'good',
  firing: 'bad',
  error: 'bad',
  pending: 'warning',
  recovering: 'warning',
  no_data: 'warning',
  muted: 'plain',
  off: 'plain',
  new: 'plain',
};

/** The state of a rule: that of its most severe group, which stands first, if it was new when it was read and the groups are newer. */
export function stateOf(
  { status }: { readonly status: Pick<AlertStatus, 'state'> },
  groups: readonly Pick<AlertGroupState, 'state'>[] = [],
): AlertStatus['state'] {
  return status.state === 'new' ? (groups[0]?.state ?? 'new') : status.state;
}

export function StateBadge({ state }: { readonly state: AlertStatus['state'] }): ReactNode {
  return <Badge kind={kinds[state]}>{state.replace('_', ' ')}</Badge>;
}
