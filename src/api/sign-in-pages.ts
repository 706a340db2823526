import type { Context, Hono } from 'hono';
import { beginSignInParametersSchema } from '../contract/settings/session-cookie.ts';
import type { ApiPorts } from './endpoint/ports.ts';
import { readQueryParameters } from './http/read-input.ts';
import { setSignInCookie, signInCookie, signInsOf } from './page/sign-in-cookie.ts';
import { callbackPath } from './parts/sign-in.ts';

/** A browser opens it with the page to go on with: `/v1/sign-in?next=/requests`. */
const beginPath = '/v1/sign-in';

/**
 * The addresses through which a browser goes to the issuer and back; not in the OpenAPI document, as no program calls them. Whatever the
 * issuer sends, the browser goes on to the dashboard, which ends the sign-in by `POST /v1/sign-in/callback` and shows what failed.
 */
export function addSignInPages(app: Hono, ports: ApiPorts): void {
  app.get(beginPath, async (context) => {
    const { next = '/' } = readQueryParameters(context, beginSignInParametersSchema);
    const { address, cookie } = await signInsOf(ports).begin(next);
    setSignInCookie(context, ports, cookie);
    return redirect(context, address);
  });
  app.get(callbackPath, async (context) => {
    const cookie = await signInsOf(ports).comeBack(signInCookie(context, ports), new URL(context.req.url).search);
    setSignInCookie(context, ports, cookie);
    return redirect(context, `${ports.baseUrl()}/sign-in?finish=true`);
  });
}

function redirect(context: Context, address: string): Response {
  context.header('Cache-Control', 'no-store');
  context.header('Referrer-Policy', 'no-referrer');
  return context.redirect(address, 302);
}
