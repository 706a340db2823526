import type { AddressedProvider } from '../providers/providers.ts';

/** What the path of a log says about the call. */
export interface LogPath {
  /** Whose call it was, where neither the address nor the body names another; undefined: it is not known. */
  readonly provider: AddressedProvider | undefined;
  /** A call of an unknown provider counts as one of the provider that has invented its shape, as at Helicone. */
  readonly takesMaker: boolean;
}

/** Helicone's names of the providers in paths of logs. */
const byName: Readonly<Record<string, AddressedProvider | undefined>> = {
  custom: undefined,
  oai: 'openai',
  anthropic: 'anthropic',
  googleapis: 'gemini',
};

const traceLog = '/v1/trace/custom/log';

/** Helicone's clients append `/<name>/v1/log` to the address that they are given, which may end in any of these. */
const bases: readonly string[] = ['', '/v1', '/v1/trace', traceLog];

/** Paths that take a call which did not pass through the gateway, on both listeners. */
export const logPaths: ReadonlyMap<string, LogPath> = new Map([
  [traceLog, { provider: undefined, takesMaker: true }],
  [`${traceLog}/typed`, { provider: undefined, takesMaker: true }],
  ...bases.flatMap((base) =>
    Object.entries(byName).map(
      ([name, provider]) => [`${base}/${name}/v1/log`, { provider, takesMaker: base.startsWith('/v1/trace') }] as const,
    ),
  ),
]);

/** Those that Helicone's documents name; the others follow from them. */
export const namedLogPaths = {
  custom: [traceLog, '/v1/trace/custom/v1/log', `${traceLog}/typed`],
  ofNobody: '/custom/v1/log',
  ofOpenAi: '/oai/v1/log',
  ofAnthropic: '/anthropic/v1/log',
  ofGoogle: '/googleapis/v1/log',
} as const;

/** @param path with or without a query, or a slash at its end. */
export function logPathOf(path: string): LogPath | undefined {
  const [beforeQuery = ''] = path.split('?', 1);
  return logPaths.get(beforeQuery.endsWith('/') ? beforeQuery.slice(0, -1) : beforeQuery);
}

/**
 * Paths that take spans, on both listeners: the first as OpenTelemetry's exporters append `/v1/traces` to an address, the others as
 * Helicone's asynchronous loggers send them.
 */
export const spanPaths = ['/v1/otlp/v1/traces', '/v1/trace/log', '/v1/trace/log-python'] as const;

/** Paths of what exporters send beside spans, by the same rules: an exporter without an answer fills its application's log with errors. */
export const besideSpans = { '/v1/otlp/v1/logs': 'logs', '/v1/otlp/v1/metrics': 'metrics' } as const;

/** What a request of OTLP holds. */
export type Signal = 'spans' | 'logs' | 'metrics';

const signals: ReadonlyMap<string, Signal> = new Map([
  ...spanPaths.map((path) => [path, 'spans'] as const),
  ...Object.entries(besideSpans),
]);

/** Undefined for a path that takes no OTLP. @param path with or without a query. */
export function signalOf(path: string): Signal | undefined {
  const [beforeQuery = ''] = path.split('?', 1);
  return signals.get(beforeQuery);
}
