/** The part of `fetch` that the client uses. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /**
   * Address of the API, such as `https://gatelog.example.com`. Without it: in a browser the origin of the page, in Node `GATELOG_API_URL`,
   * else `http://127.0.0.1:8788`.
   */
  readonly apiUrl?: string | undefined;
  /**
   * Key of an organisation. Without it: in Node `GATELOG_API_KEY`. Null, or a browser without a key: the browser's session cookie stands for
   * one.
   */
  readonly apiKey?: string | null | undefined;
  /** Sends the calls in place of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds that a call may take, from its begin to the end of its answer; exports have no limit. 120,000 unless given. */
  readonly timeoutMs?: number | undefined;
  /** Further attempts while the service says 503, at the interval that it names. 2 unless given. */
  readonly retries?: number | undefined;
  /** True: a field that an endpoint does not know is an error and no warning. */
  readonly strict?: boolean | undefined;
  /** Headers of every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Reads the JSON of requests in place of `JSON.parse`, which rounds numbers of bodies that have more digits than JavaScript. @param
   * endpoint whose answer it is, such as `GET /v1/request/{id}`.
   */
  readonly readJson?: ((text: string, endpoint: string) => unknown) | undefined;
}

export interface Settings {
  /** Without a slash at its end; empty: the page's own origin. */
  readonly apiUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a cookie may stand for the key. */
  readonly isKeyless: boolean;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly readJson: (text: string, endpoint: string) => unknown;
}

const standard = { apiUrl: 'http://127.0.0.1:8788', timeoutMs: 120_000, retries: 2 } as const;

/** @throws TypeError for an option that cannot be used. */
export function settingsOf(options: ClientOptions): Settings {
  const environment = environmentOfNode();
  const apiUrl = options.apiUrl ?? (environment === undefined ? '' : (given(environment['GATELOG_API_URL']) ?? standard.apiUrl));
  const key = options.apiKey === undefined ? given(environment?.['GATELOG_API_KEY']) : (options.apiKey ?? undefined);
  return {
    apiUrl: checkedAddress(apiUrl),
    headers: {
      ...options.headers,
      ...(options.strict === true ? { 'svc-strict': 'true' } : {}),
      ...(key === undefined ? {} : { authorization: `Bearer ${checkedKey(key)}` }),
    },
    isKeyless: key === undefined,
    fetch: options.fetch ?? ((address, init) => fetch(address, init)),
    timeoutMs: options.timeoutMs ?? standard.timeoutMs,
    retries: options.retries ?? standard.retries,
    readJson: options.readJson ?? ((text) => JSON.parse(text) as unknown),
  };
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** @returns undefined outside of Node. */
function environmentOfNode(): Readonly<Record<string, string | undefined>> | undefined {
  const { process: program } = globalThis as { readonly process?: Partial<NodeJS.Process> };
  return program?.versions?.node === undefined ? undefined : program.env;
}

function checkedAddress(text: string): string {
  if (text === '') return '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '') {
    throw new TypeError(`"${text}" is not the address of an API; write one such as ${standard.apiUrl}, without a user.`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function checkedKey(key: string): string {
  if (!/^[\u0021-\u007e]+$/.test(key)) throw new TypeError('The key is none: it holds spaces or other characters that keys do not have.');
  return key;
}
