import { unwrap } from '../../../contract/fault.ts';
import { maxLimit } from '../../../contract/paging.ts';
import { repriceAnswerSchema, repriceSchema } from '../../../contract/reprice.ts';
import type { RepricedRequest } from '../../../model/pricing/reprice.ts';
import type { BilledRow } from '../../../query/request-detail/billed.ts';
import { planReprice, repricedRequest, repriceItem, repriceStatements } from '../../../query/request-detail/reprice.ts';
import { runUntilRows } from '../../../store/read/run-statement.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { countOf } from '../../page/request-page.ts';
import { readInput } from '../../http/read-input.ts';

export const applyPrices: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/prices/apply',
    operationId: 'applyPrices',
    summary: 'Reprice recorded requests',
    description:
      'Takes a key with the permission `admin`. Recomputes the costs of the matching requests with the prices that are stored now for the time of each request, and writes the costs that differ; each change has an entry of the kind `cost` in the history. Costs stated by the caller or the provider stay, and so do those of cache hits. One call prices up to `limit` requests in the order of their arrival; send its `cursor` until that is null. It can be repeated at any time. Requests on their way to the store get the prices in force when they are recorded.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(repriceSchema) } },
    responses: {
      200: { description: 'The outcome of this call.', content: jsonContent(repriceAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'administer',
  handle: answerApply,
};

/** Body → plan → rows → new costs → report. */
async function answerApply(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const body = await readInput(context, repriceSchema);
  const plan = unwrap(planReprice(principal.organizationId, body, maxLimit));
  const total = body.cursor === undefined ? await countOf(call, plan) : null;
  let rows: readonly BilledRow[] = [];
  const read = async (): Promise<readonly RepricedRequest[]> => {
    rows = await runUntilRows<BilledRow>(ports.run, repriceStatements(plan), context.req.raw.signal);
    return rows.map(repricedRequest);
  };
  const report = await ports.prices.apply(principal, read, body.dryRun === true);
  return sendData(context, repriceItem(report, plan, rows, total));
}
