import { statusOf, unknownModel } from '../../model/record/call-details.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { mapTextTags } from '../../model/record/text-tags.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { firstNonEmpty } from './record-texts.ts';

/**
 * The record of a call that several spans tell of: the first's, completed by the others. @param records at least one, the first of which
 * gives its identifier and its bodies. @param counted whose counts and cost count.
 */
export function mergedRecord(records: readonly [RequestRecord, ...RequestRecord[]], counted: RequestRecord): RequestRecord {
  const [first] = records;
  const { usage, cost, costSource, priceReference, appliedPrice } = counted;
  const inOrder = [counted, ...records];
  const text = (of: (record: RequestRecord) => string): string => firstNonEmpty(inOrder.map(of));
  const properties = mergedProperties(records);
  const status = statusOf(records.map((record) => record.status));
  const property = (name: string): string => properties.get(name) ?? '';
  return {
    ...first,
    ...mapTextTags((name) => firstNonEmpty(records.map((record) => record[name]))),
    usage,
    cost,
    costSource,
    priceReference,
    appliedPrice,
    serviceTier: text(({ serviceTier }) => serviceTier),
    requestModel: text(({ requestModel }) => requestModel),
    responseModel: text(({ responseModel }) => responseModel),
    model: text(({ model }) => (model === unknownModel ? '' : model)) || unknownModel,
    status,
    failure: records.find((record) => record.status === status)?.failure ?? first.failure,
    responseId: text(({ responseId }) => responseId),
    userId: firstNonEmpty(records.map(({ userId }) => userId)),
    promptId: firstNonEmpty(records.map(({ promptId }) => promptId)),
    client: text(({ client }) => client),
    clientVersion: text(({ clientVersion }) => clientVersion),
    streamed: records.some(({ streamed }) => streamed),
    timeToFirstTokenMs: inOrder.find(({ timeToFirstTokenMs }) => timeToFirstTokenMs !== null)?.timeToFirstTokenMs ?? null,
    properties,
    sessionId: property(sessionProperties.sessionId),
    sessionName: property(sessionProperties.sessionName),
    sessionPath: property(sessionProperties.sessionPath),
    spanLinks: [...new Set(records.flatMap(({ spanLinks }) => spanLinks))],
  };
}

/** A session that is only the trace yields to one that is named, and a path to one that is longer. */
function mergedProperties(records: readonly RequestRecord[]): Map<string, string> {
  const merged = new Map<string, string>();
  for (const { properties, traceId } of records) {
    for (const [name, value] of properties) {
      const before = merged.get(name) ?? '';
      const isNearer = name === sessionProperties.sessionPath && value.length > before.length;
      if (before === '' || isNearer || (name === sessionProperties.sessionId && before === traceId)) merged.set(name, value);
    }
  }
  return merged;
}
