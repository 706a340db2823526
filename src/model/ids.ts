/** A UUID in lower-case text form, as identifiers are compared, stored and shown. */
export type Uuid = string & { readonly __kind: 'uuid' };
export type OrganizationId = Uuid;
export type RequestId = Uuid;

/** Any version, any case. */
export const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @returns undefined when the text is not a UUID. */
export function parseUuid(text: string): Uuid | undefined {
  return uuidShape.test(text) ? (text.toLowerCase() as Uuid) : undefined;
}

/** The UUID as an unsigned 128-bit number, which sorts exactly as the text does. ClickHouse's UUID type does not. */
export function uuidToNumber(uuid: Uuid): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '')}`);
}

/** @param hex 32 lower-case hexadecimal digits. */
export function uuidOfHex(hex: string): Uuid {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uuid;
}

/** Unix milliseconds in a UUIDv7; undefined for other versions. */
export function timeOfUuid(uuid: Uuid): number | undefined {
  return uuid[14] === '7' ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : undefined;
}
