import { type ReactNode, Suspense, useState } from 'react';
import { Dialog as AriaDialog, DialogTrigger, Popover } from 'react-aria-components';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { formatTime } from '../../lib/format.ts';
import { type RangeSearch, relativeRanges, type RelativeRange, standardRange } from '../../lib/time-range.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../button.tsx';
import { Loading } from '../loading.tsx';
import styles from './range-select.module.css';

// The date fields bring calendars of all locales.
const AbsoluteRange = lazyPart(async () => (await import('./absolute-range.tsx')).AbsoluteRange);

export interface RangeSelectProps {
  readonly value: RangeSearch;
  /** All three members are given, so that the address keeps none of the range before. */
  readonly onChange: (range: RangeSearch) => void;
}

/** The range of time of a page: one that ends now, or two times. */
export function RangeSelect({ value, onChange }: RangeSelectProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const choose = (range: RangeSearch): void => {
    onChange({ range: range.range, from: range.from, to: range.to });
    setIsOpen(false);
  };
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
      <Button aria-label={`Time: ${rangeLabel(value)}`}>
        <span className="clip">{rangeLabel(value)}</span>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className={styles['popover'] ?? ''} placement="bottom end">
        <AriaDialog className={styles['dialog'] ?? ''} aria-label="Time">
          <ul className={styles['relative']}>
            {Object.entries(relativeRanges).map(([range, { label }]) => (
              <li key={range}>
                <Button kind="quiet" onPress={() => choose({ range: range as RelativeRange })}>
                  {label}
                </Button>
              </li>
            ))}
          </ul>
          <Suspense fallback={<Loading />}>
            <AbsoluteRange value={value} onChange={choose} />
          </Suspense>
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  );
}

function rangeLabel({ range, from, to }: RangeSearch): string {
  if (range !== undefined || (from === undefined && to === undefined)) return relativeRanges[range ?? standardRange].label;
  if (from === undefined) return `Until ${timeText(to ?? 0)}`;
  return to === undefined ? `Since ${timeText(from)}` : `${timeText(from)} – ${timeText(to)}`;
}

function timeText(time: number): string {
  return formatTime(new Date(time).toISOString(), timeZone());
}
