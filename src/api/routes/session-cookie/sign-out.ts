import { deleteCookie, getCookie } from 'hono/cookie';
import { doneSchema } from '../../../contract/responses.ts';
import { jsonContent, type OpenEndpoint, problemResponses, type RecordedCall } from '../../endpoint.ts';
import { requireCsrfHeader } from '../../http/authenticate.ts';
import { sendData } from '../../http/send-json.ts';
import { cookieAttributes } from './signed-in.ts';

export const signOut: OpenEndpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/session-cookie',
    operationId: 'signOut',
    summary: 'Sign a browser out',
    description: 'Ends the session of the cookie on the server and takes the cookie back. It needs the header `Svc-Csrf: 1`.',
    responses: {
      200: { description: 'Signed out, also without a session.', content: jsonContent(doneSchema) },
      ...problemResponses(403, 405, 503),
    },
  },
  handle: answerSignOut,
};

async function answerSignOut({ context, ports }: RecordedCall): Promise<Response> {
  requireCsrfHeader(context);
  const { browserSessions } = ports;
  const token = getCookie(context, browserSessions.cookieName);
  if (token !== undefined) await browserSessions.end(token);
  deleteCookie(context, browserSessions.cookieName, cookieAttributes(ports));
  return sendData(context, null);
}
