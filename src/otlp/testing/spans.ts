import { createHash } from 'node:crypto';
import { type RequestId, uuidOfHex } from '../../model/ids.ts';
import type { Tags } from '../../model/record/exchange.ts';
import type { LoggedCall } from '../../model/record/logged-call.ts';
import { wireFormatFor } from '../../providers/registry.ts';
import type { RequestFields, ResponseFields } from '../../providers/format/provider.ts';
import { SpanWork } from '../received/limits.ts';
import { type ReceivedSpans, receiveSpans } from '../receive.ts';
import { RecentParents } from '../tree/recent-parents.ts';

/** A span as tests write it: attributes in plain JSON. */
export interface WrittenSpan {
  readonly name?: string;
  /** Of the instrumentation. */
  readonly scope?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly kind?: number;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly events?: readonly { readonly name: string; readonly atMs?: number; readonly attributes?: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code: number; readonly message?: string };
}

export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

/** 16 digits of a number. */
export function spanIdOf(number: number): string {
  return number.toString(16).padStart(16, '0');
}

/** An `ExportTraceServiceRequest` in JSON. */
export function requestOf(spans: readonly WrittenSpan[], resource: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: spans.map((span, index) => ({ scope: { name: span.scope ?? 'test', version: '1' }, spans: [spanOf(span, index)] })),
      },
    ],
  };
}

function spanOf(span: WrittenSpan, index: number): unknown {
  const startMs = span.startMs ?? Date.UTC(2026, 10, 1);
  return {
    traceId: span.traceId ?? traceId,
    spanId: span.spanId ?? spanIdOf(index + 1),
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name ?? 'span',
    kind: span.kind ?? 3,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${span.endMs ?? startMs + 1000}000000`,
    attributes: attributesOf(span.attributes ?? {}),
    events: (span.events ?? []).map(({ name, atMs, attributes }) => ({
      name,
      timeUnixNano: `${atMs ?? startMs}000000`,
      attributes: attributesOf(attributes ?? {}),
    })),
    status: span.status ?? {},
  };
}

export function attributesOf(attributes: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

export function valueOf(value: unknown): unknown {
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOf) } };
  return { kvlistValue: { values: attributesOf(value as Record<string, unknown>) } };
}

export function identify(span: { readonly traceId: string; readonly spanId: string }): RequestId {
  return uuidOfHex(createHash('sha256').update(`${span.traceId}${span.spanId}`).digest('hex').slice(0, 32));
}

interface Circumstances {
  readonly parents: RecentParents;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly defaults: Tags;
  readonly work: SpanWork;
}

const now = Date.UTC(2026, 10, 2);

/** What becomes of spans that come in one request. */
export function received(
  spans: readonly WrittenSpan[],
  { parents = new RecentParents(), resource = {}, defaults = { properties: [] }, work = new SpanWork() }: Partial<Circumstances> = {},
): ReceivedSpans {
  const bytes = Buffer.from(JSON.stringify(requestOf(spans, resource)));
  return receiveSpans({ organizationId: 'organization', encoding: 'json', bytes, defaults, now }, { identify, parents, work });
}

export interface ReadCall {
  readonly call: LoggedCall;
  /** As our readers of providers understand the bodies. */
  readonly request: RequestFields | undefined;
  readonly response: ResponseFields | undefined;
  readonly requestBody: Readonly<Record<string, unknown>>;
  readonly responseBody: Readonly<Record<string, unknown>>;
}

/** The only call that a span becomes, as the record will have it. */
export function callOf(span: WrittenSpan): ReadCall {
  const { calls, rejected } = received([span]);
  const [call] = calls;
  if (call === undefined || calls.length > 1) throw new Error(`${calls.length} calls; rejected: ${rejected.join(', ')}`);
  return readCall(call);
}

export function readCall(call: LoggedCall): ReadCall {
  const requestBody = JSON.parse(Buffer.from(call.requestBody).toString()) as Readonly<Record<string, unknown>>;
  const responseBody = JSON.parse(Buffer.from(call.response.body).toString()) as Readonly<Record<string, unknown>>;
  const format = wireFormatFor(call.provider, call.path);
  return {
    call,
    request: format?.readRequest(requestBody, call.path),
    response: format?.readResponse(responseBody),
    requestBody,
    responseBody,
  };
}
