import type { LookupFunction } from 'node:net';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { storableAddress, withoutSecrets } from '../http/headers.ts';
import { InternTable } from '../../platform/http/intern-table.ts';

/** Every path of OpenAI's API starts with it, and most base URLs already end in it. */
const versionPrefix = '/v1';

export interface ProviderTarget {
  readonly origin: string;
  /** Path of the base URL without a trailing slash. */
  readonly basePath: string;
  /** Sent byte for byte. */
  readonly path: string;
  /** The egress policy's resolver; set when the caller chose the host. */
  readonly lookUp: LookupFunction | undefined;
  /** The whole address for records, without secrets. */
  readonly shown: string;
}

export interface BaseUrl {
  readonly origin: string;
  /** Without a trailing slash. */
  readonly path: string;
  /** Starts of a caller's path that the base URL already has, longest first: `/openai/v1`, `/v1`. */
  readonly overlaps: readonly string[];
  readonly lookUp: LookupFunction | undefined;
}

/** @throws TypeError for an invalid URL. */
export function parseBaseUrl(baseUrl: string): BaseUrl {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  return { origin, path, overlaps: versionedEnds(path), lookUp: undefined };
}

/**
 * The base URL of a provider's OpenAI-compatible API: `openAiPath` is appended unless the base URL ends in it. A caller's `/v1` is dropped
 * where `openAiPath` replaces it, as `/v1beta/openai` does.
 */
export function parseOpenAiBaseUrl(baseUrl: string, openAiPath: string, hasVersion: boolean): BaseUrl {
  const base = parseBaseUrl(baseUrl);
  const path = base.path.endsWith(openAiPath) ? base.path : base.path + openAiPath;
  const overlaps = versionedEnds(path);
  return { ...base, path, overlaps: overlaps.length > 0 || hasVersion ? overlaps : [versionPrefix] };
}

/** The suffixes of a path that ends in `/v1`, in whole segments, longest first. */
function versionedEnds(path: string): readonly string[] {
  if (!path.endsWith(versionPrefix)) return [];
  const segments = path.slice(1).split('/');
  return segments.map((_segment, index) => `/${segments.slice(index).join('/')}`);
}

/**
 * Joins a base URL and a caller's path without doubling a leading `/v1`, or more of the base URL's path. Invariant: the origin is the base
 * URL's, whatever the path. TRICKY: the caller's path never goes through `URL`, which resolves dot segments, turns `\` into `/` and
 * rewrites bytes.
 */
export function joinAddress({ origin, path: basePath, overlaps, lookUp }: BaseUrl, path: string): ProviderTarget {
  return resolveAt({ origin, basePath, lookUp }, basePath + withoutStart(path, overlaps));
}

/** A base URL and a path, both of maximum length. */
const maxTargetBytes = 2 * textLimits.addressBytes;

/** @param path with or without its first slash. */
export function resolveAt(base: Pick<ProviderTarget, 'origin' | 'basePath' | 'lookUp'>, path: string): ProviderTarget {
  const absolute = path.startsWith('/') ? path : `/${path}`;
  return { ...base, path: absolute, shown: storableAddress(withoutSecrets(base.origin + absolute), base.origin, maxTargetBytes) };
}

/** Resolves paths with a memo, because most calls use a few. A path with a query is not kept: it may contain a key. */
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

/** Compares whole segments: `/v10` does not start with `/v1`. */
function startsWithSegments(path: string, start: string): boolean {
  if (!path.startsWith(start)) return false;
  const next = path[start.length];
  return next === undefined || next === '/' || next === '?';
}
