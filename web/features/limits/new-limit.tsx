import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { calendarUnits, zoneNamed } from '../../../src/model/time/calendar.ts';
import { gatelog } from '../../lib/client.ts';
import { timeZone } from '../../lib/zone.ts';
import { Checkbox, type CheckboxProps } from '../../ui/form/checkbox.tsx';
import { correctFields, Form, Row } from '../../ui/form/form.tsx';
import { NumberField, numberFault, numberOf } from '../../ui/form/number-field.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { amountBounds, quotaOf } from './amounts.ts';
import { alertBefore } from './limit-alert.ts';
import { type Policy, policyText } from './policy.ts';
import { ScopeFields } from './scope-fields.tsx';

const unitOptions = [
  { value: 'cents', label: 'dollars' },
  { value: 'request', label: 'requests' },
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
  { value: 'all', label: 'all requests together' },
  { value: 'user', label: 'each user' },
  { value: 'property', label: 'each value of a property' },
  { value: 'value', label: 'one value of a property' },
] as const;

type Segment = (typeof segmentOptions)[number]['value'];

interface Filled {
  readonly isAmountEmpty: boolean;
  readonly isSegmentEmpty: boolean;
  readonly isPropertyEmpty: boolean;
  readonly isValueEmpty: boolean;
  readonly faults: readonly (string | undefined)[];
}

function missingIn({ isAmountEmpty, isSegmentEmpty, isPropertyEmpty, isValueEmpty, faults }: Filled): string | undefined {
  if (isAmountEmpty) return 'A limit needs a number.';
  if (isSegmentEmpty) return 'Choose for which requests the limit is.';
  if (isPropertyEmpty) return 'A property is missing.';
  if (isValueEmpty) return 'A value is missing.';
  return faults.some((fault) => fault !== undefined) ? correctFields : undefined;
}

export interface NewLimitProps {
  readonly onClose: () => void;
}

export function NewLimit({ onClose }: NewLimitProps): ReactNode {
  const [amount, setAmount] = useState('');
  const [unit, setUnit] = useState<(typeof unitOptions)[number]['value']>('cents');
  const [window, setWindow] = useState<keyof typeof windows>('day');
  const [zone, setZone] = useState(timeZone);
  // Chosen by the reader: a limit of all requests, sent by Enter in the first field, would stop everybody.
  const [segment, setSegment] = useState<Segment>();
  const [property, setProperty] = useState('');
  const [value, setValue] = useState('');
  const [isTold, setIsTold] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const ofProperty = segment === 'property' || segment === 'value' ? segment : undefined;
  const calendar = calendarUnits.find((name) => name === window);
  const timezone = zoneNamed(zone.trim());
  const bounds = amountBounds[unit];
  const zoneFault = calendar !== undefined && timezone === undefined ? 'Write a time zone, such as Europe/Berlin.' : undefined;
  const propertyFault = /[;\p{Cc}]/u.test(property) ? 'The name of a property has no “;” here.' : undefined;
  const missing = missingIn({
    isAmountEmpty: amount.trim() === '',
    isSegmentEmpty: segment === undefined,
    isPropertyEmpty: ofProperty !== undefined && property.trim() === '',
    isValueEmpty: segment === 'value' && value === '',
    faults: [numberFault(amount, bounds), zoneFault, ofProperty === undefined ? undefined : propertyFault],
  });
  const store = async (): Promise<void> => {
    const policy: Policy = {
      quota: quotaOf(unit, numberOf(amount) ?? 0),
      window: calendar === undefined ? Number(window) : { unit: calendar, timezone: timezone ?? zone },
      unit,
      segment: { all: undefined, user: 'user', property: property.trim(), value: property.trim() }[segment ?? 'all'],
    };
    const only = segment === 'value' ? value : undefined;
    await addLimit(policy, only);
    await queryClient.invalidateQueries({ queryKey: ['limits'] });
    if (isTold) await navigate({ to: '/alerts/new', search: alertBefore(policy, only) });
    else onClose();
  };
  return (
    <Dialog title="Add a limit" isOpen onClose={onClose}>
      <Form label="Limit" submit="Add the limit" onSubmit={store} onCancel={onClose} missing={missing}>
        <Row>
          <NumberField label="At most" value={amount} onChange={setAmount} bounds={bounds} isRequired autoFocus />
          <Select label="Unit" isLabelShown value={unit} options={unitOptions} onChange={setUnit} />
          <Select label="Window" isLabelShown value={window} options={windowOptions} onChange={setWindow} />
        </Row>
        <Row>
          {calendar !== undefined && <TextField label="Time zone" value={zone} onChange={setZone} fault={zoneFault} isRequired />}
          <Select label="Applies to" isLabelShown value={segment} options={segmentOptions} onChange={setSegment} />
          {ofProperty !== undefined && (
            <ScopeFields segment={ofProperty} {...{ property, value, propertyFault }} onProperty={setProperty} onValue={setValue} />
          )}
        </Row>
        <AlertToo isSelected={isTold} onChange={setIsTold} />
      </Form>
    </Dialog>
  );
}

function AlertToo(props: Pick<CheckboxProps, 'isSelected' | 'onChange'>): ReactNode {
  return <Checkbox {...props}>Tell me when 80% is used: opens a new alert rule once the limit is added</Checkbox>;
}

/** @param only the one value of its segment that the limit counts. */
async function addLimit(policy: Policy, only: string | undefined): Promise<void> {
  const limit = { policy: policyText(policy), ...(only === undefined ? {} : { value: only }) };
  await gatelog.limits.change((present) => [...present, limit]);
}
