import { randomUUID } from 'node:crypto';
import type { Webhook } from '../../model/events/webhook.ts';
import type { OrganizationId, RequestId, Uuid } from '../../model/ids.ts';
import { jsonParts } from '../../model/json/raw.ts';
import type { Payload } from './target.ts';
import type { Delivery } from '../log/due.ts';
import { type ShortBodiesRow, shortBodiesColumns } from '../../query/requests/columns.ts';
import { bodiesOf, requestItem } from '../../query/requests/item.ts';
import { bodiesStatements } from '../../query/requests/select.ts';
import { requestRowsStatement, type StreamRow } from '../../query/stream/rows.ts';
import { type BodyReading, type BodyTexts, readBodyRuns } from '../../reading/body-runs.ts';

export interface RequestPayloadOptions {
  readonly definitions: { readonly find: (organizationId: OrganizationId, id: Uuid) => Webhook | undefined };
  readonly readingOf: (organizationId: OrganizationId, signal: AbortSignal) => BodyReading;
  /** An address that returns both bodies without a key, for an hour: for webhooks that get data. */
  readonly bodyAddressOf: (organizationId: OrganizationId, requestId: RequestId) => string;
}

/** Bytes of a body in UTF-8; a longer one is left to its address. */
const maxBodyBytes = 10 * 1024;
/** The texts of a record as far as a payload holds them. */
const shortBodies: BodyTexts = {
  statementsFor: (tenant, rows) => bodiesStatements(tenant, rows, 'short', shortBodiesColumns(maxBodyBytes)),
  timesPassed: 2,
};
const leftOut = 'The body is larger than 10 KiB; request_response_url returns it.';

/**
 * Makes the bodies of events about requests of one target, from what is stored at this moment: a few statements for all of them. A request
 * that is not stored any more is `gone`. @throws when the store fails.
 */
export function makeRequestPayloads({ definitions, readingOf, bodyAddressOf }: RequestPayloadOptions) {
  return async (deliveries: readonly Delivery[], signal: AbortSignal): Promise<ReadonlyMap<string, Payload>> => {
    const [first] = deliveries;
    if (first === undefined) return new Map();
    const { organizationId, target } = first;
    const webhook = target.kind === 'webhook' ? definitions.find(organizationId, target.webhookId as Uuid) : undefined;
    const reading = readingOf(organizationId, signal);
    const byRequest = new Map<string, Delivery[]>();
    for (const delivery of deliveries) byRequest.set(requestIdOf(delivery), [...(byRequest.get(requestIdOf(delivery)) ?? []), delivery]);
    const payloads = new Map<string, Payload>(deliveries.map(({ id }) => [id, { kind: 'gone' }]));
    const add = (row: StreamRow, bodies: ShortBodiesRow | undefined, includeData: boolean): void => {
      const address = bodyAddressOf(organizationId, row.id as RequestId);
      for (const delivery of byRequest.get(row.id) ?? []) {
        payloads.set(delivery.id, payloadOf({ delivery, row, bodies, address, includeData }));
      }
    };
    try {
      const rows = await reading.run<StreamRow>(requestRowsStatement(organizationId, deliveries.flatMap(keyOf), false), signal);
      if (webhook?.includeData === false) for (const row of rows) add(row, undefined, false);
      else {
        for await (const { rows: some, bodies } of readBodyRuns<StreamRow, ShortBodiesRow>(reading, rows, shortBodies)) {
          for (const row of some) add(row, bodies.get(row.id), true);
        }
      }
    } finally {
      reading.memory.keepAnswer(0);
    }
    return payloads;
  };
}

function requestIdOf({ subject }: Delivery): string {
  return subject.kind === 'request' ? subject.requestId : '';
}

function keyOf({ subject }: Delivery): readonly { readonly requestId: RequestId; readonly createdAt: number }[] {
  return subject.kind === 'request' ? [subject] : [];
}

interface Made {
  readonly delivery: Delivery;
  readonly row: StreamRow;
  readonly bodies: ShortBodiesRow | undefined;
  readonly address: string;
  readonly includeData: boolean;
}

function payloadOf({ delivery, row, bodies, address, includeData }: Made): Payload {
  const item = requestItem(row, undefined);
  const content = {
    type: delivery.type,
    timestamp: new Date(delivery.occurredAt).toISOString(),
    request_id: item.request_id,
    user_id: item.request_user_id === '' ? null : item.request_user_id,
    session_id: item.session_id,
    model: item.model,
    provider: item.provider,
    properties: item.properties,
    ...(includeData ? { request_response_url: address, ...dataOf(item, bodies) } : {}),
  };
  return { kind: 'body', body: jsonParts(content, randomUUID()).join('') };
}

function dataOf(item: ReturnType<typeof requestItem>, bodies: ShortBodiesRow | undefined) {
  const { request, response } = bodiesOf(bodies);
  return {
    request_body: bodies?.request_is_long === true ? leftOut : request,
    response_body: bodies?.response_is_long === true ? leftOut : response,
    input_preview: item.input_preview,
    output_preview: item.output_preview,
    metadata: {
      cost: item.cost,
      promptTokens: item.prompt_tokens,
      completionTokens: item.completion_tokens,
      totalTokens: item.total_tokens,
      latencyMs: item.latency,
    },
  };
}
