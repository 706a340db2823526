import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { GatelogError } from '../model/errors.ts';
import { isPublicAddress } from './addresses.ts';
import type { AllowList } from './allow-list.ts';
import { makeLookUp } from './look-up.ts';

/** An allowed address that a caller named. */
export interface AllowedTarget {
  readonly origin: string;
  readonly pathname: string;
  /** Query with its question mark; empty without one, and for a target of calls. */
  readonly search: string;
  /**
   * Resolves the host when a connection opens. It fails with `target_not_allowed` for a forbidden address, and the connection uses the
   * very address that was checked.
   */
  readonly lookUp: LookupFunction;
}

/** Why an address is refused. `problem` continues a sentence that begins with the place of the address. */
export interface TargetRefusal {
  readonly code: 'malformed' | 'not_allowed';
  readonly problem: string;
}

/** What is sent to an address: calls, which bring their own query and credential, or events. */
export type AddressUse = 'calls' | 'events';

/** Keeps calls and events to addresses of callers away from this machine and its network. */
export interface EgressPolicy {
  /** @param use default: calls. */
  readonly check: (address: string, use?: AddressUse) => AllowedTarget | TargetRefusal;
}

const maxAddress = 2048;
const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };
/** Names of this machine or network wherever they are resolved (RFC 6761, RFC 6762, RFC 8375, the clouds' metadata names). */
const localName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

interface Resolvers {
  /** For hosts of the allow-list: as the machine resolves them. */
  readonly listed: LookupFunction;
  /** For other hosts, whose names callers make up and whose name servers they may control. */
  readonly unlisted: LookupFunction;
}

/** Maximum wait for the addresses of a caller's host. */
const lookUpMaxMs = 5000;
const systemResolvers: Resolvers = { listed: lookup, unlisted: makeLookUp({ timeoutMs: lookUpMaxMs }) };

/** Refuses whatever is neither listed nor a public https address: by its text where that suffices, else when its name is resolved. */
export function makeTargetGuard(allowed: AllowList, resolvers: Resolvers = systemResolvers): EgressPolicy {
  const { listed: resolveListed, unlisted } = resolvers;
  return {
    check: (address, use = 'calls') => {
      const url = parse(address, use);
      if ('problem' in url) return url;
      const host = hostOf(url);
      const port = url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port);
      const { pathname, search } = url;
      const target = (lookUp: LookupFunction): AllowedTarget => ({ origin: originOf(url, host), pathname, search, lookUp });
      if (allowed.allows(host, port)) return target(resolveListed);
      const isSafe = url.protocol === 'https:';
      const listed = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
      const isLocal = isIP(host) === 0 && localName.test(host);
      if (isLocal ? !allowed.listsAddresses : isIP(host) !== 0 && !isPublicAddress(host)) {
        return notAllowed('is not on the public internet', listed);
      }
      if (!isSafe && (isIP(host) !== 0 || !allowed.listsAddresses)) return notAllowed('uses plain http', listed);
      // A local name that resolves to a public address is suspicious.
      const mayReach = (found: string): boolean => (isSafe && !isLocal && isPublicAddress(found)) || allowed.allows(found, port);
      return target(guarded(unlisted, mayReach, listed));
    },
  };
}

function parse(address: string, use: AddressUse): URL | TargetRefusal {
  if (address.length > maxAddress) return malformed(`is longer than ${maxAddress} characters`);
  if (!URL.canParse(address)) return malformed('is not an address; write one such as https://api.example.com/v1');
  const url = new URL(address);
  if (!Object.hasOwn(defaultPorts, url.protocol)) return malformed('is neither https nor http; write an address that starts with https://');
  const hasCredential = url.username !== '' || url.password !== '';
  if (use === 'events') {
    if (hasCredential) return malformed('holds a user name or password, which would not be sent; leave it out');
    return url.hash === '' ? url : malformed('holds a fragment, which would not be sent; leave it out');
  }
  if (hasCredential) return malformed('holds a user name or password; send the credential in a header of its own');
  if (url.search !== '' || url.hash !== '') return malformed('holds a query or a fragment; put the query on the path of the call');
  return url;
}

/** Name or address without brackets, and without trailing dots, which name the same host. */
function hostOf({ hostname }: URL): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  let end = hostname.length;
  while (hostname.charAt(end - 1) === '.') end -= 1;
  return hostname.slice(0, end);
}

function originOf({ protocol, port }: URL, host: string): string {
  return `${protocol}//${isIP(host) === 6 ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
}

function malformed(problem: string): TargetRefusal {
  return { code: 'malformed', problem };
}

function notAllowed(reason: string, listed: string): TargetRefusal {
  return { code: 'not_allowed', problem: `${reason}; write a public https address, or have ${listed} added to GATELOG_TARGET_ALLOWLIST` };
}

/**
 * Resolves a name only when every address is allowed. TRICKY: the error does not name the address, or a caller could read our network's
 * names by it.
 */
function guarded(resolve: LookupFunction, mayReach: (address: string) => boolean, listed: string): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const addresses = typeof found === 'string' ? [] : found;
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => mayReach(address))) {
        callback(new GatelogError('target_not_allowed', `The target ${notAllowed('is not on the public internet', listed).problem}.`), []);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
