import { parseAbsolute, type ZonedDateTime } from '@internationalized/date';
import type { ReactNode } from 'react';
import { DateField, DateInput, DateSegment, Label } from 'react-aria-components';
import { timeZone } from '../../lib/zone.ts';
import styles from './range-select.module.css';

export interface TimeFieldProps {
  readonly label: string;
  readonly value: ZonedDateTime | null;
  readonly onChange: (value: ZonedDateTime | null) => void;
}

/** A time to the minute, in the zone of the page. */
export function TimeField({ label, value, onChange }: TimeFieldProps): ReactNode {
  return (
    <DateField className={styles['field'] ?? ''} granularity="minute" hourCycle={24} hideTimeZone value={value} onChange={onChange}>
      <Label className={styles['label'] ?? ''}>{label}</Label>
      <DateInput className={styles['input'] ?? ''}>
        {(segment) => <DateSegment segment={segment} className={styles['segment'] ?? ''} />}
      </DateInput>
    </DateField>
  );
}

/** @param time Unix milliseconds. */
export function zonedTime(time: number): ZonedDateTime {
  return parseAbsolute(new Date(Math.floor(time / 60_000) * 60_000).toISOString(), timeZone());
}
