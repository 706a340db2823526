import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { AlertIncidentOfRule } from '../../../src/client/types/alerts.ts';
import type { BucketedRange } from '../../lib/buckets.ts';
import { gatelog } from '../../lib/client.ts';
import { formatAmount, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import type { ChartBand } from '../../ui/chart/chart-data.ts';
import { Badge } from '../../ui/badge.tsx';
import styles from './overview-page.module.css';

/** The newest of all rules, of which a chart marks those of its time. */
const maxIncidents = 200;
const shownIncidents = 3;

export interface ShownIncidents {
  readonly rows: readonly AlertIncidentOfRule[];
  /** What charts mark. */
  readonly bands: readonly ChartBand[];
}

/** Incidents of alerts that were open at some time of a range, the newest first. */
export function useIncidents({ from, to }: Pick<BucketedRange, 'from' | 'to'>): ShownIncidents {
  const { data } = useQuery({
    queryKey: ['incidents'],
    queryFn: async ({ signal }) => (await gatelog.alerts.allIncidents({ limit: maxIncidents, signal })).data,
  });
  return useMemo(() => {
    const rows = (data ?? []).filter(({ started_at: start, ended_at: end }) => {
      const endsAt = end === null ? Infinity : Date.parse(end);
      return Date.parse(start) < to && endsAt >= from;
    });
    return { rows, bands: rows.map(({ started_at: start, ended_at: end }) => ({ from: Date.parse(start), to: endOf(end) })) };
  }, [data, from, to]);
}

function endOf(end: string | null): number | undefined {
  return end === null ? undefined : Date.parse(end);
}

/** The incidents that the charts mark, each a way to its alert. Nothing where there is none. */
export function Incidents({ rows }: Pick<ShownIncidents, 'rows'>): ReactNode {
  if (rows.length === 0) return null;
  return (
    <ul className={styles['incidents']} aria-label="Incidents, marked on the charts">
      {rows.slice(0, shownIncidents).map(({ id, alert_id: alertId, alert_name: name, started_at: start, ended_at: end }) => (
        <li key={id}>
          {end === null ? <Badge kind="bad">firing</Badge> : <Badge kind="plain">resolved</Badge>}{' '}
          <Link to="/alerts/$alertId" params={{ alertId }} dir="auto" title={name} className="clip">
            {name}
          </Link>{' '}
          <span className="muted">since {formatTime(start, timeZone())}</span>
        </li>
      ))}
      {rows.length > shownIncidents && (
        <li>
          <Link to="/alerts">{formatAmount(rows.length - shownIncidents, 'more incident')}</Link>
        </li>
      )}
    </ul>
  );
}
