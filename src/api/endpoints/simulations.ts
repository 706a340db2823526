import { unwrap } from '../../contract/fault.ts';
import {
  limitSimulationAnswerSchema,
  limitSimulationSchema,
  maxSimulated,
  priceSimulationAnswerSchema,
  priceSimulationSchema,
} from '../../contract/simulations.ts';
import { GatelogError } from '../../model/errors.ts';
import { parseLimitPolicy } from '../../model/limit-policy.ts';
import { bodyFault } from '../../model/fault.ts';
import { quoted } from '../../model/text.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import type { PriceSimulation, RefusedChange, WantedChange } from '../../model/record/simulation.ts';
import type { BilledRow } from '../../query/request-detail/billed.ts';
import { repricedRequest, repriceStatements } from '../../query/request-detail/reprice.ts';
import { cursorBehind, parseCursor } from '../../query/requests/cursor.ts';
import type { RequestsPlan } from '../../query/requests/query.ts';
import type { NumberCell } from '../../query/requests/columns.ts';
import { type LimitedRow, limitedStatements, LimitTally } from '../../query/simulations/limit.ts';
import { planSimulation, PriceTally } from '../../query/simulations/price.ts';
import { type RunStatement, runUntilRows } from '../../store/read/run-statement.ts';
import { endpoint, type RequestContext } from '../endpoint/endpoint.ts';
import { countOf } from '../page/request-page.ts';
import { rowsRunner } from '../page/rows-runner.ts';

/** Body → plan → pages of rows → costs as they would have been → sums. */
export const simulations = [
  endpoint({
    at: 'POST /v1/simulations/price',
    id: 'simulatePrice',
    summary: 'Simulate another price',
    text: `What the matching requests would have cost with another model, at another service tier, or without the provider's cache. Nothing is sent to a provider, and nothing is changed. Token counts are those that were recorded: another model counts the same text otherwise, so its cost is an estimate, which \`estimated\` tells. Both sums are of the same requests. At most ${maxSimulated} requests at once.`,
    action: 'read',
    body: priceSimulationSchema,
    example: { filter: { request_response_rmt: { model: { contains: 'gpt-4.1' } } }, model: 'gpt-4.1-mini' },
    answer: priceSimulationAnswerSchema,
    answered: 'Both sums, by day and by model.',
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { tenant, ports, body } = call;
      const plan = unwrap(planSimulation(tenant, body));
      const simulation = simulationOf(ports.prices.simulate(tenant, body), body);
      const tally = new PriceTally();
      await eachPage(call, plan, async (run, page, slices) => {
        const rows = await runUntilRows<BilledRow>(run, repriceStatements(page), call.signal);
        for (const row of rows) {
          const request = repricedRequest(row);
          tally.add(request, simulation.costOf(request.billed));
          await slices.turn();
        }
        return rows;
      });
      return tally.item(simulation.change);
    },
  }),
  endpoint({
    at: 'POST /v1/simulations/limit',
    id: 'simulateLimit',
    summary: 'Simulate a limit',
    text: `Which of the matching requests a limit or budget would have refused, had it held when they came. Requests are counted in the order of their arrival, each with what it cost; what would have been refused is not counted. A budget reserves the highest possible cost of each call until its end, so it may refuse some calls more than this tells. At most ${maxSimulated} requests at once.`,
    action: 'read',
    body: limitSimulationSchema,
    example: {
      filter: { request_response_rmt: { request_created_at: { gte: '2026-01-01' } } },
      policy: '2500;calendar=month;u=cents;s=user',
    },
    answer: limitSimulationAnswerSchema,
    answered: 'What would have been refused, by day and by user or value of the property.',
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { tenant, body } = call;
      const plan = unwrap(planSimulation(tenant, body));
      const policy = parseLimitPolicy(body.policy, '`policy`');
      const tally = new LimitTally(policy);
      await eachPage(call, plan, async (run, page, slices) => {
        const rows = await runUntilRows<LimitedRow>(run, limitedStatements(page, policy), call.signal);
        for (const row of rows) {
          tally.add(row);
          await slices.turn();
        }
        return rows;
      });
      return tally.item();
    },
  }),
];

function simulationOf(simulation: PriceSimulation | RefusedChange, { model = '', provider = '' }: WantedChange): PriceSimulation {
  if (!('refused' in simulation)) return simulation;
  if (simulation.refused === 'provider') {
    const sentence = `There is no provider called ${quoted(provider)}; write its name as in paths (openai) or as in records (OPENAI).`;
    return unwrap(bodyFault(['provider'], sentence));
  }
  const like = simulation.nearest === undefined ? '' : ` The listed model with the most similar name is ${quoted(simulation.nearest)}.`;
  const sentence = `There is no price for the model ${quoted(model)}.${like} Name its \`provider\`, or store a price with PUT /v1/prices.`;
  return unwrap(bodyFault(['model'], sentence));
}

function tooMany(count: number): GatelogError {
  return new GatelogError(
    'query_too_large',
    `The filter matches ${count} requests, and one simulation takes ${maxSimulated}. Narrow it, for instance to a range of \`request_created_at\`.`,
  );
}

type ReadPage = (
  run: RunStatement,
  page: RequestsPlan,
  slices: Slices,
) => Promise<readonly { readonly id: string; readonly created_ms: NumberCell }[]>;

/** Reads the rows of a plan in their order, a page at a time. @throws GatelogError `query_too_large` for more than a simulation takes. */
async function eachPage(call: RequestContext, plan: RequestsPlan, read: ReadPage): Promise<void> {
  const matched = await countOf(call, plan);
  if (matched > maxSimulated) throw tooMany(matched);
  const run = await rowsRunner(call, plan.limit);
  const slices = new Slices(plan.tenant);
  for (let after = plan.after; ;) {
    const rows = await read(run, { ...plan, after }, slices);
    const last = rows.at(-1);
    const cursor = rows.length < plan.limit || last === undefined ? undefined : cursorBehind(plan, last);
    if (cursor === undefined) return;
    after = unwrap(parseCursor(cursor, plan));
  }
}
