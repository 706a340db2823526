import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RateLimit } from '../../../src/client/types/settings.ts';
import { everything } from '../../../src/query/filter/ast.ts';
import { formatCost, formatCount } from '../../lib/format.ts';
import { type Group, groupId, groupsQuery, groupTitle } from '../../lib/metrics/groups.ts';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { parsePolicy, type Policy, windowStart, windowTitle } from './policy.ts';
import styles from './limits.module.css';

const shownSegments = 20;

/** What the record of the last window says of a limit: the fullest segments first. */
export function Fullness({ limit, onClose }: { readonly limit: RateLimit; readonly onClose: () => void }): ReactNode {
  const policy = parsePolicy(limit.policy);
  return (
    <Dialog title="How full it is" isOpen onClose={onClose}>
      {policy === undefined ? <Notice>This page cannot read the policy {limit.policy}.</Notice> : <Segments policy={policy} />}
      {limit.key_id !== null && limit.key_id !== undefined && <Notice>The limit holds for one key; the figures are of all.</Notice>}
    </Dialog>
  );
}

function Segments({ policy }: { readonly policy: Policy }): ReactNode {
  const [now] = useState(() => Date.now());
  const metric = policy.unit === 'cents' ? 'cost' : 'count';
  const by = policy.segment === undefined ? [] : [policy.segment === 'user' ? 'user' : `properties.${policy.segment}`];
  const query = {
    filter: everything,
    from: windowStart(policy, now),
    to: undefined,
    metrics: [metric],
    by,
    sort: { [metric]: 'desc' },
  } as const;
  const { data, error } = useQuery(groupsQuery({ ...query, limit: shownSegments }));
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading what="Adding up" />;
  const quota = policy.unit === 'cents' ? policy.quota / 100 : policy.quota;
  const format = policy.unit === 'cents' ? formatCost : formatCount;
  const columns: readonly DataColumn<Group>[] = [
    { id: 'segment', title: policy.segment ?? 'All calls', textOf: titleOf, cell: titleOf },
    { id: 'used', title: 'Used', isNumber: true, cell: ({ figures }) => format(figures[metric]) },
    { id: 'bar', title: 'Of the limit', cell: ({ figures }) => <Bar share={(figures[metric] ?? 0) / quota} /> },
  ];
  function titleOf({ key }: Group): string {
    return key.length === 0 ? 'together' : groupTitle(by, key);
  }
  return (
    <>
      <p className="muted">
        {typeof policy.window === 'number'
          ? `From the record of the last ${windowTitle(policy)}, against ${format(quota)}. The gateway counts from the first call of a window.`
          : `From the record of this ${policy.window.unit} in ${policy.window.timezone}, against ${format(quota)}.`}
      </p>
      <DataTable label="Segments" columns={columns} rows={data.groups} keyOf={({ key }) => groupId(key)} />
    </>
  );
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });

function Bar({ share }: { readonly share: number }): ReactNode {
  return (
    <span className={styles['bar']}>
      <span className={styles['track']}>
        <i className={share >= 1 ? styles['full'] : styles['part']} style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
      {percent.format(share)}
    </span>
  );
}
