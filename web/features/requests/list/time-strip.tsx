import { type MouseEvent, type ReactNode, useState } from 'react';
import { formatAmount, formatCount, formatTime } from '../../../lib/format.ts';
import { valuesOf } from '../../../lib/metrics/chart-series.ts';
import { timeZone } from '../../../lib/zone.ts';
import styles from './time-strip.module.css';
import type { ListCourse } from './use-course.ts';

const height = 100;

export interface TimeStripProps {
  /** Undefined: it is on its way. */
  readonly shown: ListCourse | undefined;
  readonly onZoom: (from: number, to: number) => void;
}

/** When the requests of the list were made and when they failed. A click shows the requests of a bar. */
export function TimeStrip({ shown, onZoom }: TimeStripProps): ReactNode {
  const [pointed, setPointed] = useState<number>();
  if (shown === undefined) return <div className={styles['strip']} data-waiting="true" />;
  const { buckets, course, total } = shown;
  const { starts, end } = buckets;
  const counts = valuesOf(course, starts, 'count').map(Number);
  const failed = valuesOf(course, starts, 'errors').map(Number);
  const most = Math.max(1, ...counts);
  const barAt = ({ currentTarget, clientX }: MouseEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(starts.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * starts.length)));
  };
  const start = pointed === undefined ? undefined : starts[pointed];
  return (
    <figure className={styles['strip']} aria-label="Requests over time">
      <div
        role="presentation"
        className={styles['bars']}
        onMouseMove={(event) => setPointed(barAt(event))}
        onMouseLeave={() => setPointed(undefined)}
        onClick={(event) => {
          const { [barAt(event)]: from, [barAt(event) + 1]: to = end } = starts;
          if (from !== undefined) onZoom(from, to);
        }}
      >
        <svg
          role="img"
          aria-label={`${formatAmount(total?.count, 'request')}, ${formatCount(total?.errors)} failed`}
          viewBox={`0 0 ${starts.length} ${height}`}
          preserveAspectRatio="none"
        >
          <path className={styles['all']} d={barsPath(counts, most)} />
          <path className={styles['failed']} d={barsPath(failed, most)} />
        </svg>
      </div>
      {pointed !== undefined && start !== undefined && (
        <figcaption aria-hidden="true">{barText(start, counts[pointed] ?? 0, failed[pointed] ?? 0)}</figcaption>
      )}
    </figure>
  );
}

function barText(from: number, count: number, errors: number): string {
  const requests = `${formatCount(count)} ${count === 1 ? 'request' : 'requests'}`;
  return `${formatTime(new Date(from).toISOString(), timeZone())}: ${requests}${errors > 0 ? `, ${formatCount(errors)} failed` : ''}`;
}

/** What is not nothing is seen. */
const least = 4;

function barsPath(values: readonly number[], most: number): string {
  return values
    .map((value, index) => {
      if (value === 0) return '';
      const tall = Math.max(least, (value / most) * height);
      return `M${index + 0.1} ${height}v${-tall}h0.8v${tall}z`;
    })
    .join('');
}
