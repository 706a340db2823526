import type { ReactNode } from 'react';
import { canceledTitle, failureTitles } from '../lib/failure.ts';
import { Badge, type BadgeProps } from './badge.tsx';

const names: Readonly<Record<number, string>> = { 0: failureTitles.no_reply, 499: canceledTitle, 502: failureTitles.stream };

export interface StatusBadgeProps {
  readonly status: number;
  /** The call failed whatever its status says. */
  readonly hasFailed?: boolean;
}

/** An HTTP status. */
export function StatusBadge({ status, hasFailed = false }: StatusBadgeProps): ReactNode {
  return (
    <Badge kind={hasFailed ? 'bad' : kindOf(status)} title={names[status]}>
      {status === 0 ? 'none' : status}
    </Badge>
  );
}

function kindOf(status: number): BadgeProps['kind'] {
  if (status === 499) return 'warning';
  if (status >= 200 && status < 300) return 'good';
  return status >= 300 && status < 400 ? 'plain' : 'bad';
}
