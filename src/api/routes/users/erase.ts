import { z } from '@hono/zod-openapi';
import { erasureAnswerSchema } from '../../../contract/users/erasure.ts';
import { GatelogError } from '../../../model/errors.ts';
import { quoted, wellFormed } from '../../../model/text.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';

const userIdParameter = z.string().openapi({
  param: { name: 'id', in: 'path' },
  description: 'The user, as `request_user_id` of the records has it, URL-encoded.',
});

export const eraseUser: Endpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/user/{id}',
    operationId: 'eraseUser',
    summary: 'Erase a user',
    description:
      'Takes a key with the permission `admin`. All that came from the user up to now goes for good: records with their bodies and history, replies that are kept, records on their way to the store, dead letters, and what only their sessions had. The answer comes when every count is final. Where that takes long it is 503 `erasure_in_progress`: the erasure goes on, over a restart too, and the same call again waits for it and gets the receipt. A call that comes later is recorded as any other.',
    security: keyRequired,
    request: { params: z.object({ id: userIdParameter }) },
    responses: {
      200: { description: 'Erased.', content: jsonContent(erasureAnswerSchema) },
      ...problems(),
    },
  },
  action: 'administer',
  handle: answerErase,
};

async function answerErase({ context, principal, ports }: RequestContext): Promise<Response> {
  const userId = wellFormed(context.req.param('id') ?? '');
  const receipt = await ports.erasures.erase(principal.organizationId, userId);
  if (receipt === undefined) {
    throw new GatelogError(
      'erasure_in_progress',
      `The erasure of user ${quoted(userId)} goes on: calls that may be theirs are still open, or the store takes its time. Send the same call again to wait for its receipt.`,
    );
  }
  // Remembered hints may name the user.
  ports.hintLookUps.forget(principal.organizationId);
  const { erasedAt, counts } = receipt;
  const answer = sendData(context, { user_id: userId, erased_at: new Date(erasedAt).toISOString(), ...counts });
  // A caller that has disconnected has not got the receipt.
  if (!context.req.raw.signal.aborted) await ports.erasures.acknowledge(receipt);
  return answer;
}
