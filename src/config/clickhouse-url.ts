import { isEncoded } from './percent-encoding.ts';
import type { Reading } from './reading.ts';

/** ClickHouse servers that have the same records. */
export interface ClickHouseServers {
  /** Each with user, password and database, as the client library takes them: one server, a load balancer, or the replicas of a shard. */
  readonly urls: readonly string[];
  readonly database: string;
  /** The tables are made `ON CLUSTER` of this name. */
  readonly cluster: string | undefined;
}

export const clickhouseUrlForm =
  'http://user:password@host:8123/database, https:// for TLS; replicas separated by commas, each with the same database, and ?cluster=NAME behind the last for tables ON CLUSTER';

const maxAddresses = 16;
const defaultDatabase = 'gatelog';
const nameShape = /^[A-Za-z_][\w-]{0,62}$/;
const nameForm = 'letters, digits, "_" and "-"';

/** Reads the addresses of servers. A problem never quotes them: they hold passwords. */
export function readClickHouseUrl(text: string): Reading<ClickHouseServers> {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > maxAddresses) return { problem: `names more than ${maxAddresses} servers` };
  if (!parts.every((part) => URL.canParse(part))) return { problem: 'is not an address, or not several with commas between them' };
  const urls = parts.map((part) => new URL(part));
  const problem = urls.map(wrongParts).find((found) => found !== undefined) ?? wrongTogether(urls);
  if (problem !== undefined) return { problem };
  const database = databaseOf(urls[0]);
  const cluster = urls.at(-1)?.searchParams.get('cluster') ?? undefined;
  if (!nameShape.test(database)) return { problem: `has a database whose name is not made of ${nameForm}` };
  if (cluster !== undefined && !nameShape.test(cluster)) return { problem: `has a cluster whose name is not made of ${nameForm}` };
  return { value: { urls: urls.map((url) => clientUrl(url, database)), database, cluster } };
}

function wrongParts({ protocol, hostname, username, password, searchParams, hash, pathname }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return 'starts neither with http:// nor with https://';
  if (hash !== '') return 'holds a fragment';
  if (!/^\/[^/]*$/.test(pathname)) return 'has a path that is not the name of a database';
  if (![hostname, username, password, pathname].every(isEncoded)) return 'has a % that is not followed by two hexadecimal digits';
  return [...searchParams.keys()].every((name) => name === 'cluster') ? undefined : 'has a parameter besides cluster';
}

function wrongTogether(urls: readonly URL[]): string | undefined {
  if (new Set(urls.map(databaseOf)).size > 1) return 'names several databases';
  const clusters = urls.flatMap(({ searchParams }) => searchParams.getAll('cluster'));
  if (new Set(clusters).size > 1) return 'names several clusters';
  return new Set(urls.map(({ host }) => host)).size < urls.length ? 'names a server twice' : undefined;
}

function databaseOf(url: URL | undefined): string {
  const name = decodeURIComponent(url?.pathname.slice(1) ?? '');
  return name === '' ? defaultDatabase : name;
}

function clientUrl(given: URL, database: string): string {
  const url = new URL(given);
  url.pathname = `/${database}`;
  url.search = '';
  return url.href;
}
