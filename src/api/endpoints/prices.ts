import { unwrap } from '../../contract/fault.ts';
import { maxLimit } from '../../contract/paging.ts';
import { repriceAnswerSchema, repriceSchema } from '../../contract/reprice.ts';
import { priceItem, pricesAnswerSchema, pricesSchema, storedPriceOf } from '../../contract/settings/prices.ts';
import { bodyFault } from '../../model/fault.ts';
import type { RepricedRequest } from '../../model/record/reprice.ts';
import { quoted } from '../../model/text.ts';
import type { BilledRow } from '../../query/request-detail/billed.ts';
import { planReprice, repricedRequest, repriceItem, repriceStatements } from '../../query/request-detail/reprice.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { changeVersion, ifMatchSchema, setVersion, versionHeader } from '../page/versions.ts';
import { countOf } from '../page/request-page.ts';
import type { PriceRefusal } from '../../jobs/request-costs.ts';

/** Body → plan → rows → new costs → report. */
export const applyPrices = endpoint({
  at: 'POST /v1/prices/apply',
  id: 'applyPrices',
  summary: 'Reprice recorded requests',
  text: 'Takes a key with the permission `admin`. Recomputes the costs of the matching requests with the prices that are stored now for the time of each request, and writes the costs that differ; each change has an entry of the kind `cost` in the history. Costs stated by the caller or the provider stay, and so do those of cache hits. One call prices up to `limit` requests in the order of their arrival; send its `cursor` until that is null. It can be repeated at any time. Requests on their way to the store get the prices in force when they are recorded.',
  action: 'administer',
  body: repriceSchema,
  example: { filter: { request_response_rmt: { model: { contains: 'gpt-4.1' } } }, startDate: '2026-01-01', dryRun: true },
  answer: repriceAnswerSchema,
  answered: 'The outcome of this call.',
  errors: [400, 413, 415, 422, 504],
  changes: ({ body: { dryRun, filter } }) => (dryRun === true ? undefined : { filter: { filter } }),
  run: async (call) => {
    const { tenant, principal, ports, body, signal } = call;
    const plan = unwrap(planReprice(tenant, body, maxLimit));
    const total = body.cursor === undefined ? await countOf(call, plan) : null;
    let rows: readonly BilledRow[] = [];
    const read = async (): Promise<readonly RepricedRequest[]> => {
      rows = await runUntilRows<BilledRow>(ports.run, repriceStatements(plan), signal);
      return rows.map(repricedRequest);
    };
    const report = await ports.prices.apply(principal, read, body.dryRun === true);
    return repriceItem(report, plan, rows, total);
  },
});

export const prices = [
  endpoint({
    at: 'GET /v1/prices',
    id: 'getPrices',
    summary: 'Get the prices of the organisation',
    text: 'The prices that the organisation has stored. The price book applies to everything else.',
    action: 'read',
    answer: pricesAnswerSchema,
    answered: 'The prices.',
    headers: versionHeader,
    run: async ({ context, tenant, ports }) => {
      const stored = (await ports.prices.list(tenant)).map(priceItem);
      setVersion(context, stored);
      return stored;
    },
  }),
  endpoint({
    at: 'PUT /v1/prices',
    id: 'replacePrices',
    summary: 'Replace the prices of the organisation',
    text: 'Takes a key with the permission `admin`. Stored prices take precedence over the price book, and add models that it lacks. When several match a call, a whole name beats a prefix with `*`, a longer prefix beats a shorter one, a price for the provider beats one for any provider, and then the latest that was valid at the time of the call applies. They price new records and the reservations of budgets; `POST /v1/prices/apply` prices recorded requests. With `If-Match` it overwrites no change of somebody else.',
    action: 'administer',
    requestHeaders: ifMatchSchema,
    body: pricesSchema,
    example: [{ model: 'llama-at-home', input: 0.2, output: 0.6 }],
    answer: pricesAnswerSchema,
    answered: 'Replaced.',
    headers: versionHeader,
    errors: [400, 409, 413, 415, 422],
    run: async ({ context, tenant, ports, body }) => {
      const replaced = await changeVersion({
        context,
        tenant,
        present: async () => (await ports.prices.list(tenant)).map(priceItem),
        change: () => ports.prices.replace(tenant, body.map(storedPriceOf)),
      });
      if ('refused' in replaced) return unwrap(bodyFault([replaced.index, ...fieldPathOf[replaced.refused]], sentenceOf(replaced)));
      return replaced.prices.map(priceItem);
    },
  }),
  applyPrices,
];

const fieldPathOf: Readonly<Record<PriceRefusal['refused'], readonly string[]>> = { provider: ['provider'], twice: [] };

function sentenceOf({ refused, text }: PriceRefusal): string {
  switch (refused) {
    case 'provider':
      return `There is no provider called ${quoted(text)}; write its name as in paths (openai) or as in records (OPENAI), or leave it out.`;
    case 'twice':
      return `The price of ${quoted(text)} stands in the list twice, for the same provider and from the same day.`;
  }
}
