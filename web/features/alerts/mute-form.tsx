import { type ReactNode, useState } from 'react';
import { timeZone } from '../../lib/zone.ts';
import { Form } from '../../ui/form/form.tsx';
import { TimeField, zonedTime } from '../../ui/time/time-field.tsx';

export interface MuteFormProps {
  /** @param until ISO 8601. */
  readonly onMute: (until: string) => Promise<unknown>;
  readonly onCancel: () => void;
}

const day = 86_400_000;

/** Mutes until a time of one's choice. */
export function MuteForm({ onMute, onCancel }: MuteFormProps): ReactNode {
  const [now] = useState(() => Date.now());
  const [until, setUntil] = useState<ReturnType<typeof zonedTime> | null>(() => zonedTime(now + day));
  const isAhead = until !== null && until.toDate().getTime() > now;
  return (
    <Form
      label="Mute"
      submit="Mute"
      onSubmit={async () => (until === null ? undefined : onMute(until.toDate().toISOString()))}
      onCancel={onCancel}
      missing={isAhead ? undefined : 'Choose a time in the future.'}
    >
      <p>The rule goes on measuring, and nobody is notified before this time.</p>
      <TimeField label={`Until, in ${timeZone()}`} value={until} onChange={setUntil} />
    </Form>
  );
}
