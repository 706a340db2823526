import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type AskedMetric, metricNames } from '../../../src/model/vocabulary/metrics.ts';
import { type Dimension, dimensionTitle } from '../../lib/metrics/dimensions.ts';
import { metricTitle } from '../../lib/metrics/metric-format.ts';
import { scoreMetricsQuery } from '../../lib/metrics/score-metrics.ts';
import { useNarrow } from '../../lib/use-narrow.ts';
import { Button } from '../../ui/button.tsx';
import { DimensionsField } from '../../ui/dimensions-field.tsx';
import { Select } from '../../ui/select.tsx';
import { charts, type ExploreChart, exploreLimits, type ExploreSearch, standard } from './search.ts';
import styles from './explore-page.module.css';

const chartOptions = Object.entries(charts).map(([value, label]) => ({ value: value as ExploreChart, label }));
const topOptions = [5, 8, 10, 20, 50].map((top) => ({ value: String(top), label: `Top ${top}` }));

export interface ExploreControlsProps {
  readonly metrics: readonly AskedMetric[];
  readonly by: readonly Dimension[];
  readonly chart: ExploreChart;
  readonly top: number;
  readonly onChange: (changed: ExploreSearch) => void;
}

/** What is asked. On a phone it is a line that opens: who reads there comes for the figures. */
export function ExploreControls(props: ExploreControlsProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  if (!useNarrow()) return <Controls {...props} />;
  return (
    <div className={styles['folded']}>
      <Button onPress={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
        <span className="clip">{askedText(props)}</span>
        <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
      </Button>
      {isOpen && <Controls {...props} />}
    </div>
  );
}

/** Such as `Cost, Requests by Model · Lines`. */
function askedText({ metrics, by, chart }: ExploreControlsProps): string {
  const groups = by.length === 0 ? '' : ` by ${by.map((dimension) => dimensionTitle(dimension)).join(', ')}`;
  return `${metrics.map((metric) => metricTitle(metric)).join(', ')}${groups} · ${charts[chart]}`;
}

/** From left to right: metrics, groups, and how they are shown. */
function Controls({ metrics, by, chart, top, onChange }: ExploreControlsProps): ReactNode {
  return (
    <div className={styles['controls']}>
      <Metrics metrics={metrics} onChange={(chosen) => onChange({ metrics: [...new Set(chosen)], sort: undefined, order: undefined })} />
      <DimensionsField legend="By" value={by} onChange={(chosen) => onChange({ by: chosen.length === 0 ? undefined : chosen })} />
      <fieldset className={styles['group']}>
        <legend>As</legend>
        <Select label="Chart" value={chart} options={chartOptions} onChange={(value) => onChange({ chart: value })} />
        {by.length > 0 && (
          <Select
            label="Number of groups"
            value={String(top)}
            options={topOptions}
            onChange={(value) => onChange({ top: Number(value) === standard.top ? undefined : Number(value) })}
          />
        )}
      </fieldset>
    </div>
  );
}

interface MetricsProps {
  readonly metrics: readonly AskedMetric[];
  readonly onChange: (metrics: readonly AskedMetric[]) => void;
}

function Metrics({ metrics, onChange }: MetricsProps): ReactNode {
  const { data: scores = [] } = useQuery(scoreMetricsQuery);
  const next = metricNames.find((name) => !metrics.includes(name));
  const known = [...new Set([...metricNames, ...scores, ...metrics])];
  const options = known.map((value) => ({ value, label: metricTitle(value) }));
  return (
    <fieldset className={styles['group']}>
      <legend>Show</legend>
      {metrics.map((metric, index) => (
        <span key={metric} className={styles['choice']}>
          <Select
            label={`Metric ${index + 1}`}
            value={metric}
            options={options}
            onChange={(value) => onChange(metrics.with(index, value))}
          />
          {metrics.length > 1 && <Remove name={metricTitle(metric)} onPress={() => onChange(metrics.toSpliced(index, 1))} />}
        </span>
      ))}
      {metrics.length < exploreLimits.metrics && next !== undefined && (
        <Button kind="quiet" onPress={() => onChange([...metrics, next])}>
          + Metric
        </Button>
      )}
    </fieldset>
  );
}

function Remove({ name, onPress }: { readonly name: string; readonly onPress: () => void }): ReactNode {
  return (
    <Button kind="quiet" onPress={onPress} aria-label={`Remove ${name}`}>
      ✕
    </Button>
  );
}
