import { filterExample } from '../../contract/filter.ts';
import { unwrap } from '../../contract/fault.ts';
import {
  sessionCountSchema,
  sessionMetricsSchema,
  sessionNameQuerySchema,
  sessionNamesSchema,
  sessionQueryAnswerSchema,
  sessionQuerySchema,
} from '../../contract/sessions/query.ts';
import type { SessionRow } from '../../query/sessions/columns.ts';
import { cursorBehindSession } from '../../query/sessions/cursor.ts';
import { type SessionDistributionRow, sessionDistributionStatement } from '../../query/sessions/distribution.ts';
import { longSessionBodiesProbe, noSessionsProbes, sessionHintProbes } from '../../query/sessions/hints.ts';
import { sessionItem, sessionMetrics, sessionNameItem, sessionTotals } from '../../query/sessions/item.ts';
import { sessionCountStatement, sessionPageStatement, sessionTotalsStatement, type SessionTotalsRow } from '../../query/sessions/list.ts';
import { type SessionNameRow, sessionNamesStatement } from '../../query/sessions/names.ts';
import { planSessionNames, planSessions } from '../../query/sessions/query.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { hintHeader, pageHeaders } from '../http/declared-responses.ts';
import { explain, setPageHeaders } from '../page/headers.ts';
import { onlyRow } from '../page/only-row.ts';

const exampleNames = { nameContains: 'support', pSize: 'p95', filter: {} } as const;

export const sessions = [
  endpoint({
    at: 'POST /v1/session/query',
    id: 'querySessions',
    summary: 'Query sessions',
    text: 'Sessions with a request in the range that matches the filter, in the order of `sort`; without it the latest first by the arrival of their first such request. Conditions on requests decide request by request, those on sessions over all requests of the session in the range; totals, times and users are over the requests that match, name and properties over all in the range.',
    action: 'read',
    body: sessionQuerySchema,
    example: { filter: filterExample, search: 'refund', limit: 50 },
    answer: sessionQueryAnswerSchema,
    answered: 'The page.',
    headers: pageHeaders,
    errors: [400, 413, 415, 422, 504],
    // Body → plan → statement → rows → headers of the page → items.
    run: async (call) => {
      const { tenant, ports, signal } = call;
      const plan = unwrap(planSessions(tenant, call.body));
      await call.memory.takeRows(plan.limit);
      const rows = plan.limit === 0 ? [] : await ports.run<SessionRow>(sessionPageStatement(plan), signal);
      await setPageHeaders(call, {
        plan,
        rows,
        count: async () =>
          Number(onlyRow(await ports.run<Pick<SessionTotalsRow, 'session_count'>>(sessionCountStatement(plan), signal)).session_count),
        longBodies: longSessionBodiesProbe(plan),
        whyEmpty: () => sessionHintProbes(plan, ports.knownNames),
        cursorBehind: (row) => cursorBehindSession(plan, row),
      });
      return rows.map((row) => sessionItem(row, plan.offsetMinutes));
    },
  }),
  endpoint({
    at: 'POST /v1/session/count',
    id: 'countSessions',
    summary: 'Count sessions',
    text: 'How many sessions a query matches, with their totals. `offset`, `limit` and `cursor` are read and change nothing.',
    action: 'read',
    body: sessionQuerySchema,
    example: { filter: filterExample, search: 'refund' },
    answer: sessionCountSchema,
    answered: 'The number and the totals.',
    headers: hintHeader,
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { tenant, ports, signal } = call;
      const plan = unwrap(planSessions(tenant, call.body));
      const row = onlyRow(await ports.run<SessionTotalsRow>(sessionTotalsStatement(plan), signal));
      await explain(call, longSessionBodiesProbe(plan), Number(row.session_count) === 0 ? noSessionsProbes(plan, ports.knownNames) : []);
      return sessionTotals(row);
    },
  }),
  endpoint({
    at: 'POST /v1/session/name/query',
    id: 'querySessionNames',
    summary: 'Query session names',
    text: 'Names of the sessions that match, at most 50, the one used last first. `pSize` and `useInterquartile` are read and change nothing here.',
    action: 'read',
    body: sessionNameQuerySchema,
    example: exampleNames,
    answer: sessionNamesSchema,
    answered: 'The names.',
    headers: hintHeader,
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { tenant, ports, signal } = call;
      const plan = unwrap(planSessionNames(tenant, call.body));
      const rows = await ports.run<SessionNameRow>(sessionNamesStatement(plan), signal);
      await explain(call, longSessionBodiesProbe(plan), rows.length === 0 ? noSessionsProbes(plan, ports.knownNames) : []);
      return rows.map((row) => sessionNameItem(row, plan.offsetMinutes));
    },
  }),
  endpoint({
    at: 'POST /v1/session/metrics/query',
    id: 'querySessionMetrics',
    summary: 'Query session metrics',
    text: 'How the requests, the duration and the cost of the sessions that match are spread, with the averages. A histogram leaves out a long tail; an average does not.',
    action: 'read',
    body: sessionNameQuerySchema,
    example: exampleNames,
    answer: sessionMetricsSchema,
    answered: 'Histograms and averages.',
    headers: hintHeader,
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { tenant, ports, signal } = call;
      const plan = unwrap(planSessionNames(tenant, call.body));
      const row = onlyRow(await ports.run<SessionDistributionRow>(sessionDistributionStatement(plan, plan.tail), signal));
      await explain(call, longSessionBodiesProbe(plan), Number(row.session_count) === 0 ? noSessionsProbes(plan, ports.knownNames) : []);
      return sessionMetrics(row);
    },
  }),
];
