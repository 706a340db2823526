import { isJsonObject, type JsonObject, parseJson, wellFormed } from '../../model/text.ts';
import { MalformedSpans, SpanFault, spanLimits, SpanWork } from '../received/limits.ts';
import {
  type AttributeValue,
  type Attributes,
  numberOf,
  type Scope,
  type Span,
  type SpanEvent,
  type SpanStatus,
} from '../received/span.ts';
import { type DecodedSpans, SpanCollector, tooDeep, tooManyAttributes, tooManyEvents } from './decoded.ts';
import { finite, parentOf } from './protobuf.ts';
import { millisecondsOfJson } from './time.ts';

/**
 * Reads an `ExportTraceServiceRequest` in JSON: the names in lowerCamelCase, identifiers in hexadecimal, 64-bit numbers as texts or numbers.
 * Source: the OTLP specification, "JSON Protobuf Encoding". @throws MalformedSpans when the text is no such object.
 */
export function decodeJson(text: string, work = new SpanWork()): DecodedSpans {
  const body = parseJson(text);
  if (!isJsonObject(body)) throw new MalformedSpans('The body is no JSON object, is cut off, or holds too many values.');
  try {
    return spansOf(body, work);
  } catch (error) {
    // Of what many spans share.
    throw error instanceof SpanFault ? new MalformedSpans(`The body has a fault: ${error.message}.`, { cause: error }) : error;
  }
}

function spansOf(body: JsonObject, work: SpanWork): DecodedSpans {
  const collector = new SpanCollector();
  for (const resourceSpans of listAt(body, 'resourceSpans')) {
    work.part();
    const resource = attributesOf(listAt(objectAt(resourceSpans, 'resource'), 'attributes'));
    for (const scopeSpans of listAt(resourceSpans, 'scopeSpans')) {
      work.part();
      const scope = scopeOf(objectAt(scopeSpans, 'scope'));
      for (const span of listAt(scopeSpans, 'spans')) {
        work.part();
        collector.add(() => spanOf(span, { resource, scope }));
      }
    }
  }
  return collector.result();
}

/** Absent counts as empty. @throws MalformedSpans for anything else but a list of objects. */
export function listAt(object: JsonObject, name: string): readonly JsonObject[] {
  const list = object[name] ?? [];
  if (Array.isArray(list) && list.every(isJsonObject)) return list;
  throw new MalformedSpans(`\`${name}\` is no list of objects.`);
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

export function textIn(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? wellFormed(value) : '';
}

function numberIn(object: JsonObject, name: string): number {
  return numberOf(object[name]) ?? 0;
}

function scopeOf(scope: JsonObject): Scope {
  return { name: textIn(scope, 'name'), version: textIn(scope, 'version') };
}

function spanOf(span: JsonObject, { resource, scope }: Pick<Span, 'resource' | 'scope'>): Span {
  const events = listAt(span, 'events');
  if (events.length > spanLimits.events) throw tooManyEvents();
  return {
    traceId: textIn(span, 'traceId').toLowerCase(),
    spanId: textIn(span, 'spanId').toLowerCase(),
    parentSpanId: parentOf(textIn(span, 'parentSpanId').toLowerCase()),
    name: textIn(span, 'name'),
    kind: numberIn(span, 'kind'),
    startMs: integerMs(span['startTimeUnixNano']),
    endMs: integerMs(span['endTimeUnixNano']),
    attributes: attributesOf(listAt(span, 'attributes')),
    events: events.map(eventOf),
    status: statusOf(objectAt(span, 'status')),
    resource,
    scope,
  };
}

function integerMs(nanoseconds: unknown): number {
  return Math.floor(millisecondsOfJson(nanoseconds));
}

function eventOf(event: JsonObject): SpanEvent {
  return {
    name: textIn(event, 'name'),
    atMs: integerMs(event['timeUnixNano']),
    attributes: attributesOf(listAt(event, 'attributes')),
  };
}

function statusOf(status: JsonObject): SpanStatus {
  return { code: numberIn(status, 'code'), message: textIn(status, 'message') };
}

export function attributesOf(list: readonly JsonObject[]): Attributes {
  if (list.length > spanLimits.attributes) throw tooManyAttributes();
  return new Map(list.map((attribute) => [textIn(attribute, 'key'), valueOf(attribute['value'], 0)]));
}

/** `AnyValue`: an object with one member, which names the type. */
export function valueOf(value: unknown, depth: number): AttributeValue {
  if (depth > spanLimits.depth) throw tooDeep();
  const any = isJsonObject(value) ? value : {};
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = any;
  if (typeof stringValue === 'string') return wellFormed(stringValue);
  if (typeof boolValue === 'boolean') return boolValue;
  const number = numberOf(intValue ?? doubleValue);
  if (number !== undefined) return finite(number);
  if (isJsonObject(arrayValue)) return listAt(arrayValue, 'values').map((each) => valueOf(each, depth + 1));
  if (isJsonObject(kvlistValue)) return objectOf(listAt(kvlistValue, 'values'), depth + 1);
  return typeof bytesValue === 'string' ? bytesValue : null;
}

function objectOf(members: readonly JsonObject[], depth: number): AttributeValue {
  return Object.fromEntries(members.map((member) => [textIn(member, 'key'), valueOf(member['value'], depth)]));
}
