import type { ReactNode } from 'react';
import type { AlertDelivery } from '../../src/client/client.ts';
import { Badge, type BadgeProps } from './badge.tsx';

const kinds: Readonly<Record<AlertDelivery['state'], BadgeProps['kind']>> = {
  pending: 'warning',
  delivered: 'good',
  failed: 'bad',
  gone: 'plain',
};

/** The state of an event on its way to a webhook or to a channel. */
export function DeliveryBadge({ state }: { readonly state: AlertDelivery['state'] }): ReactNode {
  return <Badge kind={kinds[state]}>{state}</Badge>;
}
