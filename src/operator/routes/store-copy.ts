import { readJson } from '../../api/http/read-json.ts';
import { sendData } from '../../api/http/send-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { storeCopySchema } from '../../contract/operator.ts';
import { readBody } from '../../contract/read-body.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';

/** `POST /store/copy` begins a copy, which goes on whether or not anybody asks for it. */
export const startStoreCopy: OperatorEndpoint = { method: 'POST', path: '/store/copy', handle: answerStart };

export const showStoreCopy: OperatorEndpoint = {
  method: 'GET',
  path: '/store/copy',
  handle: async ({ context, work }) => sendData(context, work.storeCopy.state()),
};

/** `POST /store/copy/stop` leaves a copy where it is. */
export const stopStoreCopy: OperatorEndpoint = {
  method: 'POST',
  path: '/store/copy/stop',
  handle: async ({ context, work }) => {
    return sendData(context, { stopped: await work.storeCopy.cancel() });
  },
};

async function answerStart({ context, work }: OperatorCall): Promise<Response> {
  work.storeCopy.start(unwrap(readBody(storeCopySchema, await readJson(context))));
  return sendData(context, work.storeCopy.state());
}
