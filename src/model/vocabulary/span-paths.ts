/**
 * Paths that take spans, on both listeners: the first as OpenTelemetry's exporters append `/v1/traces` to an address, the others as
 * Helicone's asynchronous loggers send them.
 */
export const spanPaths = ['/v1/otlp/v1/traces', '/v1/trace/log', '/v1/trace/log-python'] as const;

const known: ReadonlySet<string> = new Set(spanPaths);

/** @param path with or without a query. */
export function isSpanPath(path: string): boolean {
  const [beforeQuery = ''] = path.split('?', 1);
  return known.has(beforeQuery);
}
