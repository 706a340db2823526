/** How a request was encoded, and so its response. */
export type Encoding = 'protobuf' | 'json';

export const mediaTypes: Readonly<Record<Encoding, string>> = { protobuf: 'application/x-protobuf', json: 'application/json' };

/** The encoding that a `content-type` names; undefined for any other. */
export function encodingOf(contentType: string): Encoding | undefined {
  const [type = ''] = contentType.split(';', 1);
  const name = type.trim().toLowerCase();
  if (name === mediaTypes.json) return 'json';
  return name === mediaTypes.protobuf || name === 'application/protobuf' ? 'protobuf' : undefined;
}
