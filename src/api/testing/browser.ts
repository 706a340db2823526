import type { LocalIssuer } from '../../auth/testing/local-issuer.ts';
import type { ApiRig } from './api-harness.ts';

export const csrf = { 'Svc-Csrf': '1' };

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser at an API: it keeps cookies, with the paths for which they hold. */
export class Browser {
  readonly cookies = new Map<string, { readonly value: string; readonly path: string; readonly text: string }>();
  private readonly rig: Pick<ApiRig, 'call'>;

  constructor(rig: Pick<ApiRig, 'call'>) {
    this.rig = rig;
  }

  async call(method: string, address: string, { body, headers }: Sent = {}): Promise<Response> {
    const { pathname } = new URL(address, 'http://gatelog.test');
    const sent = [...this.cookies].filter(([, { path }]) => pathname.startsWith(path)).map(([name, { value }]) => `${name}=${value}`);
    const cookie: Record<string, string> = sent.length === 0 ? {} : { cookie: sent.join('; ') };
    const response = await this.rig.call(method, address, { key: null, body, headers: { ...cookie, ...headers } });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = '', path = ''] = /^([^=]+)=([^;]*);.*Path=([^;]*)/.exec(text) ?? [];
      if (/Max-Age=0/.test(text)) this.cookies.delete(name);
      else this.cookies.set(name, { value, path, text });
    }
    return response;
  }

  /** Goes to the issuer and back. @returns the address to which it is sent then. */
  async visit(issuer: Pick<LocalIssuer, 'visit'>, account: string, next = '/requests'): Promise<string> {
    const begun = await this.call('GET', `/v1/sign-in?next=${encodeURIComponent(next)}`);
    return this.comeBack(await issuer.visit(begun.headers.get('location') ?? '', account));
  }

  /** @returns the address to which it is sent then. */
  async comeBack({ pathname, search }: URL): Promise<string> {
    const answer = await this.call('GET', pathname + search);
    return answer.headers.get('location') ?? `${answer.status}`;
  }

  /** What the page does to which the browser was sent. */
  finish(invitation?: string): Promise<Response> {
    return this.call('POST', '/v1/sign-in/callback', { body: invitation === undefined ? {} : { invitation }, headers: csrf });
  }

  /** The token of the session. */
  get session(): string | undefined {
    return [...this.cookies].find(([name]) => /^gatelog_session_[0-9a-f]{8}$/.test(name))?.[1].value;
  }
}
