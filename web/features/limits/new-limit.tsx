import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RateLimit } from '../../../src/client/types/settings.ts';
import { calendarUnits, zoneNamed } from '../../../src/model/time/calendar.ts';
import { gatelog } from '../../lib/client.ts';
import { timeZone } from '../../lib/zone.ts';
import { Form, Row } from '../../ui/form/form.tsx';
import { NumberField, numberOf } from '../../ui/form/number-field.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { policyText } from './policy.ts';

const unitOptions = [
  { value: 'cents', label: 'dollars' },
  { value: 'request', label: 'calls' },
] as const;

const windows = {
  day: 'a calendar day',
  week: 'a calendar week',
  month: 'a calendar month',
  '60': 'a minute',
  '3600': 'an hour',
  '86400': '24 hours',
  '604800': '7 days',
  '2592000': '30 days',
} as const;
const windowOptions = Object.entries(windows).map(([value, label]) => ({ value: value as keyof typeof windows, label }));

const segmentOptions = [
  { value: 'all', label: 'all calls together' },
  { value: 'user', label: 'each user' },
  { value: 'property', label: 'each value of a property' },
] as const;

export interface NewLimitProps {
  /** All limits of the organisation, which are stored as one list. */
  readonly limits: readonly RateLimit[];
  readonly onClose: () => void;
}

export function NewLimit({ limits, onClose }: NewLimitProps): ReactNode {
  const [amount, setAmount] = useState('');
  const [unit, setUnit] = useState<(typeof unitOptions)[number]['value']>('cents');
  const [window, setWindow] = useState<keyof typeof windows>('day');
  const [zone, setZone] = useState(timeZone);
  const [segment, setSegment] = useState<(typeof segmentOptions)[number]['value']>('all');
  const [property, setProperty] = useState('');
  const queryClient = useQueryClient();
  const quota = numberOf(amount);
  const calendar = calendarUnits.find((name) => name === window);
  const timezone = zoneNamed(zone.trim());
  const store = async (): Promise<void> => {
    const policy = policyText({
      quota: unit === 'cents' ? Math.round((quota ?? 0) * 100) : (quota ?? 0),
      window: calendar === undefined ? Number(window) : { unit: calendar, timezone: timezone ?? zone },
      unit,
      segment: { all: undefined, user: 'user', property: property.trim() }[segment],
    });
    await gatelog.limits.replace([...limits, { policy }]);
    await queryClient.invalidateQueries({ queryKey: ['limits'] });
    onClose();
  };
  return (
    <Dialog title="Add a limit" isOpen onClose={onClose}>
      <Form
        label="Limit"
        submit="Add the limit"
        onSubmit={store}
        onCancel={onClose}
        missing={
          quota === undefined
            ? 'A limit needs a number.'
            : segment === 'property' && property.trim() === ''
              ? 'Name the property.'
              : calendar !== undefined && timezone === undefined
                ? 'Name a time zone such as Europe/Berlin.'
                : undefined
        }
      >
        <Row>
          <NumberField label="At most" value={amount} onChange={setAmount} isRequired autoFocus />
          <Select label="of" isLabelShown value={unit} options={unitOptions} onChange={setUnit} />
          <Select label="in" isLabelShown value={window} options={windowOptions} onChange={setWindow} />
        </Row>
        <Row>
          {calendar !== undefined && <TextField label="Time zone" value={zone} onChange={setZone} isRequired />}
          <Select label="for" isLabelShown value={segment} options={segmentOptions} onChange={setSegment} />
          {segment === 'property' && <TextField label="Property" value={property} onChange={setProperty} placeholder="Team" isRequired />}
        </Row>
        <p className="muted">
          A limit that also tells you is an alert rule: see Alerts, More, &ldquo;Refuse calls beyond the threshold&rdquo;.
        </p>
      </Form>
    </Dialog>
  );
}
