import type { z } from 'zod';
import type { webhookBodySchema } from '../../contract/events/webhooks.ts';
import { unwrap } from '../../contract/fault.ts';
import type { WebhookRefusal } from '../../metadata/organization/webhooks.ts';
import { GatelogError } from '../../model/errors.ts';
import { bodyFault, type Result, success } from '../../model/fault.ts';
import { webhookLimits } from '../../model/vocabulary/limits.ts';
import { filterWrappers } from '../../query/filter/leaf.ts';
import { parseFilter } from '../../query/filter/parse.ts';
import { withPropertyFilters } from '../../events/webhooks/property-filters.ts';
import type { WebhookInput } from '../../events/webhooks.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

/** A webhook as it is stored, from a caller's. @returns the fault of a filter or a destination that is not allowed. */
export function readWebhook(body: z.output<typeof webhookBodySchema>, { webhooks }: Pick<ApiPorts, 'webhooks'>): Result<WebhookInput> {
  const { destination, name = null, config = {}, includeData = true, enabled } = body;
  const { propertyFilters = [], sampleRate = 100, events = ['request.completed'] } = config;
  const dialect = { wrappers: filterWrappers, unwrappedProperties: 'refuse' } as const;
  const alone = parseFilter(config.filter ?? {}, dialect, ['config', 'filter']);
  if (!alone.ok) return alone;
  const filter = withPropertyFilters(config.filter, propertyFilters);
  // Together they may exceed the limits of a filter, or name a property in a form that no filter takes.
  const together = parseFilter(filter, dialect, ['config', 'propertyFilters']);
  if (!together.ok) return together;
  const problem = webhooks.destinationProblem(destination);
  if (problem !== undefined) return bodyFault(['destination'], `\`destination\` ${problem}.`);
  return success({ name, destination, filter, sampleRate, events, includeData, isEnabled: enabled });
}

/** The webhook, unless it was refused. @throws GatelogError 404 or 422. */
export function storedWebhook<Value extends object>(stored: Value | WebhookRefusal): Value {
  if (typeof stored !== 'string') return stored;
  if (stored === 'gone') throw unknownWebhook();
  if (stored === 'too_many') {
    return unwrap(
      bodyFault([], `An organisation has at most ${webhookLimits.webhooks} webhooks; delete one first (DELETE /v1/webhooks/{id}).`),
    );
  }
  return unwrap(bodyFault(['name'], 'Another webhook of the organisation has this name. Write another one, or change that webhook.'));
}

export function unknownWebhook(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such webhook; GET /v1/webhooks lists them.');
}
