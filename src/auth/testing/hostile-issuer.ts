import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientId, closed } from './local-issuer.ts';

/** An issuer that lies on demand: it answers every code with one ID token. */
export interface HostileIssuer {
  readonly address: string;
  /** How the next tokens differ from good ones. */
  lie: Lie;
  /** The issuer's answer to an address of the authorization endpoint, as a browser brings it back. */
  readonly answerTo: (address: string) => URL;
  readonly close: () => Promise<void>;
}

export interface Lie {
  /** Replaces claims of the token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Seconds by which its clock is ahead. */
  readonly clockSeconds?: number;
  /** Signs with a key that it does not name. */
  readonly hasOtherKey?: true;
  /** The body of the token endpoint in place of tokens. */
  readonly body?: string;
  /** Its status. */
  readonly status?: number;
  /** What its discovery document says of itself. */
  readonly issuer?: string;
}

export async function openHostileIssuer(callback: string): Promise<HostileIssuer> {
  const [named, other] = [newKey(), newKey()];
  let nonce = '';
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer.address);
    const send = (body: unknown): void => {
      response.writeHead(pathname === '/token' ? (issuer.lie.status ?? 200) : 200, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (pathname === '/.well-known/openid-configuration') send(documentOf(issuer.address, issuer.lie.issuer));
    else if (pathname === '/keys') send({ keys: [{ ...named.publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig', alg: 'RS256' }] });
    else send(issuer.lie.body ?? tokensOf(issuer, nonce, issuer.lie.hasOtherKey === true ? other.privateKey : named.privateKey));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer: HostileIssuer = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie: {},
    answerTo: (address) => {
      const asked = new URL(address).searchParams;
      nonce = asked.get('nonce') ?? '';
      const answer = new URL(callback);
      answer.searchParams.set('code', 'any');
      answer.searchParams.set('state', asked.get('state') ?? '');
      return answer;
    },
    close: () => closed(server),
  };
  return issuer;
}

function newKey() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function documentOf(address: string, issuer = address) {
  return {
    issuer,
    authorization_endpoint: `${address}/authorize`,
    token_endpoint: `${address}/token`,
    jwks_uri: `${address}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

function tokensOf({ address, lie }: HostileIssuer, nonce: string, key: KeyObject) {
  const now = Math.floor(Date.now() / 1000) + (lie.clockSeconds ?? 0);
  const claims = {
    iss: address,
    aud: clientId,
    sub: 'ada',
    iat: now,
    exp: now + 300,
    nonce,
    name: 'Ada',
    email: 'ada@example.com',
    email_verified: true,
    groups: ['engineering'],
    ...lie.claims,
  };
  return { access_token: 'a', token_type: 'Bearer', expires_in: 300, id_token: signed(claims, key) };
}

function signed(claims: object, key: KeyObject): string {
  const text = [{ alg: 'RS256', kid: '1' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}
