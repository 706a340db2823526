import type { Exchange } from '../../model/record/exchange.ts';
import { moneyText } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { exceedsBytes, type JsonObject } from '../../model/text.ts';
import { originOf, responseKeyOf, type UsageCompletion } from '../../model/record/usage-completion.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { jsonOf, objectOf, textOf } from '../../providers/format/fields.ts';
import { geminiInteractions } from '../../providers/google/interactions.ts';
import { openAiResponses } from '../../providers/openai/responses.ts';
import type { WireFormat } from '../../providers/format/provider.ts';
import { wireFormatFor } from '../../providers/registry.ts';
import { type InterpretContext, recordNameOf, redacted, withShortNames } from '../interpret/interpret.ts';
import { type ReadRequest, type ReadResponse, readResponse, upstreamPath } from '../interpret/bodies.ts';
import { outputPreviewOf, recordedValue } from '../interpret/previews.ts';
import { textsOf } from '../interpret/record-texts.ts';

/**
 * Max characters of a raw usage object that a record gets later, usually a few hundred: it is a statement's parameter and waits in the
 * checkpoint.
 */
const rawMaxCharacters = 8 * 1024;
/** Formats whose calls may run in the background (`background: true`), to be read later under their identifier. */
const inBackground: ReadonlySet<WireFormat> = new Set([openAiResponses, geminiInteractions]);
const unfinishedStatuses: ReadonlySet<string> = new Set(['queued', 'in_progress']);
const noRequest: ReadRequest = {
  body: { kind: 'absent' },
  parsed: undefined,
  fields: { model: '', user: '', promptText: '', firstUserText: '', lastUserText: '' },
};

/**
 * Usage from a read of a finished response, `GET …/responses/{id}` or `GET …/interactions/{id}`. @returns undefined for every other
 * exchange, and where it is not known with which credential it was read.
 * TRICKY: runs for every exchange, so the method is checked first.
 */
export function completionOf(exchange: Exchange, context: Pick<InterpretContext, 'redact' | 'prices'>): UsageCompletion | undefined {
  const { open, responseHead } = exchange;
  if (open.method !== 'GET' || responseHead === undefined || responseHead.status < 200 || responseHead.status > 299) return undefined;
  const { credentialHash = '' } = open;
  if (credentialHash === '') return undefined;
  const named = readResponseId(exchange);
  if (named === undefined) return undefined;
  const { responseId, format } = named;
  const response = withShortNames(readResponse(exchange, format));
  const { fields } = response;
  const { usage } = fields;
  if (usage.promptTokens === null && usage.completionTokens === null) return undefined;
  const body = objectOf(response.parsed);
  if (unfinishedStatuses.has(fields.finishReason) || (textOf(body['id']) || responseId) !== responseId) return undefined;
  const usageOnly = { ...response, body: noRequest.body, inPieces: false, fields: { ...fields, completionText: '' } };
  const textsWith = (read: ReadResponse) =>
    redacted(textsOf(exchange, { request: noRequest, response: read, properties: new Map(), failure: null }), open.provider, context);
  const texts = textsWith(usageOnly);
  const assembled = textsWith(response);
  return {
    organizationId: open.organizationId,
    responseId,
    provider: recordNameOf(open.provider),
    askedAt: open.openedAt,
    origin: originOf(open.targetUrl),
    credentialHash,
    begunAt: begunAt(body),
    usage: { ...usage, raw: jsonOf(texts.usageRaw).length > rawMaxCharacters ? null : texts.usageRaw },
    bills: fields.bills,
    model: texts.responseModel,
    serviceTier: texts.serviceTier,
    reportedCost: fields.providerCost === null ? null : moneyText(fields.providerCost),
    outputPreview: outputPreviewOf(recordedValue(response, assembled.responseBody), assembled.completionText),
  };
}

/** OpenAI states seconds, Google a text. */
function begunAt({ created_at: seconds, created }: JsonObject): number | null {
  const ms = typeof seconds === 'number' ? seconds * 1000 : Date.parse(textOf(created));
  return Number.isFinite(ms) ? Math.trunc(ms) : null;
}

interface ReadId {
  readonly responseId: string;
  readonly format: WireFormat;
}

/** The response's identifier in the path of a read. */
function readResponseId({ open }: Exchange): ReadId | undefined {
  const [path = ''] = upstreamPath(open).split('?', 1);
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
  const slashIndex = trimmed.lastIndexOf('/');
  const responseId = trimmed.slice(slashIndex + 1);
  const format = wireFormatFor(open.provider, trimmed.slice(0, Math.max(0, slashIndex)));
  if (format === undefined || !inBackground.has(format)) return undefined;
  return responseId === '' || exceedsBytes(responseId, textLimits.identifierBytes) ? undefined : { responseId, format };
}

/** Key ({@link responseKeyOf}) of the response whose usage a later read may bring. @returns undefined for a record that awaits none. */
export function awaitedResponseOf({ open }: Exchange, record: RequestRecord): string | undefined {
  const { usage, responseId } = record;
  const isKnown = !usage.estimated && (usage.promptTokens !== null || usage.completionTokens !== null);
  const mayBeRead = record.method === 'POST' && !record.cached && responseId !== '' && record.credentialHash !== '';
  if (isKnown || !mayBeRead) return undefined;
  const format = wireFormatFor(open.provider, upstreamPath(open));
  return format !== undefined && inBackground.has(format) ? responseKeyOf({ ...record, origin: originOf(open.targetUrl) }) : undefined;
}
