import { type ReactNode, useState } from 'react';
import type { WebhookBody } from '../../../src/client/client.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { Form, Row } from '../../ui/form/form.tsx';
import { NumberField } from '../../ui/form/number-field.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { type WebhookDraft, type WebhookEvent, webhookEvents, webhookOf } from './webhook-draft.ts';
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
          <h2>Of which requests</h2>
          <SearchBar value={draft.q} onChange={(q) => change({ q })} isLive />
        </div>
      )}
      <Form
        label="Webhook"
        submit={submit}
        onSubmit={async () => (filter === undefined ? undefined : onSubmit(webhookOf(draft, filter)))}
        onCancel={onCancel}
        missing={
          filter === undefined
            ? 'The search cannot be read.'
            : draft.destination.trim() === ''
              ? 'A webhook needs a destination.'
              : draft.events.length === 0
                ? 'Choose at least one event.'
                : undefined
        }
        value={draft}
      >
        <Row>
          <TextField
            label="Destination"
            value={draft.destination}
            onChange={(destination) => change({ destination })}
            placeholder="https://example.com/events"
            about="An https address on the public internet, or one that the deployment allows"
            isRequired
          />
          <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} placeholder="ops" />
        </Row>
        <Events events={draft.events} onChange={(events) => change({ events })} />
        {hasRequests && (
          <Row>
            <NumberField
              label="Of so many percent of these requests"
              value={draft.sampleRate}
              onChange={(sampleRate) => change({ sampleRate })}
            />
            <Checkbox isSelected={draft.includesData} onChange={(includesData) => change({ includesData })}>
              With bodies and metadata
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

interface EventsProps {
  readonly events: readonly WebhookEvent[];
  readonly onChange: (events: readonly WebhookEvent[]) => void;
}

function Events({ events, onChange }: EventsProps): ReactNode {
  return (
    <fieldset className={styles['events']}>
      <legend>Tell when</legend>
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
