import type { ReactNode } from 'react';
import styles from './facts.module.css';

export interface FactsProps {
  /** Names and values in their order. A value of null is shown as a dash. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names with their values in columns. */
export function Facts({ facts }: FactsProps): ReactNode {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="clip" dir="auto" title={name}>
            {name}
          </dt>
          <dd className="clip" dir="auto" title={typeof value === 'string' ? value : undefined}>
            {value === null || value === '' ? '–' : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
