import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { hashKey } from '../../../auth/api-key.ts';
import { sessionSeconds } from '../../../auth/browser-sessions.ts';
import { GatelogError } from '../../../model/errors.ts';
import { signedInAnswerSchema, signInSchema } from '../../../contract/settings/session-cookie.ts';
import { jsonContent, type OpenEndpoint, problemResponses, type RecordedCall } from '../../endpoint.ts';
import { permitted, principalOfKey } from '../../http/authenticate.ts';
import { limitSmallBody } from '../../http/body-limit.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { cookieAttributes, signedInOf } from './signed-in.ts';

export const signIn: OpenEndpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session-cookie',
    operationId: 'signIn',
    summary: 'Sign a browser in with a key',
    description:
      'Sets an http-only cookie that stands for the key on this listener. It ends with the key, after twelve hours, or by DELETE. A call that changes something by the cookie needs the header `Svc-Csrf: 1`. The key must be permitted to read.',
    request: { body: { required: true, content: jsonContent(signInSchema) } },
    responses: {
      200: {
        description: 'Signed in; the cookie is in `Set-Cookie`.',
        headers: { 'Set-Cookie': { description: 'The cookie.', schema: { type: 'string' } } },
        content: jsonContent(signedInAnswerSchema),
      },
      ...problemResponses(400, 401, 403, 405, 413, 415, 422, 429, 503),
    },
  },
  handle: answerSignIn,
};

async function answerSignIn({ context, ports }: RecordedCall): Promise<Response> {
  refuseOtherOrigins(context);
  await limitSmallBody(context);
  const { apiKey } = await readInput(context, signInSchema);
  const principal = permitted(await principalOfKey(context, ports, apiKey.trim()), 'read');
  const { token, expiresAt } = await ports.browserSessions.begin(hashKey(apiKey.trim()));
  setCookie(context, ports.browserSessions.cookieName, token, { ...cookieAttributes(ports), maxAge: sessionSeconds });
  return sendData(context, await signedInOf(ports, principal, expiresAt));
}

/**
 * A page of another origin must not sign somebody in with a key of its own. TRICKY: `SameSite` knows no ports, so a page of another port of
 * this host could. Browsers say whose page calls; an older one asks before it sends JSON that is declared as such.
 * @throws GatelogError 403.
 */
function refuseOtherOrigins(context: Context): void {
  const site = context.req.header('Sec-Fetch-Site');
  const isSimple = context.req.header('Origin') !== undefined && context.req.header('Content-Type') === undefined;
  if (site === undefined ? !isSimple : site === 'same-origin' || site === 'none') return;
  throw new GatelogError(
    'permission_denied',
    'A page of another origin cannot sign a browser in here. Open the dashboard at its own address.',
  );
}
