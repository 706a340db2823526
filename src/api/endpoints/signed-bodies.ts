import { z } from 'zod';
import { requestBodiesSchema } from '../../contract/requests/query.ts';
import { GatelogError } from '../../model/errors.ts';
import { type CreatedAtRow, requestKeyStatements } from '../../query/request-detail/lookup.ts';
import { bodiesOf } from '../../query/requests/item.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import { type AnswerOf, jsonAnswer } from '../endpoint/endpoint.ts';
import { requestId } from '../http/request-id.ts';
import { sendJson } from '../http/send-json.ts';
import { noteCall } from '../endpoint/audited.ts';
import { rawOpenEndpoint } from '../endpoint/open-endpoint.ts';
import { readBodies } from '../page/bodies.ts';

export const signedBodies = [
  rawOpenEndpoint({
    at: 'GET /v1/request/{id}/body',
    id: 'getSignedBodies',
    summary: 'Get both bodies of a request by a signed address',
    text: 'The address is the `signed_body_url` of a request item. It needs no key and is good for an hour.',
    request: {
      params: z.object({ id: requestId.schema }),
      query: z.object({ organization: z.string(), expires: z.string(), by: z.string().optional(), signature: z.string() }),
    },
    answers: { 200: jsonAnswer({ answer: requestBodiesSchema, answered: 'The bodies.' }) },
    errors: [403, 404, 500, 503, 504],
    respond: async ({ context, ports, memory }) => {
      const id = requestId.read(context.req.param('id') ?? '');
      const { organization, expires, signature, by }: Partial<Record<string, string>> = context.req.query();
      const reader = ports.checkBodyAddress(id, { organization, expires, signature, by });
      if (reader === 'expired') throw refused('This address has expired; read the request again for a fresh one.');
      if (reader === 'forged') throw refused('This address is not as it was given out.');
      const { organizationId: owner } = reader;
      const { signal } = context.req.raw;
      const keys = await runUntilRows<CreatedAtRow>(ports.run, requestKeyStatements(owner, id), signal);
      if (keys.length === 0) throw new GatelogError('not_found', `No request ${id} is on record.`);
      const placed = keys.map(({ created_ms: arrival }) => ({ id, created_ms: arrival }));
      const call = { context, ports, memory: memory.ownedBy(owner) };
      const [row] = await readBodies(call, placed, { owner, textsBytes: 0, passedBytes: 0 });
      await noteCall(context, ports, reader, { action: 'getSignedBodies', target: id });
      context.header('Cache-Control', 'private, no-store');
      return sendJson(context, bodiesOf(row) satisfies AnswerOf<typeof requestBodiesSchema>);
    },
  }),
];

function refused(sentence: string): GatelogError {
  return new GatelogError('permission_denied', sentence);
}
