import type { Filter } from '../../client/client.ts';

/** Addresses of what answers show; each takes the caller's key. */

export function requestLink(publicUrl: string, id: string): string {
  return `${publicUrl}/v1/request/${encodeURIComponent(id)}`;
}

export function sessionLink(publicUrl: string, id: string): string {
  return `${publicUrl}/v1/session/${encodeURIComponent(id)}`;
}

interface Exported {
  readonly filter: Filter;
  readonly from: number | undefined;
  readonly to: number;
}

/** Longer addresses are cut off by some programs. */
const maxAddress = 1500;

/** All requests that match, as JSON lines. @returns undefined for a filter too long for an address. */
export function exportLink(publicUrl: string, { filter, from, to }: Exported): string | undefined {
  const parameters = new URLSearchParams({
    format: 'jsonl',
    ...(Object.keys(filter).length === 0 ? {} : { filter: JSON.stringify(filter) }),
    ...(from === undefined ? {} : { startDate: new Date(from).toISOString() }),
    endDate: new Date(to).toISOString(),
  });
  const address = `${publicUrl}/v1/export?${parameters.toString()}`;
  return address.length > maxAddress ? undefined : address;
}
