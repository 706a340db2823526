import type { ReactNode } from 'react';
import type { AlertStatus } from '../../../src/client/types/alerts.ts';
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

export function StateBadge({ state }: { readonly state: AlertStatus['state'] }): ReactNode {
  return <Badge kind={kinds[state]}>{state.replace('_', ' ')}</Badge>;
}
