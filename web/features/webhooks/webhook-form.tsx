import { type ReactNode, useState } from 'react';
import type { WebhookBody } from '../../../src/client/client.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { Form, Row } from '../../ui/form/form.tsx';
import { NumberField } from '../../ui/form/number-field.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { type WebhookEvent, webhookEvents } from './events.ts';
import { destinationFault, missingIn, sampleBounds, type WebhookDraft, webhookNameFault, webhookOf } from './webhook-draft.ts';
import styles from './webhooks.module.css';

export interface WebhookFormProps {
  readonly initial: WebhookDraft;
  readonly submit: string;
  readonly onSubmit: (webhook: WebhookBody) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** Where events go, and which. */
export function WebhookForm({ initial, submit, onSubmit, onCancel }: WebhookFormProps): ReactNode {
  const [draft, setDraft] = useState(initial);
  const change = (changed: Partial<WebhookDraft>): void => setDraft({ ...draft, ...changed });
  const { filter } = useReadSearch(draft.q);
  const hasRequests = draft.events.some((event) => event.startsWith('request.'));
  return (
    <div className={styles['form']}>
      {hasRequests && (
        <div>
          <h2>Requests</h2>
          <SearchBar value={draft.q} onChange={(q) => change({ q })} isLive />
        </div>
      )}
      <Form
        label="Webhook"
        submit={submit}
        onSubmit={async () => (filter === undefined ? undefined : onSubmit(webhookOf(draft, filter)))}
        onCancel={onCancel}
        missing={missingIn(draft, filter !== undefined)}
        value={draft}
      >
        <Destination draft={draft} onChange={change} />
        <Events events={draft.events} onChange={(events) => change({ events })} />
        {hasRequests && (
          <Row>
            <NumberField
              label="Sample rate, %"
              value={draft.sampleRate}
              onChange={(sampleRate) => change({ sampleRate })}
              bounds={sampleBounds}
              placeholder="100"
              about="Percent of the matching requests; empty means all of them"
            />
            <Checkbox isSelected={draft.includesData} onChange={(includesData) => change({ includesData })}>
              Include bodies and metadata
            </Checkbox>
          </Row>
        )}
        <Checkbox isSelected={draft.isEnabled} onChange={(isEnabled) => change({ isEnabled })}>
          Enabled
        </Checkbox>
      </Form>
    </div>
  );
}

interface DestinationProps {
  readonly draft: WebhookDraft;
  readonly onChange: (changed: Partial<WebhookDraft>) => void;
}

function Destination({ draft, onChange }: DestinationProps): ReactNode {
  return (
    <Row>
      <TextField
        label="Destination"
        value={draft.destination}
        onChange={(destination) => onChange({ destination })}
        placeholder="https://example.com/events"
        about="An https address on the public internet, or one that the deployment allows"
        fault={destinationFault(draft.destination)}
        isRequired
      />
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        placeholder="ops"
        fault={webhookNameFault(draft.name)}
      />
    </Row>
  );
}

interface EventsProps {
  readonly events: readonly WebhookEvent[];
  readonly onChange: (events: readonly WebhookEvent[]) => void;
}

function Events({ events, onChange }: EventsProps): ReactNode {
  return (
    <fieldset className={styles['events']}>
      <legend>Events</legend>
      {webhookEvents.map(({ id, title }) => (
        <Checkbox
          key={id}
          isSelected={events.includes(id)}
          onChange={(isSelected) => onChange(isSelected ? [...events, id] : events.filter((event) => event !== id))}
        >
          {title}
        </Checkbox>
      ))}
    </fieldset>
  );
}
