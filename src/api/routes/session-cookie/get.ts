import { signedInOrNobodySchema } from '../../../contract/settings/session-cookie.ts';
import { jsonContent, type OpenEndpoint, problemResponses, type RecordedCall } from '../../endpoint.ts';
import { authenticate, sessionOf } from '../../http/authenticate.ts';
import { sendData } from '../../http/send-json.ts';
import { signedInOf } from './signed-in.ts';

export const getSignedIn: OpenEndpoint = {
  declaration: {
    method: 'get',
    path: '/v1/session-cookie',
    operationId: 'getSignedIn',
    summary: 'Who calls',
    description:
      'The organisation and the key of the caller, by a cookie or by a key. Without an open session and without a key: null, which is no error.',
    responses: {
      200: { description: 'The caller, or nobody.', content: jsonContent(signedInOrNobodySchema) },
      ...problemResponses(401, 403, 405, 429, 503),
    },
  },
  handle: answerGet,
};

async function answerGet({ context, ports }: RecordedCall): Promise<Response> {
  const session = sessionOf(context, ports);
  const isByKey = context.req.header('Authorization') !== undefined;
  const isKnown = isByKey || (session !== undefined && (await ports.verifyKey(session.keyHash)) !== undefined);
  if (!isKnown) return sendData(context, null);
  const principal = await authenticate(context, ports, 'read');
  return sendData(context, await signedInOf(ports, principal, isByKey ? null : (session?.expiresAt ?? null)));
}
