import type { LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

const hostsPath = '/etc/hosts';

/** The machine's hosts file, read again when it changes. */
export class HostsFile {
  private readonly path: string;
  private seen = '';
  private addresses: ReadonlyMap<string, readonly LookupAddress[]> = new Map();

  constructor(path = hostsPath) {
    this.path = path;
  }

  /** The addresses of a name; none without an entry or a file. */
  of(hostname: string): readonly LookupAddress[] {
    try {
      const { mtimeMs, size, ino } = statSync(this.path);
      const now = `${mtimeMs} ${size} ${ino}`;
      if (now !== this.seen) {
        this.addresses = readHosts(readFileSync(this.path, 'utf8'));
        this.seen = now;
      }
    } catch {
      return [];
    }
    return this.addresses.get(hostname.toLowerCase()) ?? [];
  }
}

function readHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const found = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const known = found.get(name.toLowerCase());
      if (known === undefined) found.set(name.toLowerCase(), [{ address, family }]);
      else known.push({ address, family });
    }
  }
  return found;
}
