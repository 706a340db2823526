import { type ReactNode, useMemo } from 'react';
import type { ServiceHealth } from '../../../src/client/types/dashboard.ts';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { Section } from '../../ui/layout/page.tsx';
import styles from './health.module.css';

type History = ServiceHealth['history'];
type Column = Exclude<keyof History, 'at' | 'step_ms'>;

interface HealthChart {
  readonly column: Column;
  readonly title: string;
  readonly color: number;
  readonly format: (value: number | null) => string;
}

const rate = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

function formatRate(value: number | null): string {
  return value === null ? '–' : `${rate.format(value)}/s`;
}

const charts: readonly HealthChart[] = [
  { column: 'requests_per_second', title: 'Requests per second', color: 1, format: formatRate },
  { column: 'gateway_latency_p95_ms', title: 'Gateway latency added, p95', color: 2, format: formatDuration },
  { column: 'visible_delay_p95_ms', title: 'Delay until visible, p95', color: 3, format: formatDuration },
  { column: 'spool_bytes', title: 'Spool size', color: 6, format: formatBytes },
  { column: 'memory_bytes', title: 'Memory, all processes', color: 7, format: formatBytes },
];

/** Points that make a line. */
const fewest = 2;

export interface HealthChartsProps {
  readonly history: History;
  readonly spoolMaxBytes: number;
}

/** The last hour. */
export function HealthCharts({ history, spoolMaxBytes }: HealthChartsProps): ReactNode {
  const times = useMemo(() => history.at.map((at) => Date.parse(at)), [history]);
  if (times.length < fewest) {
    return (
      <Section title="Last hour">
        <p className="muted">The charts begin {history.step_ms / 1000} s after the service has started.</p>
      </Section>
    );
  }
  return (
    <Section title="Last hour" about={`A point every ${history.step_ms / 1000} s; kept in memory, so it starts over with the service`}>
      <div className={styles['charts']}>
        {charts.map((chart) => (
          <OneChart key={chart.column} {...chart} values={history[chart.column]} times={times} spoolMaxBytes={spoolMaxBytes} />
        ))}
      </div>
    </Section>
  );
}

interface OneChartProps extends HealthChart {
  readonly values: readonly (number | null)[];
  readonly times: readonly number[];
  readonly spoolMaxBytes: number;
}

function OneChart({ column, title, color, format, values, times, spoolMaxBytes }: OneChartProps): ReactNode {
  const series = useMemo(() => [{ id: column, title, color, values }], [column, title, color, values]);
  const latest = values.at(-1) ?? null;
  const isSpool = column === 'spool_bytes';
  return (
    <Chart
      title={title}
      about={isSpool ? `${format(latest)} of ${formatBytes(spoolMaxBytes)}` : format(latest)}
      kind="line"
      times={times}
      series={series}
      format={format}
      axisFormat={format}
      zone={timeZone()}
      syncKey="health"
      height={120}
    />
  );
}
