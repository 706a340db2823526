import { sendData } from '../../api/http/send-json.ts';
import { readJson } from '../../api/http/read-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { storePartSchema } from '../../contract/operator.ts';
import { readBody } from '../../contract/read-body.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';

export const listStoreParts: OperatorEndpoint = {
  method: 'GET',
  path: '/store/parts',
  handle: async ({ context, work }) => sendData(context, await work.storeParts.list()),
};

export const checkStorePart: OperatorEndpoint = { method: 'POST', path: '/store/check', handle: answerCheck };

export const setAsideStorePart: OperatorEndpoint = { method: 'POST', path: '/store/set-aside', handle: answerSetAside };

async function answerCheck({ context, work }: OperatorCall): Promise<Response> {
  const { table, part } = unwrap(readBody(storePartSchema, await readJson(context)));
  return sendData(context, await work.storeParts.check(table, part));
}

async function answerSetAside({ context, work }: OperatorCall): Promise<Response> {
  const { table, part } = unwrap(readBody(storePartSchema, await readJson(context)));
  return sendData(context, await work.storeParts.setAside(table, part));
}
