import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { SessionItem, SessionNode } from '../../../src/client/client.ts';
import { conditionOf, searchWith } from '../../lib/metrics/dimensions.ts';
import { findingsOf } from './findings.ts';
import type { SessionSearch, SessionSort } from './search.ts';
import styles from './session-page.module.css';
import type { Step } from './trace/steps.ts';
import { type Compared, comparison, hasRunAway, tooMany } from './usual/usual.ts';
import type { Beside } from './usual/usual-query.ts';

const route = getRouteApi('/shell/sessions/$sessionId');

interface CostFindingsProps {
  readonly session: SessionItem;
  readonly tree: readonly SessionNode[];
  readonly steps: readonly Step[];
  readonly beside: Beside | null | undefined;
}

/** Why it cost so much; each sentence leads to what shows it. */
export function CostFindings({ session, tree, steps, beside }: CostFindingsProps): ReactNode {
  const findings = useMemo(() => findingsOf({ session, tree, requests: steps.map(({ request }) => request) }), [session, tree, steps]);
  const usual = comparedWith(beside, session);
  if (findings.length + usual.length === 0) return null;
  const isHigh = beside?.usual !== undefined && hasRunAway(beside.own, beside.usual);
  return (
    <section aria-label="Where the cost went" className={styles['findings']} data-kind={isHigh ? 'high' : undefined}>
      <h2>Where the cost went</h2>
      <ul>
        {usual.map((one) => (
          <li key={one.about} data-about={one.about}>
            {one.text} <Evidence of={one} {...{ beside, steps }} isWhole={steps.length >= session.total_requests} />
          </li>
        ))}
        {findings.map(({ text, show }) => (
          <li key={text}>
            {text} <OnThisPage {...show} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function comparedWith(beside: Beside | null | undefined, { total_cost: cost }: SessionItem): readonly Compared[] {
  if (beside?.isTooMany === true) return cost > 0 ? [tooMany] : [];
  return beside?.usual === undefined ? [] : comparison(beside.own, beside.usual, beside.model);
}

interface EvidenceProps {
  readonly of: Compared;
  readonly beside: Beside | null | undefined;
  readonly steps: readonly Step[];
  /** All steps are loaded. */
  readonly isWhole: boolean;
}

const orders: Readonly<Record<Compared['about'], readonly [title: string, sort: SessionSort]>> = {
  cost: ['Compare sessions by cost', 'total_cost'],
  steps: ['Compare sessions by steps', 'total_requests'],
  cached: ['Compare sessions by tokens', 'total_tokens'],
  model: ['Sessions with this model', 'total_cost'],
};

function Evidence({ of: { about }, beside, steps, isWhole }: EvidenceProps): ReactNode {
  const [title, sort] = orders[about];
  const list = about === 'model' ? withModel(beside) : beside?.list;
  if (about === 'cached' && isWhole) return <OnThisPage title="Show the largest that was not" search={{ step: leastCached(steps) }} />;
  if (list === undefined) return null;
  return (
    <Link to="/sessions" search={{ ...list, sort }}>
      {title}
    </Link>
  );
}

/** The sessions that it is compared with, as far as they use its model. */
function withModel(beside: Beside | null | undefined): Beside['list'] {
  const { list, model } = beside ?? {};
  const q = model === undefined ? undefined : searchWith(list?.q ?? '', conditionOf('model', model.name));
  return list === undefined || q === undefined ? list : { ...list, q };
}

/** The step with the most input that was paid in full. */
function leastCached(steps: readonly Step[]): string | undefined {
  const paid = steps.map(({ request: { prompt_tokens: input, prompt_cache_read_tokens: read } }) => (input ?? 0) - (read ?? 0));
  const most = paid.reduce((best, tokens, index) => (tokens > (paid[best] ?? 0) ? index : best), 0);
  return steps[most]?.request.request_id;
}

function OnThisPage({ title, search: shown }: { readonly title: string; readonly search: SessionSearch }): ReactNode {
  return (
    <route.Link
      to="."
      search={(search) => ({ ...search, tab: undefined, find: undefined, failed: undefined, ...shown })}
      state
      resetScroll={false}
    >
      {title}
    </route.Link>
  );
}
