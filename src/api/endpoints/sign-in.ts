import { personSessionSeconds } from '../../auth/people/person-sessions.ts';
import { finishSignInSchema, issuerAnswerSchema, signedInByIssuerSchema } from '../../contract/settings/session-cookie.ts';
import { GatelogError } from '../../model/errors.ts';
import { noteCall } from '../endpoint/audited.ts';
import { addressOf, requireCsrfHeader } from '../endpoint/authenticate.ts';
import { openEndpoint } from '../endpoint/open-endpoint.ts';
import { limitSmallBody } from '../http/body-limit.ts';
import { jsonContent } from '../http/declared-responses.ts';
import { readOptionalInput } from '../http/read-input.ts';
import { deleteSignInCookie, signInCookie, signInsOf } from '../page/sign-in-cookie.ts';
import { refuseOtherOrigins, setSessionCookie, signedInOf } from '../page/signed-in.ts';
import { callbackPath } from '../parts/sign-in.ts';

/** Sign-in with an account of the issuer; `sign-in-pages.ts` has the addresses through which the browser goes before. */
export const signIn = [
  openEndpoint({
    at: 'GET /v1/sign-in/issuer',
    id: 'getIssuer',
    summary: 'With whose accounts people sign in',
    text: 'A browser signs in at `/v1/sign-in?next=/requests`.',
    answer: issuerAnswerSchema,
    answered: 'The issuer, or none.',
    run: ({ ports }) => {
      const { signIns } = ports.people;
      return signIns === undefined ? null : { name: signIns.issuerName };
    },
  }),
  openEndpoint({
    at: `POST ${callbackPath}`,
    id: 'finishSignIn',
    summary: 'End a sign-in with the issuer',
    text: 'A page of the dashboard calls it in the browser that came back, with the header `Svc-Csrf: 1`. It sets the cookie of the session, which ends after twelve hours, with the person, by DELETE of `/v1/session-cookie`, or when the issuer says so.',
    request: { body: { required: false, content: jsonContent(finishSignInSchema) } },
    answer: signedInByIssuerSchema,
    answered: 'Signed in; the cookie is in `Set-Cookie`.',
    headers: { 'Set-Cookie': { description: 'The cookie.', schema: { type: 'string' } } },
    errors: [400, 403, 404, 413, 415, 422, 503],
    run: async ({ context, ports }) => {
      refuseOtherOrigins(context);
      requireCsrfHeader(context);
      await limitSmallBody(context);
      const { invitation } = await readOptionalInput(context, finishSignInSchema);
      const cookie = signInCookie(context, ports);
      deleteSignInCookie(context, ports);
      const client = { address: addressOf(context), userAgent: context.req.header('User-Agent') };
      const { token, expiresAt, next } = await signInsOf(ports).finish(cookie, { invitation, ...client });
      const principal = await ports.people.sessions.callerOf(token);
      if (principal === undefined) throw new GatelogError('permission_denied', 'The person was removed meanwhile.');
      await noteCall(context, ports, principal, { action: 'signIn' });
      setSessionCookie(context, ports, { token, maxAge: personSessionSeconds });
      return { ...(await signedInOf(ports, principal, expiresAt)), next };
    },
  }),
];
