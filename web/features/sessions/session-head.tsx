import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SessionItem, SessionNode } from '../../../src/client/client.ts';
import { alertLimits } from '../../../src/model/events/alert-vocabulary.ts';
import { formatCost, formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { figureText } from '../../lib/metrics/metric-format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { useMay } from '../../lib/signed-in.ts';
import { useQuiet } from '../../lib/use-quiet.ts';
import { timeZone } from '../../lib/zone.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { isWithoutPrice } from '../requests/cost-text.ts';
import { CostFindings } from './cost-findings.tsx';
import styles from './session-page.module.css';
import type { Step } from './trace/steps.ts';
import { percent } from './trace/shares.ts';
import type { Usual } from './usual/usual.ts';
import { type Beside, usualQuery } from './usual/usual-query.ts';

const route = getRouteApi('/shell/sessions/$sessionId');

interface SessionHeadProps {
  readonly session: SessionItem;
  readonly tree: readonly SessionNode[];
  readonly steps: readonly Step[];
  readonly lengthMs: number;
}

export function SessionHead({ session, tree, steps, lengthMs }: SessionHeadProps): ReactNode {
  const sessionsSearch = useLocation({ select: ({ state }) => state.sessionsSearch ?? {} });
  // The steps are there sooner when nothing is added up beside them.
  const isQuiet = useQuiet(steps.length > 0, session.session_id);
  const { data: beside } = useQuery({ ...usualQuery(session), enabled: isQuiet });
  const { failed } = session;
  return (
    <header className={styles['head']}>
      <div className={styles['title']}>
        <nav aria-label="Breadcrumb">
          <Link to="/sessions" search={sessionsSearch}>
            Sessions
          </Link>{' '}
          <span aria-hidden="true">/</span>
        </nav>
        <h1 className="clip" dir="auto" title={session.session_id}>
          {session.session_name === '' ? session.session_id : session.session_name}
        </h1>
        {failed > 0 && (
          <route.Link className={styles['failed'] ?? ''} search={(search) => ({ ...search, tab: undefined, failed: true })} to=".">
            {formatCount(failed)} failed {failed === 1 ? 'step' : 'steps'}
          </route.Link>
        )}
        <Chips session={session} />
        <Actions session={session} lengthMs={lengthMs} />
      </div>
      <div className={styles['about']}>
        <Figures {...{ session, steps, lengthMs, beside }} />
        <CostFindings {...{ session, tree, steps, beside }} />
      </div>
    </header>
  );
}

/** Who and what it was for. */
function Chips({
  session: { session_id: id, session_name: name, user_ids: users, properties, session_tag: tag },
}: {
  readonly session: SessionItem;
}) {
  const own = Object.entries(properties).filter(([key]) => !/^(?:svc|helicone)-/i.test(key));
  const chips: readonly (readonly [string, string])[] = [
    ...(tag === null ? [] : [['Tag', tag] as const]),
    ...users.map((user) => ['User', user] as const),
    ...own,
    ...(name === '' ? [] : [['Session', id] as const]),
  ];
  return (
    <ul className={styles['chips']} aria-label="About the session">
      {chips.map(([key, value]) => (
        <li key={`${key} ${value}`} className="clip" dir="auto" title={`${key}: ${value}`}>
          {key === 'User' || key === 'Session' ? value : `${key}: ${value}`}
        </li>
      ))}
    </ul>
  );
}

interface AboutProps {
  readonly session: SessionItem;
  readonly lengthMs: number;
}

interface FiguresProps extends AboutProps {
  readonly steps: readonly Step[];
  /** What is usual; undefined: not known so far. */
  readonly beside: Beside | null | undefined;
}

function Figures({ session, steps: loaded, lengthMs, beside }: FiguresProps): ReactNode {
  const cached = beside?.own.cached ?? null;
  const usual = (figure: (of: Usual) => string): string => (beside?.usual === undefined ? '' : `usual ${figure(beside.usual)}`);
  const figures: readonly (readonly [string, string, string])[] = [
    [
      'Cost',
      figureText('cost', { cost: session.total_cost, unpriced_count: unpricedAmong(loaded) }),
      usual(({ cost }) => formatCost(cost)),
    ],
    ['Steps', formatCount(session.total_requests), usual(({ steps }) => formatCount(steps))],
    ['Input cached', cached === null ? '–' : percent(cached), usual(({ cached: share }) => (share === null ? '–' : percent(share)))],
    [
      'Tokens',
      formatCount(session.total_tokens),
      `${formatCount(session.prompt_tokens)} in, ${formatCount(session.completion_tokens)} out`,
    ],
    ['Duration', formatDuration(lengthMs), formatTime(session.created_at, timeZone())],
  ];
  return (
    <dl className={styles['figures']}>
      {figures.map(([name, value, about]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {about !== '' && <dd className="muted">{about}</dd>}
        </div>
      ))}
    </dl>
  );
}

function unpricedAmong(steps: readonly Step[]): number {
  return steps.filter(({ request }) => isWithoutPrice(request)).length;
}

function Actions({ session: { session_id: id, total_cost: cost }, lengthMs }: AboutProps): ReactNode {
  const mayMake = useMay('admin');
  return (
    <div className={styles['actions']}>
      <LinkButton to="/requests" search={{ q: searchFor('session', id), range: 'all' }}>
        Show requests
      </LinkButton>
      {mayMake && cost > 0 && (
        <LinkButton
          to="/alerts/new"
          search={{ metric: 'cost', by: ['session'], threshold: belowIt(cost), minutes: windowMinutes(lengthMs) }}
        >
          Alert on such sessions
        </LinkButton>
      )}
    </div>
  );
}

const longestWindowHours = alertLimits.windowMaxMs / 3_600_000;

/** The window of a rule that holds a session of this length: whole hours, in minutes. */
function windowMinutes(ms: number): number {
  return 60 * Math.min(longestWindowHours, Math.max(1, Math.ceil(ms / 3_600_000)));
}

/** Two digits of a cost, rounded down: a session like this one reaches it. */
function belowIt(cost: number): number {
  const unit = 10 ** (Math.floor(Math.log10(cost)) - 1);
  return Number((Math.floor(cost / unit) * unit).toPrecision(2));
}
