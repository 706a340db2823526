import type { TraceContext } from '../../model/record/exchange.ts';

const version00Characters = 55;
/** Later versions may have more behind another hyphen. */
const shape = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;

/**
 * Reads `traceparent`. @param values of all headers of the name: with several none counts. @returns undefined for an invalid one.
 * Source: W3C Trace Context, §3.2.
 */
export function readTraceparent(values: readonly string[]): TraceContext | undefined {
  const [value = '', ...others] = values;
  if (others.length > 0) return undefined;
  const [, version, traceId, spanId] = shape.exec(value.trim()) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return version === '00' && value.trim().length !== version00Characters ? undefined : { traceId, spanId };
}
