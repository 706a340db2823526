import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate with its key, both PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate that signs itself, for one host name or none but the address 127.0.0.1 (RFC 5280, in DER). */
export function selfSigned(host: string): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(tagged(0x31, sequence(tagged(0x06, [0x55, 0x04, 0x03]), tagged(0x0c, Buffer.from(host)))));
  const algorithm = sequence(tagged(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const names = sequence(tagged(0x82, Buffer.from(host)), tagged(0x87, [127, 0, 0, 1]));
  const extension = sequence(tagged(0x06, [0x55, 0x1d, 0x11]), tagged(0x04, names));
  const content = sequence(
    tagged(0xa0, tagged(0x02, [2])),
    tagged(0x02, [1]),
    algorithm,
    name,
    sequence(tagged(0x17, Buffer.from('200101000000Z')), tagged(0x17, Buffer.from('490101000000Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', content, privateKey);
  const der = sequence(content, algorithm, tagged(0x03, Buffer.concat([Buffer.of(0), signature])));
  // No empty line, also where the last one is full: readers of PEM take it for the end.
  const lines = der.toString('base64').replaceAll(/.{64}(?!$)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer | readonly number[]): Buffer {
  const bytes = Buffer.from(content);
  const length = bytes.length < 128 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.of(tag, ...length), bytes]);
}
