import type { ReactNode } from 'react';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { amountText, type LimitUse } from './limits-query.ts';
import { limitText, parsePolicy } from './policy.ts';
import styles from './limits.module.css';

type SegmentUse = LimitUse['fullest'][number];

/** The fullest segments of a limit. */
export function Segments({ use, onClose }: { readonly use: LimitUse; readonly onClose: () => void }): ReactNode {
  const policy = parsePolicy(use.policy);
  const columns: readonly DataColumn<SegmentUse>[] = [
    { id: 'segment', title: policy?.segment ?? 'Requests', textOf: valueText, cell: valueText },
    { id: 'used', title: 'Used', isNumber: true, cell: ({ used }) => amountText(use, used) },
    { id: 'bar', title: 'Of the limit', cell: ({ share }) => <Bar share={share} /> },
  ];
  return (
    <Dialog title={policy === undefined ? use.policy : limitText(policy)} isOpen onClose={onClose}>
      <p className="muted">{spanText(use)}</p>
      <DataTable label="Segments" columns={columns} rows={use.fullest} keyOf={({ value }) => value ?? ''} />
      <p className="muted">
        As a policy: <code>{use.policy}</code>
      </p>
    </Dialog>
  );
}

function valueText({ value }: SegmentUse): string {
  return value ?? 'all together';
}

/** What was added up. */
function spanText({ to }: LimitUse): string {
  return to === null
    ? 'What was recorded within the length of the window before now. The gateway counts from the first call of a window, which may be less.'
    : 'What was recorded since the window began.';
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });

export function Bar({ share }: { readonly share: number }): ReactNode {
  return (
    <span className={styles['bar']}>
      <span className={styles['track']}>
        <i className={share >= 1 ? styles['full'] : styles['part']} style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
      <span className={`${styles['share'] ?? ''} ${share >= 1 ? (styles['reached'] ?? '') : ''}`}>{percent.format(share)}</span>
    </span>
  );
}
