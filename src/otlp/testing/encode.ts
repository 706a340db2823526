import { PbfWriter } from 'pbf';

export interface JsonValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly JsonValue[] };
  readonly kvlistValue?: { readonly values: readonly JsonAttribute[] };
}
export interface JsonAttribute {
  readonly key: string;
  readonly value: JsonValue;
}
interface JsonSpan {
  readonly [name: string]: unknown;
  readonly attributes: readonly JsonAttribute[];
  readonly events: readonly { readonly name: string; readonly timeUnixNano: string; readonly attributes: readonly JsonAttribute[] }[];
  readonly status: { readonly code?: number; readonly message?: string };
}
interface JsonRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly JsonAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly JsonSpan[];
    }[];
  }[];
}

/** A request of `requestOf` in the encoding of protocol buffers. */
export function encodedRequest(request: unknown): Uint8Array {
  const { resourceSpans } = request as JsonRequest;
  const writer = new PbfWriter();
  for (const each of resourceSpans) writer.writeMessage(1, writeResourceSpans, each);
  return writer.finish();
}

function writeResourceSpans(each: JsonRequest['resourceSpans'][number], writer: PbfWriter): void {
  writer.writeMessage(1, ({ attributes }, inner) => writeAttributes(1, attributes, inner), each.resource);
  for (const scope of each.scopeSpans) {
    writer.writeMessage(
      2,
      (_, inner) => {
        inner.writeMessage(
          1,
          ({ name, version }, own) => {
            own.writeStringField(1, name);
            own.writeStringField(2, version);
          },
          scope.scope,
        );
        for (const span of scope.spans) inner.writeMessage(2, writeSpan, span);
      },
      undefined,
    );
  }
}

export function writeAttributes(field: number, attributes: readonly JsonAttribute[], writer: PbfWriter): void {
  for (const attribute of attributes) {
    writer.writeMessage(
      field,
      ({ key, value }, inner) => {
        inner.writeStringField(1, key);
        inner.writeMessage(2, writeValue, value);
      },
      attribute,
    );
  }
}

export function writeValue(value: JsonValue, writer: PbfWriter): void {
  if (value.stringValue !== undefined) writer.writeStringField(1, value.stringValue);
  else if (value.boolValue !== undefined) writer.writeBooleanField(2, value.boolValue);
  else if (value.intValue !== undefined) writer.writeVarintField(3, Number(value.intValue));
  else if (value.doubleValue !== undefined) writer.writeDoubleField(4, value.doubleValue);
  else if (value.arrayValue !== undefined) {
    writer.writeMessage(5, ({ values }, inner) => values.forEach((each) => inner.writeMessage(1, writeValue, each)), value.arrayValue);
  } else if (value.kvlistValue !== undefined) {
    writer.writeMessage(6, ({ values }, inner) => writeAttributes(1, values, inner), value.kvlistValue);
  }
}

function writeSpan(span: JsonSpan, writer: PbfWriter): void {
  writer.writeBytesField(1, Buffer.from(String(span['traceId']), 'hex'));
  writer.writeBytesField(2, Buffer.from(String(span['spanId']), 'hex'));
  if (typeof span['parentSpanId'] === 'string') writer.writeBytesField(4, Buffer.from(span['parentSpanId'], 'hex'));
  writer.writeStringField(5, String(span['name']));
  writer.writeVarintField(6, Number(span['kind']));
  writeNanoseconds(7, String(span['startTimeUnixNano']), writer);
  writeNanoseconds(8, String(span['endTimeUnixNano']), writer);
  writeAttributes(9, span.attributes, writer);
  for (const event of span.events) {
    writer.writeMessage(
      11,
      ({ name, timeUnixNano, attributes }, inner) => {
        writeNanoseconds(1, timeUnixNano, inner);
        inner.writeStringField(2, name);
        writeAttributes(3, attributes, inner);
      },
      event,
    );
  }
  writer.writeMessage(
    15,
    ({ code, message }, inner) => {
      if (message !== undefined) inner.writeStringField(2, message);
      if (code !== undefined) inner.writeVarintField(3, code);
    },
    span.status,
  );
}

export function writeNanoseconds(field: number, nanoseconds: string, writer: PbfWriter): void {
  const bytesOfNumber = Buffer.alloc(8);
  bytesOfNumber.writeBigUInt64LE(BigInt(nanoseconds));
  writer.writeTag(field, 1);
  writer.writeFixed32(bytesOfNumber.readUInt32LE(0));
  writer.writeFixed32(bytesOfNumber.readUInt32LE(4));
}
