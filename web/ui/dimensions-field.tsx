import type { ReactNode } from 'react';
import { metricsLimits } from '../../src/model/vocabulary/metrics.ts';
import { type Dimension, dimensionTitle } from '../lib/metrics/dimensions.ts';
import { Button } from './button.tsx';
import { DimensionSelect } from './dimension-select.tsx';
import styles from './dimensions-field.module.css';

export interface DimensionsFieldProps {
  readonly legend: string;
  readonly value: readonly Dimension[];
  readonly onChange: (value: readonly Dimension[]) => void;
}

/** Up to three dimensions, in their order. */
export function DimensionsField({ legend, value, onChange }: DimensionsFieldProps): ReactNode {
  const change = (chosen: readonly Dimension[]): void => onChange([...new Set(chosen)]);
  return (
    <fieldset className={styles['field']}>
      <legend>{legend}</legend>
      {value.map((dimension, index) => (
        <span key={dimension} className={styles['choice']}>
          <DimensionSelect
            label={`Dimension ${index + 1}`}
            isLabelShown={false}
            value={dimension}
            onChange={(chosen) => change(chosen === undefined ? value.toSpliced(index, 1) : value.with(index, chosen))}
          />
          <Button kind="quiet" onPress={() => change(value.toSpliced(index, 1))} aria-label={`Remove ${dimensionTitle(dimension)}`}>
            ✕
          </Button>
        </span>
      ))}
      {value.length < metricsLimits.dimensions && (
        <DimensionSelect
          label="Further dimension"
          isLabelShown={false}
          value={undefined}
          none={value.length === 0 ? 'None' : '+ dimension'}
          onChange={(chosen) => change(chosen === undefined ? value : [...value, chosen])}
        />
      )}
    </fieldset>
  );
}
