import type { Change } from '../../model/change.ts';
import type { EndOverrides, Exchange, ExchangeEnd, ExchangeOpen, Tags } from '../../model/record/exchange.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import type { Prices } from '../../pricing/look-up.ts';
import { listedPrices } from '../../pricing/testing/prices.ts';
import { chatRequest, chatResponse, newId } from './ingest-harness.ts';
import { interpretExchange } from '../interpret/interpret.ts';
import type { RedactTexts } from '../interpret/record-texts.ts';

/** An exchange as a test writes it: what is left out is a whole chat call with the echo provider. */
export interface InterpretSketch {
  readonly open?: Partial<ExchangeOpen>;
  readonly tags?: Partial<Tags>;
  readonly request?: string | Uint8Array;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly response?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly head?: false;
  /** What the head says beside itself. */
  readonly told?: EndOverrides;
  readonly end?: Partial<ExchangeEnd> | null;
  readonly requestTail?: string;
  readonly responseTail?: string | Uint8Array;
  readonly declared?: ReadonlyMap<string, string>;
  readonly changes?: readonly Change[];
  /** Absent: those of the public list. */
  readonly prices?: Prices;
  readonly agentSessions?: boolean;
  readonly redact?: RedactTexts;
}

export const json = { 'content-type': 'application/json' };
export const stream = { 'content-type': 'text/event-stream; charset=utf-8' };

function bytesOf(text: string | Uint8Array | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

export function interpret(preview: InterpretSketch = {}): RequestRecord {
  const requestBody = Buffer.from(preview.request ?? chatRequest);
  const responseBody = Buffer.from(preview.response ?? chatResponse);
  const open: ExchangeOpen = {
    version: 1,
    requestId: newId(),
    organizationId: newId(),
    keyHash: 'hash',
    openedAt: 1_700_000_000_000,
    method: 'POST',
    path: '/v1/chat/completions',
    provider: 'echo',
    targetUrl: `https://example.com${preview.open?.path ?? '/v1/chat/completions'}`,
    headers: preview.requestHeaders ?? json,
    tags: { properties: [], ...preview.tags },
    ...preview.open,
  };
  const exchange: Exchange = {
    open,
    requestBody,
    responseHead:
      preview.head === false
        ? undefined
        : { status: preview.status ?? 200, headers: preview.headers ?? json, elapsedMs: 5, ...preview.told },
    responseBody,
    requestTail: bytesOf(preview.requestTail),
    responseTail: bytesOf(preview.responseTail),
    responseParts: responseBody.length === 0 ? undefined : { firstMs: 6, lastMs: 8 },
    end:
      preview.end === null
        ? undefined
        : {
            outcome: 'complete',
            elapsedMs: 10,
            firstByteMs: 6,
            overheadMs: 0.25,
            requestBytes: requestBody.length,
            responseBytes: responseBody.length,
            ...preview.end,
          },
  };
  const { organizationId, requestId } = open;
  const changes = (preview.changes ?? []).map((change, index) => ({
    organizationId,
    requestId,
    change,
    keyId: `key-${index}`,
    acceptedAt: 1_700_000_000_100 + index,
    number: 1_700_000_000_100_000 + index,
  }));
  const agentSessions = preview.agentSessions !== false;
  return interpretExchange(exchange, {
    declaredNames: preview.declared ?? new Map(),
    changes,
    prices: preview.prices ?? listedPrices,
    agentSessions,
    redact: preview.redact,
  });
}
