/** A value of an attribute. Numbers beyond 2⁵³ are rounded: no count or time that is read here is that large. */
export type AttributeValue = string | number | boolean | null | readonly AttributeValue[] | { readonly [name: string]: AttributeValue };

export type Attributes = ReadonlyMap<string, AttributeValue>;

export interface SpanEvent {
  readonly name: string;
  /** Unix milliseconds; 0: not said. */
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** As in the protocol: of OpenTelemetry's kinds only these decide anything. */
export const spanKinds = { unspecified: 0, internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

export const statusCodes = { unset: 0, ok: 1, error: 2 } as const;

export interface SpanStatus {
  readonly code: number;
  readonly message: string;
}

/** The instrumentation that made a span. */
export interface Scope {
  readonly name: string;
  readonly version: string;
}

/** A span with what it shares with others, in the form that both encodings give. */
export interface Span {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  /** Empty: the trace begins here. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  /** Unix milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly status: SpanStatus;
  readonly resource: Attributes;
  readonly scope: Scope;
}

/** The text of the first of these attributes that has one; a number counts as its digits. Empty: none has. */
export function textAt(attributes: Attributes, names: readonly string[]): string {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  }
  return '';
}

/** The first of these attributes that is a number, or a text that is one. */
export function numberAt(attributes: Attributes, names: readonly string[]): number | undefined {
  for (const name of names) {
    const number = numberOf(attributes.get(name));
    if (number !== undefined) return number;
  }
  return undefined;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
