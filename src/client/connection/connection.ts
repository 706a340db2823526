import type { AlertsEndpoints } from '../endpoints/alerts.ts';
import type { DashboardEndpoints } from '../endpoints/dashboard.ts';
import type { ExportEndpoints } from '../endpoints/export.ts';
import type { JobsEndpoints } from '../endpoints/jobs.ts';
import type { LogsEndpoints } from '../endpoints/logs.ts';
import type { MetricsEndpoints } from '../endpoints/metrics.ts';
import type { PeopleEndpoints } from '../endpoints/people.ts';
import type { PricesEndpoints } from '../endpoints/prices.ts';
import type { PropertiesEndpoints } from '../endpoints/properties.ts';
import type { RequestsEndpoints } from '../endpoints/requests.ts';
import type { MonitoringEndpoints } from '../endpoints/monitoring.ts';
import type { SessionsEndpoints } from '../endpoints/sessions.ts';
import type { SettingsEndpoints } from '../endpoints/settings.ts';
import type { SimulationsEndpoints } from '../endpoints/simulations.ts';
import type { UsersEndpoints } from '../endpoints/users.ts';
import type { WebhooksEndpoints } from '../endpoints/webhooks.ts';
import type { Settings } from './options.ts';
import { failureIn, isEnvelope, type Received, warningsIn } from './received.ts';
import { type RequestBody, send } from './send.ts';

/** Every endpoint by its method and path. */
export interface Endpoints
  extends
    RequestsEndpoints,
    ExportEndpoints,
    JobsEndpoints,
    SessionsEndpoints,
    PropertiesEndpoints,
    MetricsEndpoints,
    PricesEndpoints,
    SimulationsEndpoints,
    PeopleEndpoints,
    SettingsEndpoints,
    AlertsEndpoints,
    DashboardEndpoints,
    UsersEndpoints,
    WebhooksEndpoints,
    LogsEndpoints,
    MonitoringEndpoints {}

/** Endpoints that answer in the envelope. */
export type DataEndpoint = Having<'data'>;

/** Endpoints that answer JSON of their own. */
export type WholeEndpoint = Having<'whole'>;

/** Endpoints that answer bytes. */
export type StreamEndpoint = Having<'stream'>;

type Having<Member extends string> = {
  [Name in keyof Endpoints]: Endpoints[Name] extends Readonly<Record<Member, unknown>> ? Name : never;
}[keyof Endpoints];

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's. */
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What an endpoint takes, and options. */
export type CallInput<Name extends keyof Endpoints> = Omit<Endpoints[Name], 'data' | 'whole' | 'stream' | 'extras'> & CallOptions;

/** What a call answers. */
export interface Answer<Data> {
  readonly data: Data;
  /** What about the answer may surprise: fields that were ignored, why it is empty. */
  readonly warnings: readonly string[];
  /** Why the answer is empty, or what else about it may surprise. */
  readonly hint: string | undefined;
}

/** An answer with its headers, and what stands beside the data. */
export interface Reply<Data, Extras = unknown> extends Answer<Data> {
  readonly extras: Extras;
  readonly headers: Headers;
}

type ExtrasOf<Name extends DataEndpoint> = Endpoints[Name] extends { readonly extras: infer Extras } ? Extras : unknown;

export interface Connection {
  /** Calls an endpoint by its method and path. @throws ApiError. */
  readonly call: <Name extends DataEndpoint>(
    endpoint: Name,
    input: CallInput<Name>,
  ) => Promise<Reply<Endpoints[Name]['data'], ExtrasOf<Name>>>;
  /** As {@link call}, for one of {@link WholeEndpoint}. @param accepted further statuses with that answer. */
  readonly whole: <Name extends WholeEndpoint>(
    endpoint: Name,
    input: CallInput<Name>,
    accepted?: number,
  ) => Promise<Endpoints[Name]['whole']>;
  /** Opens an answer of bytes; the call has no time limit. */
  readonly open: <Name extends StreamEndpoint>(endpoint: Name, input: CallInput<Name>) => Promise<Response>;
  /** Reads the JSON of a record in an answer of bytes. */
  readonly read: (text: string, endpoint: StreamEndpoint) => unknown;
  /** The address of a call without a body. */
  readonly addressOf: <Name extends keyof Endpoints>(endpoint: Name, input: Omit<CallInput<Name>, keyof CallOptions>) => string;
}

/** The members of an input at run time. */
interface Input extends CallOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

/** Members of every envelope. */
const common: ReadonlySet<string> = new Set(['data', 'error', 'warnings']);

export function connect(settings: Settings): Connection {
  const sent = (endpoint: string, input: Input, timeoutMs: number | undefined): Promise<Received> => {
    const [method = ''] = endpoint.split(' ', 1);
    return send(settings, {
      endpoint,
      method,
      address: addressIn(settings.apiUrl, endpoint, input),
      body: bodyOf(input.body),
      headers: { ...(isJson(input.body) ? { 'content-type': 'application/json' } : {}), ...input.headers },
      signal: input.signal,
      timeoutMs,
    });
  };
  const within = ({ timeoutMs }: Input): number => timeoutMs ?? settings.timeoutMs;
  return {
    call: async <Name extends DataEndpoint>(endpoint: Name, input: CallInput<Name>) => {
      const received = await sent(endpoint, input, within(input));
      const answer = await received.json();
      if (received.status !== 200 || !isEnvelope(answer)) throw failureIn(received, answer);
      const { headers } = received;
      const extras = Object.fromEntries(Object.entries(answer).filter(([name]) => !common.has(name)));
      return { data: answer['data'], extras, headers, warnings: warningsIn(answer), hint: headers.get('svc-hint') ?? undefined } as Reply<
        Endpoints[Name]['data'],
        ExtrasOf<Name>
      >;
    },
    whole: async <Name extends WholeEndpoint>(endpoint: Name, input: CallInput<Name>, accepted = 200) => {
      const received = await sent(endpoint, input, within(input));
      const answer = await received.json();
      if (received.status !== 200 && received.status !== accepted) throw failureIn(received, answer);
      return answer as Endpoints[Name]['whole'];
    },
    open: async (endpoint, input) => {
      const received = await sent(endpoint, input, input.timeoutMs);
      if (received.status !== 200) throw failureIn(received, await received.json());
      return received.response;
    },
    read: settings.readJson,
    addressOf: (endpoint, input) => addressIn(settings.apiUrl, endpoint, input),
  };
}

function addressIn(apiUrl: string, endpoint: string, { path = {}, query = {} }: Input): string {
  const [, template = ''] = endpoint.split(' ');
  const place = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)]))).toString();
  return `${apiUrl}${place}${parameters === '' ? '' : `?${parameters}`}`;
}

function isJson(body: unknown): boolean {
  return body !== undefined && !isRaw(body);
}

function isRaw(body: unknown): body is string | Uint8Array | Blob {
  return typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob;
}

function bodyOf(body: unknown): RequestBody | undefined {
  return body === undefined ? undefined : isRaw(body) ? (body as RequestBody) : JSON.stringify(body);
}
