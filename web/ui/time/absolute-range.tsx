import type { ZonedDateTime } from '@internationalized/date';
import { type ReactNode, useState } from 'react';
import { type RangeSearch, timeRangeOf } from '../../lib/time-range.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../button.tsx';
import { TimeField, zonedTime } from './time-field.tsx';
import styles from './range-select.module.css';

export interface AbsoluteRangeProps {
  readonly value: RangeSearch;
  readonly onChange: (range: RangeSearch) => void;
}

/** Two times to the minute, in the zone of the page. */
export function AbsoluteRange({ value, onChange }: AbsoluteRangeProps): ReactNode {
  const [now] = useState(() => Date.now());
  const { from, to } = timeRangeOf(value, now);
  const [start, setStart] = useState<ZonedDateTime | null>(() => zonedTime(from ?? now - 86_400_000));
  const [end, setEnd] = useState<ZonedDateTime | null>(() => zonedTime(to ?? now));
  const isInOrder = start !== null && end !== null && start.compare(end) < 0;
  const apply = (): void => {
    if (isInOrder) onChange({ from: start.toDate().getTime(), to: end.toDate().getTime() });
  };
  return (
    <div className={styles['absolute']}>
      <TimeField label="From" value={start} onChange={setStart} />
      <TimeField label="To" value={end} onChange={setEnd} />
      <p className="muted">{timeZone()}</p>
      {!isInOrder && <p className={styles['fault']}>The first time must be before the second.</p>}
      <Button kind="primary" onPress={apply} isDisabled={!isInOrder}>
        Show this time
      </Button>
    </div>
  );
}
