import type { Filter, Webhook, WebhookBody } from '../../../src/client/client.ts';
import type { FilterNode } from '../../../src/query/filter/ast.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import { searchOfFilter } from '../../lib/filter-text.ts';
import { addressFault } from '../../ui/form/address.ts';
import { correctFields } from '../../ui/form/form.tsx';
import { numberFault, numberOf } from '../../ui/form/number-field.tsx';
import type { WebhookEvent } from './events.ts';

/** A webhook as a form has it. */
export interface WebhookDraft {
  readonly name: string;
  readonly destination: string;
  readonly events: readonly WebhookEvent[];
  /** The search of its requests, in the language of `src/query/language`. */
  readonly q: string;
  /** Percent, as it is typed. */
  readonly sampleRate: string;
  readonly includesData: boolean;
  readonly isEnabled: boolean;
}

export const emptyWebhook: WebhookDraft = {
  name: '',
  destination: '',
  events: ['request.completed'],
  q: '',
  sampleRate: '100',
  includesData: true,
  isEnabled: true,
};

/** A stored webhook as a draft; undefined: no search says its filter, so that only the API can change it. */
export function webhookDraftOf({ name, destination, config, includeData, status }: Webhook): WebhookDraft | undefined {
  const q = searchOfFilter(config.filter);
  if (q === undefined) return undefined;
  return {
    name: name ?? '',
    destination,
    events: config.events,
    q,
    sampleRate: String(config.sampleRate),
    includesData: includeData,
    isEnabled: status.state === 'enabled',
  };
}

/** @param filter What the search of the draft means. */
export function webhookOf(draft: WebhookDraft, filter: FilterNode): WebhookBody {
  return {
    name: draft.name.trim() === '' ? null : draft.name.trim(),
    destination: draft.destination.trim(),
    config: { filter: filterJson(filter) as Filter, sampleRate: numberOf(draft.sampleRate), events: draft.events },
    includeData: draft.includesData,
    enabled: draft.isEnabled,
  };
}

const maxDestination = 2048;
const maxName = 128;
export const sampleBounds = { min: 0, max: 100 };

export function destinationFault(destination: string): string | undefined {
  return destination.trim().length > maxDestination ? `Write at most ${maxDestination} characters.` : addressFault(destination);
}

export function webhookNameFault(name: string): string | undefined {
  return name.trim().length > maxName ? `Write at most ${maxName} characters.` : undefined;
}

/** What keeps a draft from being saved, as a sentence; undefined: nothing. */
export function missingIn({ destination, name, events, sampleRate }: WebhookDraft, isSearchRead: boolean): string | undefined {
  if (!isSearchRead) return 'The search cannot be read.';
  if (destination.trim() === '') return 'A webhook needs a destination.';
  if (events.length === 0) return 'Choose at least one event.';
  const faults = [destinationFault(destination), webhookNameFault(name), numberFault(sampleRate, sampleBounds)];
  return faults.some((fault) => fault !== undefined) ? correctFields : undefined;
}
