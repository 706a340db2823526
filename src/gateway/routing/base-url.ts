import type { LookupFunction } from 'node:net';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { storableAddress, withoutSecrets } from '../http/headers.ts';
import { InternTable } from '../../platform/http/intern-table.ts';

/** Path that every path on OpenAI's surface starts with and that most base addresses end in already. */
const versionPrefix = '/v1';

/** An address that is called: the path goes out byte for byte. */
export interface ProviderTarget {
  readonly origin: string;
  /** Path of the base address, without a slash at its end. */
  readonly basePath: string;
  readonly path: string;
  /** Set when the caller chose the host: how the guard resolves its name. */
  readonly lookUp: LookupFunction | undefined;
  /** The whole address as records show it, secret parameters cut. */
  readonly shown: string;
}

/** A base address, taken apart once. */
export interface BaseUrl {
  readonly origin: string;
  /** Path without a slash at its end. */
  readonly path: string;
  /** What of a caller's path the base says already, the longest first: `/openai/v1`, `/v1`. */
  readonly overlaps: readonly string[];
  readonly lookUp: LookupFunction | undefined;
}

/** Takes a base address apart. @throws TypeError when it is no URL. */
export function parseBaseAddress(baseUrl: string): BaseUrl {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  return { origin, path, overlaps: versionedEnds(path), lookUp: undefined };
}

/**
 * The base address of a provider's OpenAI-compatible API, which stands under `openAiPath` of its base address unless that ends in it already.
 * A caller's `/v1` is left out where `openAiPath` stands for it: `/v1beta/openai`.
 */
export function parseOpenAiAddress(baseUrl: string, openAiPath: string, hasVersion: boolean): BaseUrl {
  const base = parseBaseAddress(baseUrl);
  const path = base.path.endsWith(openAiPath) ? base.path : base.path + openAiPath;
  const overlaps = versionedEnds(path);
  return { ...base, path, overlaps: overlaps.length > 0 || hasVersion ? overlaps : [versionPrefix] };
}

/** The ends of a path in `/v1`, each whole segments, the longest first; none for any other path. */
function versionedEnds(path: string): readonly string[] {
  if (!path.endsWith(versionPrefix)) return [];
  const segments = path.slice(1).split('/');
  return segments.map((_segment, index) => `/${segments.slice(index).join('/')}`);
}

/**
 * Joins a base address and a caller's path; a leading `/v1`, or more of the base's own path, is not doubled.
 * Invariant: the origin is the base address's, whatever the path. TRICKY: the caller's path never goes through `URL`, which would resolve dot
 * segments, take `\` for `/` and rewrite bytes.
 */
export function joinAddress({ origin, path: basePath, overlaps: saidAlready, lookUp }: BaseUrl, path: string): ProviderTarget {
  return resolveAt({ origin, basePath, lookUp }, basePath + withoutStart(path, saidAlready));
}

/** A base address and a path of the greatest lengths. */
const maxTargetBytes = 2 * textLimits.addressBytes;

/** An address at an origin. @param path what goes out, with or without its first slash. */
export function resolveAt(place: Pick<ProviderTarget, 'origin' | 'basePath' | 'lookUp'>, path: string): ProviderTarget {
  const whole = path.startsWith('/') ? path : `/${path}`;
  return { ...place, path: whole, shown: storableAddress(withoutSecrets(place.origin + whole), place.origin, maxTargetBytes) };
}

/** The addresses of a base, remembered by path, as most calls have one of a few. Of a path with a query, which may hold a key, nothing is kept. */
export function memoizedResolver(base: BaseUrl): (path: string) => ProviderTarget {
  const known = new InternTable((path) => joinAddress(base, path));
  return (path) => (path.includes('?') ? joinAddress(base, path) : known.of(path));
}

function withoutStart(path: string, starts: readonly string[]): string {
  for (const start of starts) {
    if (startsWithSegments(path, start)) return path.slice(start.length);
  }
  return path;
}

/** True when a path starts with whole segments: `/v1` is no start of `/v10`. */
export function startsWithSegments(path: string, start: string): boolean {
  if (!path.startsWith(start)) return false;
  const next = path[start.length];
  return next === undefined || next === '/' || next === '?';
}
