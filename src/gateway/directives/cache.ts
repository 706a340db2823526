import { headerText } from '../http/headers.ts';
import { type CacheDraft, type Draft, flag, invalidValue, number, type Reader } from './values.ts';

export interface CachePolicy {
  /** A cached response may be given. */
  readonly reads: boolean;
  /** The provider's response may be cached. */
  readonly saves: boolean;
  readonly seed: string;
  /** Different responses cached for one call. */
  readonly buckets: number;
  /** Top-level keys of the body that are no part of the cache key. */
  readonly ignoredKeys: readonly string[];
  /** How long the response is cached, and how old a cached one may be, milliseconds. */
  readonly maxAgeMs: number;
}

const maxBuckets = 20;
const daySeconds = 24 * 60 * 60;
const defaultMaxAgeSeconds = 7 * daySeconds;
const maxMaxAgeSeconds = 365 * daySeconds;

const cacheOf = (draft: Draft): CacheDraft => (draft.cache ??= {});

/** The cache's headers by the text after the prefix, lower case. */
export const cacheReaders = {
  'cache-enabled': flag((draft, isOn) => {
    cacheOf(draft).enabled = isOn;
  }),
  'cache-read': flag((draft, isOn) => {
    cacheOf(draft).reads = isOn;
  }),
  'cache-save': flag((draft, isOn) => {
    cacheOf(draft).saves = isOn;
  }),
  'cache-seed': (draft, value) => {
    cacheOf(draft).seed = headerText(value).trim();
  },
  'cache-bucket-max-size': number({ min: 1, max: maxBuckets }, (draft, buckets) => {
    cacheOf(draft).buckets = buckets;
  }),
  'cache-ignore-keys': (draft, value) => {
    const keys = headerText(value).split(',');
    cacheOf(draft).ignoredKeys = keys.map((key) => key.trim()).filter((key) => key !== '');
  },
  'cache-control': (draft, value, name) => {
    cacheOf(draft).control = { name, value };
  },
} satisfies Readonly<Record<string, Reader>>;

/**
 * @param cacheControl value of the plain `Cache-Control`, over which `Svc-Cache-Control` takes precedence.
 * @returns undefined when the call does not use the cache.
 * @throws GatelogError `invalid_directive`.
 */
export function finishCache(draft: CacheDraft, cacheControl: string | undefined): CachePolicy | undefined {
  const { enabled = false, reads: mayRead = enabled, saves = enabled, seed = '', buckets = 1, ignoredKeys = [] } = draft;
  if (!mayRead && !saves) return undefined;
  const control = readCacheControl(draft.control ?? { name: 'Cache-Control', value: cacheControl ?? '' });
  const reads = mayRead && !control.has('no-cache');
  if (control.has('no-store') || !(reads || saves)) return undefined;
  return { reads, saves, seed, buckets, ignoredKeys, maxAgeMs: maxAgeOf(control) * 1000 };
}

/** The directives of a `Cache-Control`, lower-case names. Unknown ones are ignored (RFC 9111 §5.2.3). */
function readCacheControl({ name: header, value }: NonNullable<CacheDraft['control']>): ReadonlyMap<string, number> {
  const directives = new Map<string, number>();
  for (const part of value.split(',')) {
    const [name = '', ...rest] = part.split('=');
    const directive = name.trim().toLowerCase();
    const argument = rest.join('=').trim().replaceAll(/^"|"$/g, '');
    if (directive === 'no-store' || directive === 'no-cache') directives.set(directive, 0);
    if (directive !== 'max-age' && directive !== 's-maxage') continue;
    if (!/^\d+$/.test(argument)) throw invalidValue(header, `${directive}=<seconds>`, value);
    directives.set(directive, Number(argument));
  }
  return directives;
}

/** Seconds. `s-maxage` is the one for shared caches, as this one is. */
function maxAgeOf(control: ReadonlyMap<string, number>): number {
  const requested = control.get('s-maxage') ?? control.get('max-age') ?? defaultMaxAgeSeconds;
  return Math.min(requested, maxMaxAgeSeconds);
}
