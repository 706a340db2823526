import { type LocalAddress, standardApiPort } from '../base/local-address.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const standardAddress = `http://127.0.0.1:${standardApiPort}`;

/** An address as it is used, and what there is to say of it. */
export interface CheckedAddress {
  /** Without a slash at its end; undefined when it cannot be used. */
  readonly address: URL | undefined;
  readonly finding: Finding;
}

const check = 'address';

/** Reads `GATELOG_API_URL`. @param given undefined: not set. @param local of a service on this machine. */
export function checkAddress(given: string | undefined, { address, by }: LocalAddress): CheckedAddress {
  return given === undefined && by !== undefined ? checkLocal(address, by) : checkUrl(given);
}

function checkUrl(given: string | undefined): CheckedAddress {
  const text = (given ?? standardAddress).trim();
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const says = 'GATELOG_API_URL is no address of http or https.';
    const bare = URL.parse(`http://${text}`);
    const remedy = bare === null || text.includes('://') ? standardAddress : `http://${text}, or https://${text}`;
    return { address: undefined, finding: fail(check, says, `Write ${remedy}.`) };
  }
  if (url.username !== '' || url.password !== '') {
    const remedy = 'Leave user and password out; the key goes into GATELOG_API_KEY.';
    return { address: undefined, finding: fail(check, 'GATELOG_API_URL holds a user or a password.', remedy) };
  }
  const path = url.pathname.replace(/\/+$/, '');
  const address = new URL(url.origin + path);
  if (path.endsWith('/v1')) {
    const remedy = `Set GATELOG_API_URL to ${url.origin}${path.replace(/\/v1$/, '')}`;
    return { address: undefined, finding: fail(check, 'GATELOG_API_URL ends in /v1, which every path begins with.', remedy) };
  }
  if (url.search !== '' || url.hash !== '') {
    return { address: undefined, finding: fail(check, 'GATELOG_API_URL holds more than an address.', `Write ${url.origin}${path}`) };
  }
  if (url.protocol === 'http:' && !isLocal(url)) {
    const remedy = 'Put a proxy with TLS in front of the service and write https://.';
    return { address, finding: warn(check, `${placeOf(address)} is plain http: the key can be read on its way.`, remedy) };
  }
  return { address, finding: ok(check, `${placeOf(address)}${given === undefined ? ', the standard' : ''}`) };
}

function checkLocal(address: string, { setting, port }: Required<LocalAddress>['by']): CheckedAddress {
  const url = URL.parse(address);
  if (url === null || !/^\d+$/.test(port)) {
    return { address: undefined, finding: fail(check, `${setting} is no port.`, `Write a number such as ${standardApiPort}.`) };
  }
  return { address: url, finding: ok(check, `${placeOf(url)}, by ${setting}`) };
}

/** An address as people write it. */
export function placeOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

/** On this machine. */
export function isLocal({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
