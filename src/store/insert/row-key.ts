import { type OrganizationId, uuidOfHex } from '../../model/ids.ts';

/** Where values stand in a row of `rowsOf` for `requests`, which begins with its key, then the time of its change and its number. */
const offsets = { organization: 0, createdAt: 16, storedNumber: 48 } as const;

/** The times of some records, Unix milliseconds, both inclusive. */
export interface ArrivalRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** @param row empty: there is none. @param storedNumber by which the record is found in the order of storage; rows are written without one. */
export function numberRow(row: Uint8Array, storedNumber: number): void {
  if (row.length === 0) return;
  viewOf(row).setBigUint64(offsets.storedNumber, BigInt(storedNumber), true);
}

/** The organisation as a number, and the time in Unix milliseconds. */
export function keyOfRow(row: Uint8Array): { readonly organization: bigint; readonly createdAt: number } {
  const view = viewOf(row);
  const organization = view.getBigUint64(offsets.organization, true) | (view.getBigUint64(offsets.organization + 8, true) << 64n);
  return { organization, createdAt: Number(view.getBigInt64(offsets.createdAt, true)) };
}

export function arrivalsOf(rows: readonly Uint8Array[]): ReadonlyMap<OrganizationId, ArrivalRange> {
  const ranges = new Map<bigint, ArrivalRange>();
  for (const row of rows) {
    if (row.length === 0) continue;
    const { organization, createdAt } = keyOfRow(row);
    const { fromMs, toMs } = ranges.get(organization) ?? { fromMs: createdAt, toMs: createdAt };
    ranges.set(organization, { fromMs: Math.min(fromMs, createdAt), toMs: Math.max(toMs, createdAt) });
  }
  return new Map([...ranges].map(([organization, range]) => [uuidOfHex(organization.toString(16).padStart(32, '0')), range]));
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
