/** A UUID in its text form, lower case: how identifiers are compared, stored and shown. */
export type Uuid = string & { readonly __kind: 'uuid' };
export type OrganizationId = Uuid;
export type RequestId = Uuid;

/** A UUID of any version, in any case. */
export const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads a UUID of any version in any case. @returns undefined when the text is no UUID. */
export function parseUuid(text: string): Uuid | undefined {
  return uuidShape.test(text) ? (text.toLowerCase() as Uuid) : undefined;
}

/** The UUID as an unsigned 128-bit number: numbers sort exactly as the texts do, which ClickHouse's own UUID type does not. */
export function uuidToNumber(uuid: Uuid): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '')}`);
}

/** 32 lower-case hexadecimal digits as a UUID. */
export function uuidOfHex(hex: string): Uuid {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uuid;
}

/** Unix milliseconds inside a UUIDv7, undefined for other versions. */
export function timeOfUuid(uuid: Uuid): number | undefined {
  return uuid[14] === '7' ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : undefined;
}
