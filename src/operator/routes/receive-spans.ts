import { readJson } from '../../api/http/read-json.ts';
import { sendData } from '../../api/http/send-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { notedSpansSchema } from '../../contract/operator.ts';
import { readBody } from '../../contract/read-body.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';

/** `POST /spans`: a gateway worker tells of spans that it has taken. */
export const receiveSpans: OperatorEndpoint = { method: 'POST', path: '/spans', handle: answerReceived };

async function answerReceived({ context, work }: OperatorCall): Promise<Response> {
  const { noted } = unwrap(readBody(notedSpansSchema, await readJson(context)));
  for (const { owner, traces } of noted) {
    work.onTraces(
      { ...owner, organizationId: owner.organizationId as OrganizationId },
      traces.map(({ requests, ...trace }) => ({
        ...trace,
        requests: requests.map((request) => ({ ...request, requestId: request.requestId as RequestId })),
      })),
    );
  }
  return sendData(context, null);
}
