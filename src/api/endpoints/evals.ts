import { unwrap } from '../../contract/fault.ts';
import { evalSchema, readEval } from '../../contract/requests/changes.ts';
import { doneSchema } from '../../contract/responses.ts';
import { type DescribedBody, endpoint } from '../endpoint/endpoint.ts';
import { requestId } from '../http/request-id.ts';

const body: DescribedBody<ReadonlyMap<string, number>> = {
  schema: evalSchema,
  warnsUnknown: true,
  read: (given) => unwrap(readEval(given)),
};

export const evals = [
  endpoint({
    at: 'POST /v1/evals/{id}',
    id: 'addEval',
    summary: 'Add or replace one score of a request',
    text: 'As `/v1/request/{id}/score` with one score, as older clients write it.',
    action: 'update',
    params: { id: requestId },
    body,
    example: { name: 'accuracy', score: 0.75 },
    answer: doneSchema,
    answered: 'Scored.',
    errors: [400, 404, 413, 415, 422, 504],
    run: async ({ principal, ports, params, body: values }) => {
      await ports.changeRequest(principal, params.id, { kind: 'score', values });
      return null;
    },
  }),
];
