import { GatelogError } from '../../model/errors.ts';
import { quotedInHeader } from '../../model/text.ts';
import { headerText } from '../http/headers.ts';

/** What a call asks of the response cache. */
export interface CachePolicy {
  /** A reply that is kept may be given. */
  readonly reads: boolean;
  /** The reply of the provider may be kept. */
  readonly keeps: boolean;
  readonly seed: string;
  /** So many different replies are kept for one call. */
  readonly places: number;
  /** Top-level keys of the body that do not count. */
  readonly ignoredKeys: readonly string[];
  /** How long the reply is kept, and how old a kept one may be, milliseconds. */
  readonly maxAgeMs: number;
}

/** Our headers about the cache, by the name after the prefix. */
export type CacheHeader =
  | 'cache-enabled'
  | 'cache-read'
  | 'cache-save'
  | 'cache-seed'
  | 'cache-bucket-max-size'
  | 'cache-ignore-keys'
  | 'cache-control';

/** Those that were sent, as they were sent. */
export type CacheHeaders = Readonly<Partial<Record<CacheHeader, Sent>>>;

interface Sent {
  readonly name: string;
  readonly value: string;
}

const maxPlaces = 20;
const daySeconds = 24 * 60 * 60;
const defaultMaxAgeSeconds = 7 * daySeconds;
const maxMaxAgeSeconds = 365 * daySeconds;

/**
 * What the cache headers of a call ask for together with its plain `Cache-Control`, which ours goes before.
 * @returns undefined when the cache has no part in the call.
 * @throws GatelogError `invalid_directive`.
 */
export function readCacheAsk(sent: CacheHeaders, cacheControl: string | undefined): CachePolicy | undefined {
  const asked = {
    ...readUses(sent),
    seed: headerText(sent['cache-seed']?.value ?? '').trim(),
    places: readPlaces(sent['cache-bucket-max-size']),
    ignoredKeys: readKeys(sent['cache-ignore-keys']?.value ?? ''),
  };
  if (!asked.reads && !asked.keeps) return undefined;
  const control = readCacheControl(sent['cache-control'] ?? { name: 'Cache-Control', value: cacheControl ?? '' });
  const reads = asked.reads && !control.has('no-cache');
  if (control.has('no-store') || !(reads || asked.keeps)) return undefined;
  return { ...asked, reads, maxAgeMs: maxAgeOf(control) * 1000 };
}

function readUses(sent: CacheHeaders): Pick<CachePolicy, 'reads' | 'keeps'> {
  const enabled = readFlag(sent['cache-enabled']) ?? false;
  return { reads: readFlag(sent['cache-read']) ?? enabled, keeps: readFlag(sent['cache-save']) ?? enabled };
}

function wrong({ name, value }: Sent, wanted: string): GatelogError {
  return new GatelogError('invalid_directive', `${name} takes ${wanted}; got ${quotedInHeader(value)}.`);
}

function readFlag(sent: Sent | undefined): boolean | undefined {
  if (sent === undefined) return undefined;
  const word = sent.value.trim().toLowerCase();
  if (word !== 'true' && word !== 'false') throw wrong(sent, 'true or false');
  return word === 'true';
}

function readPlaces(sent: Sent | undefined): number {
  if (sent === undefined) return 1;
  const text = sent.value.trim();
  const places = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (places < 1 || places > maxPlaces) throw wrong(sent, `a whole number from 1 to ${maxPlaces}`);
  return places;
}

function readKeys(value: string): readonly string[] {
  return headerText(value)
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

/** The directives of a `Cache-Control`, lower-case names. As RFC 9111 §5.2.3 has it, those that are not known here are ignored. */
function readCacheControl(sent: Sent): ReadonlyMap<string, number> {
  const directives = new Map<string, number>();
  for (const part of sent.value.split(',')) {
    const [name = '', ...rest] = part.split('=');
    const directive = name.trim().toLowerCase();
    const argument = rest.join('=').trim().replaceAll(/^"|"$/g, '');
    if (directive === 'no-store' || directive === 'no-cache') directives.set(directive, 0);
    if (directive !== 'max-age' && directive !== 's-maxage') continue;
    if (!/^\d+$/.test(argument)) throw wrong(sent, `${directive}=<seconds>`);
    directives.set(directive, Number(argument));
  }
  return directives;
}

/** Seconds. `s-maxage` is the one for caches that are shared, as this one is. */
function maxAgeOf(control: ReadonlyMap<string, number>): number {
  const asked = control.get('s-maxage') ?? control.get('max-age') ?? defaultMaxAgeSeconds;
  return Math.min(asked, maxMaxAgeSeconds);
}
