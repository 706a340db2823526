import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, Provider } from 'oidc-provider';

export const clientId = 'gatelog';
export const clientSecret = 'secret-of-tests';

/** What the issuer says of an account, beside its `sub`. */
export interface LocalAccount {
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

/** An issuer of OpenID Connect on this machine, as its library behaves, whose accounts need no password. */
export interface LocalIssuer {
  readonly address: string;
  readonly accounts: Map<string, LocalAccount>;
  /** Every browser that comes from now on is signed in with this account. */
  readonly setVisitor: (account: string) => void;
  /** Goes to an address as a browser in which this account is signed in. @returns the address of the callback to which it is sent. */
  readonly visit: (address: string, account: string) => Promise<URL>;
  /** Signs with a new key, and names the old one no more. */
  readonly changeKeys: () => void;
  /** Answers nothing any more, or again. */
  readonly setAway: (isAway: boolean) => void;
  readonly close: () => Promise<void>;
}

export interface LocalIssuerOptions {
  readonly callback: string;
  readonly afterSignOut?: string;
  readonly port?: number;
}

export async function openLocalIssuer({ callback, afterSignOut, port = 0 }: LocalIssuerOptions): Promise<LocalIssuer> {
  const accounts = new Map<string, LocalAccount>();
  let visitor = '';
  let isAway = false;
  let keys = 0;
  let handle = nothing;
  const server = createServer((request, response) => (isAway ? void request.socket.destroy() : handle(request, response)));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provide = (): void => {
    keys += 1;
    const provider = new Provider(address, configurationOf({ accounts, callback, afterSignOut, keyId: `key ${keys}` }));
    const library = provider.callback();
    handle = (request, response) => {
      if (request.url?.startsWith('/interaction/') === true) void interact(provider, request, response, visitor);
      else void library(request, response);
    };
  };
  provide();
  return {
    address,
    accounts,
    setVisitor: (account) => (visitor = account),
    visit: (first, account) => {
      visitor = account;
      return follow(first, callback);
    },
    changeKeys: provide,
    setAway: (away) => (isAway = away),
    close: () => closed(server),
  };
}

function nothing(_request: IncomingMessage, _response: ServerResponse): void {}

interface Given {
  readonly accounts: ReadonlyMap<string, LocalAccount>;
  readonly callback: string;
  readonly afterSignOut: string | undefined;
  readonly keyId: string;
}

function configurationOf({ accounts, callback, afterSignOut, keyId }: Given): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
        ...(afterSignOut === undefined ? {} : { post_logout_redirect_uris: [afterSignOut] }),
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of tests'] },
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    claims: { profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    issueRefreshToken: () => true,
    findAccount: (_context, sub) => {
      const account = accounts.get(sub);
      return account && { accountId: sub, claims: () => ({ sub, ...account }) };
    },
  };
}

/** Signs in and consents without a page. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse, accountId: string): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

/** Follows redirects with the issuer's cookies until one leads to the callback. */
async function follow(first: string, callback: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let address = first;
  for (let steps = 0; steps < 10; steps += 1) {
    if (address.startsWith(callback)) return new URL(address);
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(address, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The issuer answers ${response.status}: ${(await response.text()).slice(0, 2000)}`);
    address = new URL(location, address).href;
  }
  throw new Error('The issuer redirects without an end.');
}

export async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
