import type { Socket } from 'node:net';
import { wireProfile } from '../../providers/wire-profile.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import type { ProviderTarget } from '../routing/base-url.ts';
import { customProviderName } from '../../model/providers/providers.ts';

/**
 * Addresses in replies that clients call with the key of their calls: where results lie, where an upload goes on. Those at the provider
 * that answered become the gateway's own, so that the key, which may be ours, goes nowhere else
 * (docs/internals/decisions/0022-addresses-in-replies.md).
 */

/** Headers whose value is such an address, or has some in angle brackets. */
export const addressHeaders: readonly string[] = ['content-location', 'link', 'location', ...wireProfile.addressHeaders];

/** Headers that describe the bytes of a body, which change. */
const bodyDigests: ReadonlySet<string> = new Set(['content-digest', 'content-length', 'content-md5', 'digest', 'repr-digest']);

/**
 * The members of a reply's body that hold such addresses.
 * @param path at the provider. @returns undefined for nearly every call.
 */
export function addressMembersAt(provider: string, path: string): readonly string[] | undefined {
  if (!mayHoldAddresses.test(path)) return undefined;
  return wireProfile.addressMembers.find((row) => (row.provider === provider || provider === customProviderName) && row.path.test(path))
    ?.members;
}

const mayHoldAddresses = /\/(?:batches|files)(?:[/?]|$)/;

export type Readdress = (address: string) => string | undefined;

export interface CallAddresses {
  /** Path and query as the caller sent them. */
  readonly callPath: string;
  readonly target: ProviderTarget;
  /** The gateway's own address without a trailing slash. */
  readonly ours: string;
}

/**
 * Maps an address at the provider of a call to the one at which the gateway reaches it, by the part in which the call's own two addresses
 * differ: `/anthropic/v1/a` went to `/v1/a`, so `/v1/b` is `/anthropic/v1/b`. The rest of the address stays as it is written.
 */
export function readdressing({ callPath, target, ours }: CallAddresses): Readdress {
  const starts = differingStarts(withoutQuery(callPath), withoutQuery(target.path));
  return (address) => {
    const path = pathAtOrigin(address, target.origin);
    if (starts === undefined || path === undefined || !startsWithSegments(path, starts.target)) return undefined;
    const moved = starts.call + path.slice(starts.target.length);
    return address.startsWith('/') && !address.startsWith('//') ? moved : ours + moved;
  };
}

/** The gateway as this caller reaches it. TRICKY: not by its Host header, which anything on the way may have written. */
export function listenerAddress({ localAddress, localPort }: Socket): string | undefined {
  if (localAddress === undefined || localPort === undefined) return undefined;
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** Replaces the addresses in such headers. */
export function readdressHeaders(list: HeaderList, readdress: Readdress): string[] {
  return list.map((part, index) => {
    const name = index % 2 === 1 ? (list[index - 1] ?? '').toLowerCase() : '';
    if (!names.has(name)) return part;
    if (name === 'link') return part.replaceAll(/<([^<>]*)>/g, (match, address: string) => bracketed(readdress(address)) ?? match);
    return readdress(part) ?? part;
  });
}

/** @returns headers for a body whose bytes may change. */
export function withoutDigests(list: HeaderList): string[] {
  return list.filter((_part, index) => !bodyDigests.has((list[index - (index % 2)] ?? '').toLowerCase()));
}

const names: ReadonlySet<string> = new Set(addressHeaders);

function bracketed(address: string | undefined): string | undefined {
  return address === undefined ? undefined : `<${address}>`;
}

interface Starts {
  readonly call: string;
  readonly target: string;
}

/** What stands before the segments that both end in; undefined where the gateway reaches nothing but that path. */
function differingStarts(call: string, target: string): Starts | undefined {
  let [callEnd, targetEnd] = [call.length, target.length];
  for (;;) {
    const [callAt, targetAt] = [call.lastIndexOf('/', callEnd - 1), target.lastIndexOf('/', targetEnd - 1)];
    if (callAt === -1 || targetAt === -1 || call.slice(callAt, callEnd) !== target.slice(targetAt, targetEnd)) break;
    [callEnd, targetEnd] = [callAt, targetAt];
    if (callEnd === 0 || targetEnd === 0) break;
  }
  if (callEnd === call.length) return undefined;
  const starts = { call: call.slice(0, callEnd), target: target.slice(0, targetEnd) };
  // A root path that led to a part of the provider's: other paths at the root lead elsewhere.
  return starts.call === '' && starts.target !== '' ? undefined : starts;
}

/** Path, query and fragment as written. */
function pathAtOrigin(address: string, origin: string): string | undefined {
  if (address.startsWith('/') && !address.startsWith('//')) return address;
  if (!URL.canParse(address, origin) || new URL(address, origin).origin !== origin) return undefined;
  const authority = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i.exec(address)?.[0];
  return authority === undefined ? undefined : address.slice(authority.length);
}

function startsWithSegments(path: string, start: string): boolean {
  return path.startsWith(start) && /^(?:[/?#]|$)/.test(path.slice(start.length));
}

function withoutQuery(path: string): string {
  const [pathname = ''] = path.split('?', 1);
  return pathname;
}
