import type { ReactNode } from 'react';
import { Badge, type BadgeProps } from './badge.tsx';

const names: Readonly<Record<number, string>> = { 0: 'no response', 499: 'the client left', 502: 'the provider broke off' };

/** An HTTP status. */
export function StatusBadge({ status }: { readonly status: number }): ReactNode {
  return (
    <Badge kind={kindOf(status)} title={names[status]}>
      {status === 0 ? 'none' : status}
    </Badge>
  );
}

function kindOf(status: number): BadgeProps['kind'] {
  if (status === 499) return 'warning';
  if (status >= 200 && status < 300) return 'good';
  return status >= 300 && status < 400 ? 'plain' : 'bad';
}
